# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated flight in a closed loop: physics, sensing, the policy, and the tunnel."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from random import Random
from typing import Any

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.telemetry import Telemetry

from pqc_sim.flights.instruments import Instruments
from pqc_sim.flights.messages import NANOSECONDS, made, stamp
from pqc_sim.flights.script import Script
from pqc_sim.flights.tunnel_reports import TunnelReports
from pqc_sim.physics.battery_pack import Pack
from pqc_sim.physics.computer import Computer
from pqc_sim.physics.radio import Radio
from pqc_sim.tunnel.live_tunnel import LiveTunnel

START_NS = 1_779_955_200 * NANOSECONDS  # 28 May 2026, 8 o'clock UTC
TICKS_PER_S = 20
_TICK_NS = NANOSECONDS // TICKS_PER_S
# The delay between the stamp of a message and its reception.
_TRANSPORT_NS = 800_000
_AVIONICS_W = 6.0
_SELDOM_S = 5  # between messages that the policy does not use
_GUST_S = 2.5
# The tick of each second at which each topic is published. The policy decides after its settling
# time, from messages with stamps up to the whole second.
_THERMAL, _BATTERY, _VEHICLE, _DECIDE, _POWER, _LINK, _ADVISOR, _STATUS = 1, 2, 3, 4, 5, 8, 9, 10


@dataclass(frozen=True)
class Entry:
    """A message as it was received."""

    topic: str  # full name
    at_ns: int
    message: Any


@dataclass
class Flown:
    script: Script
    entries: list[Entry] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    suites: list[tuple[float, str]] = field(default_factory=list)  # start in s, suite


class Simulation:
    def __init__(self, script: Script, policy: Policy | None = None) -> None:
        self.script = script
        seed = f"{script.name}/{script.seed}"
        self.policy = policy if policy is not None else Policy(script.config)
        ambient_c, sun = script.ambient_c.at(0.0), script.sun.at(0.0)
        pack_c = script.pack_c if script.pack_c is not None else ambient_c
        self.pack = Pack(script.pack, script.charge, pack_c)
        self.computer = Computer(script.computer, ambient_c, sun, script.busy.at(0.0))
        self.radio = Radio(script.air, script.spells, seed)
        self.tunnel = LiveTunnel(
            self.radio, self.policy.profile, script.suite, spoiled=script.spoiled
        )
        self._reports = TunnelReports(START_NS, self.tunnel, self.radio, seed)
        self.instruments = Instruments(script.assumed_pack, seed)
        self.telemetry = Telemetry()
        self.state = PolicyState()
        self.flown = Flown(script)
        self._wind = Random(f"{seed}/wind")
        self._gust = 0.0
        self._published_state: tuple[Any, ...] = ()
        self._published_blacklist: tuple[str, ...] | None = None

    def fly(self) -> Flown:
        self.radio.restarted(0.0)
        for tick in range(1, round(self.script.seconds * TICKS_PER_S) + 1):
            now_s = tick / TICKS_PER_S
            self._physics(now_s)
            self._crashes(tick)
            self._floods(now_s)
            self.radio.step(now_s, bool(self.tunnel.suite), self.tunnel.running)
            self.tunnel.advance(now_s)
            self.tunnel.heard(now_s, self.radio.down.estimator.last_s)
            self._sense(tick, now_s)
            self._publish_tunnel(tick, now_s)
            if tick % TICKS_PER_S == _DECIDE and tick > TICKS_PER_S:
                self._decide(tick // TICKS_PER_S, now_s)
        return self.flown

    def _physics(self, now_s: float) -> None:
        script, load = self.script, self.script.leg(now_s)
        step_s = 1.0 / TICKS_PER_S
        share = step_s / _GUST_S
        self._gust += -share * self._gust + sqrt(2.0 * share) * self._wind.gauss(0.0, 1.0)
        motors_w = load.power_w + script.wind * load.gust_w * self._gust
        ambient_c, sun = script.ambient_c.at(now_s), script.sun.at(now_s)
        busy = script.busy.at(now_s) + 0.3 * self.tunnel.rekeying
        self.computer.step(busy, ambient_c, sun, load.power_w > 100.0, step_s)
        total_w = max(motors_w, 0.0) + _AVIONICS_W + self.computer.power_w
        self.pack.step(total_w, ambient_c, step_s)

    def _crashes(self, tick: int) -> None:
        for crash in self.script.crashes:
            if tick == round(crash.at_s * TICKS_PER_S):
                self.tunnel.crash(crash.at_s)
                self._published_state, self._published_blacklist = (), None
            if tick == round(crash.back_s * TICKS_PER_S):
                self.radio.restarted(crash.back_s)
                self._reports.restarted()
                self.tunnel.restart(crash.back_s)

    def _floods(self, now_s: float) -> None:
        for flood in self.script.floods:
            if flood.start_s <= now_s < flood.end_s and self.tunnel.running:
                self._reports.dropped[flood.reason] += round(flood.per_s / TICKS_PER_S)

    def _sense(self, tick: int, now_s: float) -> None:
        at_ns, phase = START_NS + tick * _TICK_NS, tick % TICKS_PER_S
        load = self.script.leg(now_s)
        if phase == _THERMAL:
            self._put("thermal", at_ns, self.instruments.thermal(at_ns, self.computer))
        elif phase == _POWER and tick // TICKS_PER_S % _SELDOM_S == 0:
            self._put("power", at_ns, self.instruments.power(at_ns, self.computer))
        elif phase == _BATTERY and not self._silent("mavros", at_ns):
            measured = self.instruments.measure(self.pack)
            message = made(
                "sensor_msgs/msg/BatteryState",
                header=made("std_msgs/msg/Header", stamp=stamp(at_ns)),
                voltage=measured.voltage_v,
                current=-measured.current_a,
                temperature=measured.temperature_c,
                present=True,
            )
            if tick // TICKS_PER_S % _SELDOM_S == 0:
                self._put("/mavros/battery", at_ns, message)
            self._put("battery", at_ns, self.instruments.battery(at_ns, measured))
        elif phase == _VEHICLE and not self._silent("mavros", at_ns):
            if tick // TICKS_PER_S % _SELDOM_S == 0:
                message = made(
                    "mavros_msgs/msg/State",
                    header=made("std_msgs/msg/Header", stamp=stamp(at_ns)),
                    connected=True,
                    armed=load.armed,
                    mode=load.mode,
                )
                self._put("/mavros/state", at_ns, message)
            self._put("vehicle", at_ns, self.instruments.vehicle(at_ns, load))
        elif phase == _ADVISOR:
            verdict = self.instruments.advisor(at_ns)
            if verdict is not None:
                self._put("advisor", at_ns, verdict)

    def _publish_tunnel(self, tick: int, now_s: float) -> None:
        tunnel, reports, at_ns = self.tunnel, self._reports, START_NS + tick * _TICK_NS
        for event in tunnel.events:
            reports.note(event)
            self._put("events", at_ns, reports.event(event))
        tunnel.events.clear()
        if not self.flown.suites or self.flown.suites[-1][1] != tunnel.suite:
            self.flown.suites.append((now_s, tunnel.suite))
        if not tunnel.running:
            return
        barred = tuple(sorted(tunnel.blacklist))
        if barred != self._published_blacklist:
            self._published_blacklist = barred
            experimental = self.policy.config.allowed.experimental
            self._put("suites", at_ns, reports.suites(at_ns, experimental))
        if tick % TICKS_PER_S == _LINK:
            report = reports.link(at_ns, now_s)
            if not self._silent("link", at_ns):
                self.instruments.note_link(report)
            self._put("link", at_ns, report)
        state = (tunnel.state, tunnel.suite, tunnel.epoch)
        if state != self._published_state or tick % TICKS_PER_S == _STATUS:
            self._published_state = state
            report = reports.status(at_ns, now_s)
            if not self._silent("status", at_ns):
                self.instruments.note_status(report)
            self._put("status", at_ns, report)

    def _decide(self, second: int, now_s: float) -> None:
        inputs = self.telemetry.inputs(START_NS + second * NANOSECONDS)
        decision, self.state = self.policy.decide(self.state, inputs)
        self.flown.decisions.append(decision)
        if decision.to_suite is not None:
            self.tunnel.rekey(
                decision.to_suite,
                now_s,
                ratchet=decision.ratchet,
                one_time=decision.one_time_key,
            )
        if decision.prefetch:
            self.tunnel.prefetch(decision.prefetch, now_s)

    def _put(self, topic: str, at_ns: int, message: Any) -> None:
        if self._silent(topic, at_ns):
            return
        if not topic.startswith("/"):
            self.telemetry.take(topic, message)
            topic = f"/pqc/{topic}"
        self.flown.entries.append(Entry(topic, at_ns + _TRANSPORT_NS, message))

    def _silent(self, topic: str, at_ns: int) -> bool:
        return self.script.silent(topic, (at_ns - START_NS) / NANOSECONDS)
