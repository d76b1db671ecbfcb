# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flies a prepared flight with one strategy: sensing, advisor, policy, tunnel, heat."""

from __future__ import annotations

from collections.abc import Callable

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Computer as ComputerLoad
from pqc_policy.policy.inputs import Link, Phase, Thermal
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.suites import Suite, find_suite
from pqc_policy.sensing.trend import Trend
from pqc_sim.physics.computer import Computer
from pqc_sim.tunnel.events import NEW_KEYS, NO_KEYS, Kind
from pqc_sim.tunnel.live_tunnel import LiveTunnel
from pqc_sim.tunnel.quiet import Quiet
from pqc_sim.tunnel.tunnel_model import TunnelModel

from pqc_learning.closed_loop import exposure, worth
from pqc_learning.closed_loop.advisor_follower import AdvisorFollower, Counted
from pqc_learning.closed_loop.contestants import Contestant
from pqc_learning.closed_loop.control_path import ControlPath
from pqc_learning.closed_loop.cost_set import CORE_W, CostSet
from pqc_learning.closed_loop.emergencies import HOT_C, Emergencies
from pqc_learning.closed_loop.flight_plan import Attack, PreparedFlight
from pqc_learning.closed_loop.link_views import REPORT_AT_S, View
from pqc_learning.closed_loop.outcome import Outcome
from pqc_learning.closed_loop.sensed import (
    COMPUTER_AGE_S,
    LINK_AGE_S,
    POWER_AGE_S,
    STATUS_AGE_S,
    THERMAL_AGE_S,
    SensedInputs,
)
from pqc_learning.closed_loop.stopping_tunnel import StoppingTunnel
from pqc_learning.closed_loop.traffic_counts import TrafficCounts

# The policy decides so long after the whole second, and asks the tunnel at once.
_SETTLE_S = 0.2
_THERMAL_STEP_C = 0.487
_CORES = 4
# A pilot notices when a command waits for longer; so many commands come while something happens.
_PATIENCE_S, _COMMANDS_PER_S = 0.25, 10.0
# An adversary who drops data after a rekey does so in such windows.
_DROPS = tuple((0.2 + 1.6 * turn, 1.5 + 1.6 * turn) for turn in range(5))
_SECOND_NS = 1_000_000_000
Watch = Callable[[Decision, "Flight"], None]


def _tunnel(prepared: PreparedFlight, costs: CostSet, suite: str, anchor: str) -> TunnelModel:
    path, plan = ControlPath(prepared), prepared.plan
    began_s = -plan.session_age_s
    given = (path, costs.profile, suite, costs.unusable, plan.script.spoiled)
    begin = {"keys_since_s": began_s, "full_keys_since_s": began_s}
    if costs.stops_data:
        return StoppingTunnel(*given, **begin, startup_s=costs.startup_s)
    return LiveTunnel(*given, **begin, anchor=anchor)


class Flight:
    """One flight; `fly` returns its outcome."""

    def __init__(
        self,
        prepared: PreparedFlight,
        contestant: Contestant,
        costs: CostSet,
        watch: Watch | None = None,
    ) -> None:
        """Begin with a session of some seconds; `watch` sees each decision."""
        self.prepared, self.costs = prepared, costs
        script = prepared.plan.script
        self.policy = contestant.policy(costs)
        self.tunnel = _tunnel(prepared, costs, contestant.suite(costs), contestant.anchor)
        ambient_c, sun = script.ambient_c.at(0.0), script.sun.at(0.0)
        self.computer = Computer(script.computer, ambient_c, sun, script.busy.at(0.0))
        self.outcome = Outcome(seconds=prepared.seconds)
        self.state = PolicyState()
        self.read_c = self.computer.temperature_c  # the sensor's value, even while it is silent
        self._watch = watch
        self._sensed = SensedInputs()
        self._advisor = AdvisorFollower(prepared.advisor)
        self._trend = Trend()
        self._mute = [one for one in prepared.plan.adversaries if one.attack is Attack.MUTE_REPORTS]
        self._dropped = Quiet()  # times in which an adversary drops data
        self._blackouts = 0
        self._packets = self._lost = 0  # as the ground counts them
        self._reports: list[tuple[float, Link, Counted]] = []  # arrival in s, link, counts
        self._counts = TrafficCounts(
            prepared.up, prepared.down, self.tunnel.quiet, self.tunnel.stopped
        )
        self._rtt_s: float | None = None
        self._worked_s = 0  # for so long the link has worked
        self._keys_seen_s, self._unrenewed_s = self.tunnel.keys_since_s, 0
        self._quiet_seen, self._rekeying_seen_s = 0, 0.0
        usable = [s for s in self.policy.order.usable if s.id not in costs.unusable]
        self._emergencies = Emergencies(script.pack.cells, min(suite.tier for suite in usable))
        self._send_report(prepared.views.usual(0), self.tunnel.keys_since_s)  # with the session

    @property
    def throttled(self) -> bool:
        return self.computer.temperature_c > HOT_C

    def fly(self) -> Outcome:
        for second in range(1, self.prepared.seconds):
            self.sense(second)
            self.act(second, *self.decided(second))
        return self.finished()

    def sense(self, second: int) -> None:
        """Let a second pass until what was sensed in it is there."""
        self._tunnel_until(float(second))
        self._report(second - 1)
        self._sense(second)

    def decided(self, second: int) -> tuple[Decision, PolicyState]:
        """Return what the policy decides; nothing is changed by it."""
        readings = self.prepared.surroundings[second - 1].readings
        return self.policy.decide(self.state, self._sensed.inputs(second * _SECOND_NS, readings))

    def act(self, second: int, decision: Decision, state: PolicyState) -> None:
        """Carry a decision out, and account for the second."""
        self.state = state
        if decision.to_suite is not None:
            self.outcome.wanted += 1
            self.outcome.switches += decision.to_suite != decision.from_suite
            self.tunnel.advance(second + _SETTLE_S)
            self.tunnel.rekey(
                decision.to_suite,
                second + _SETTLE_S,
                ratchet=decision.ratchet,
                one_time=decision.one_time_key,
            )
        if decision.prefetch:
            self.tunnel.prefetch(decision.prefetch, second + _SETTLE_S)
        if self._watch is not None:
            self._watch(decision, self)
        self._account(second)

    # --- The tunnel and the air ---

    def _tunnel_until(self, now_s: float) -> None:
        tunnel, script = self.tunnel, self.prepared.plan.script
        for crash in script.crashes:
            if now_s - 1.0 < crash.at_s <= now_s:
                tunnel.advance(crash.at_s)
                tunnel.crash(crash.at_s)
            if now_s - 1.0 < crash.back_s <= now_s:
                self.outcome.ratchets += tunnel.ratchets
                tunnel.restart(crash.back_s)
        tunnel.advance(now_s)
        tunnel.heard(now_s, self.prepared.down.newest_arrived(now_s))
        self._take_events()

    def _take_events(self) -> None:
        for event in self.tunnel.events:
            if event.kind in NEW_KEYS:
                self._react(event.at_s)
            self.outcome.done += event.kind is Kind.REKEY_CONFIRMED
            self.outcome.failed += event.kind in NO_KEYS
        self.tunnel.events.clear()

    def _react(self, changed_s: float) -> None:
        """Drop data after new keys, if somebody does that."""
        for one in self.prepared.plan.adversaries:
            if one.attack is Attack.DROP_AFTER_REKEY and one.active(changed_s):
                for start_s, end_s in _DROPS:
                    self._dropped.add(changed_s + start_s, changed_s + end_s)

    def _report(self, number: int) -> None:
        """Make the ground's report of a second."""
        view = self.prepared.views.after(number, self.tunnel.quiet, self._dropped)
        self._blackouts += view.new_blackouts
        self._packets += view.packets
        self._lost += view.lost
        self._send_report(view, number + REPORT_AT_S)

    def _send_report(self, view: View, made_s: float) -> None:
        """Send a report; it may not arrive."""
        flight = self.prepared
        up, down = flight.up, flight.down
        slot = down.slot(made_s)
        muted = any(one.active(made_s) for one in self._mute)
        if muted or not self._carried(made_s) or down.luck[slot] < down.slot_loss[slot]:
            return
        delay_s = down.slot_delay_s[slot]
        if up.luck[slot] >= up.slot_loss[slot]:
            self._rtt_s = delay_s + up.slot_delay_s[slot]
        counted = Counted(self._packets, self._lost)
        self._reports.append((made_s + delay_s, self._figures(view), counted))

    def _carried(self, at_s: float) -> bool:
        tunnel = self.tunnel
        return tunnel.running and bool(tunnel.suite) and not tunnel.stopped.covers(at_s)

    def _figures(self, view: View) -> Link:
        return Link(
            gap_p95_s=view.gap_p95_s,
            packets_per_s=view.packets_per_s,
            longest_silence_s=view.longest_silence_s,
            jitter_s=view.jitter_s,
            blackouts=self._blackouts + view.silent,
            loss=view.loss,
            rtt_s=self._rtt_s,
            rate_bytes_s=self.tunnel.rate_bytes_s,
        )

    # --- Sensors and the decision ---

    def _sense(self, second: int) -> None:
        now_s, sensed, tunnel = float(second), self._sensed, self.tunnel
        around = self.prepared.surroundings[second - 1]
        noisy_c = self.computer.temperature_c + around.thermal_noise_c
        self.read_c = round(noisy_c / _THERMAL_STEP_C) * _THERMAL_STEP_C
        at_s = now_s - THERMAL_AGE_S
        self._trend = self._trend.pushed(at_s, self.read_c)
        if "thermal" not in around.silent:
            sensed.put("thermal", at_s, Thermal(self.read_c, self._trend.per_minute()))
        load = ComputerLoad(self.computer.load, None, self.throttled)
        sensed.put("computer", now_s - COMPUTER_AGE_S, load)
        if "power" not in around.silent:
            power_w = round(self.computer.power_w + around.power_noise_w, 2)
            sensed.put("power_w", now_s - POWER_AGE_S, power_w)
        self._sense_link(now_s, around.silent)
        # A node that does not run says nothing: its newest status ages.
        stamp_s = max(now_s - STATUS_AGE_S, min(tunnel.keys_since_s, now_s))
        keys_s = max(stamp_s - tunnel.keys_since_s, 0.0)
        sensed.put("session", stamp_s, tunnel.session(now_s, keys_s))

    def _sense_link(self, now_s: float, silent: frozenset[str]) -> None:
        sent_s, tunnel, counts = now_s - LINK_AGE_S, self.tunnel, self._counts
        arrived = [report for report in self._reports if report[0] <= sent_s]
        if arrived:
            self._reports = [arrived[-1], *self._reports[len(arrived) :]]
        if tunnel.running and "link" not in silent:
            remote, age_s = None, 0.0
            if arrived:
                arrival_s, link, remote = arrived[-1]
                self._sensed.put("link", arrival_s, link)
                age_s = sent_s - arrival_s
            self._advisor.take_link(sent_s, Counted(*counts.received(sent_s)), remote, age_s)
        if tunnel.running:
            status_s = now_s - STATUS_AGE_S
            encrypted = bool(tunnel.suite) and not tunnel.stopped.covers(status_s)
            self._advisor.take_status(status_s, counts.sent(status_s), encrypted=encrypted)
        if "advisor" not in silent:
            self._sensed.put_verdict(*self._advisor.verdict(now_s))

    # --- The account ---

    def _account(self, second: int) -> None:
        now_s, outcome, tunnel = float(second), self.outcome, self.tunnel
        around = self.prepared.surroundings[second - 1]
        suite = find_suite(tunnel.suite)
        outcome.seconds_at_level[str(suite.level) if suite is not None else "none"] += 1.0
        outcome.unkeyed_s += suite is None
        self._emergencies.note(
            now_s,
            self.prepared.battery[second - 1].voltage_v or 0.0,
            self.read_c,
            suite.tier if suite is not None else None,
        )
        outcome.hot_s += self.throttled
        outcome.warmest_c = max(outcome.warmest_c, self.computer.temperature_c)
        sealing_s = 0.0
        if suite is not None and tunnel.carries:
            # Sealed, and opened.
            datagrams = 2.0 * self.prepared.plan.packets_per_s
            sealing_s = datagrams * self.costs.seal_us[suite.aead] * 1e-6
            outcome.energy_j += sealing_s * CORE_W
        worked_s = min(tunnel.core_s, 1.0)
        outcome.worth += self._worth(now_s, around.phase, suite, worked_s + sealing_s)
        tunnel.core_s -= worked_s
        busy = around.busy + worked_s / _CORES
        self.computer.step(busy, around.ambient_c, around.sun, around.flying, 1.0)
        self._lockout(now_s)

    def _worth(
        self, now_s: float, phase: Phase | None, suite: Suite | None, core_s: float
    ) -> float:
        tunnel = self.tunnel
        rekeying_s = tunnel.rekeying_until(now_s)
        # What a message of a rekey displaces on a thin link counts beside it.
        quiet_s = sum(end_s - start_s for start_s, end_s in tunnel.rekey_quiet[self._quiet_seen :])
        self._quiet_seen = len(tunnel.rekey_quiet)
        if self.costs.stops_data:
            quiet_s = 0.0  # the data stops while the rekey is under way
        busy_s = rekeying_s - self._rekeying_seen_s + quiet_s
        self._rekeying_seen_s = rekeying_s
        security = worth.security(
            suite, now_s - tunnel.keys_since_s, now_s - tunnel.full_keys_since_s
        )
        weights = worth.weights_of(phase)
        return worth.worth(weights, security, worth.latency(busy_s), worth.power(core_s))

    def _lockout(self, now_s: float) -> None:
        """Count the seconds of a working link since the newest keys.

        A second counts when the link has worked for longer than conditions must last. A disturbance
        stops the count, and only new keys end it.
        """
        tunnel = self.tunnel
        works = bool(tunnel.suite) and tunnel.established and self.prepared.works[int(now_s)]
        self._worked_s = self._worked_s + 1 if works else 0
        if tunnel.keys_since_s != self._keys_seen_s:
            self._keys_seen_s, self._unrenewed_s = tunnel.keys_since_s, 0
        self._unrenewed_s += self._worked_s > self.policy.config.persistence_s
        self.outcome.lockout_s = max(self.outcome.lockout_s, float(self._unrenewed_s))

    def _expose(self) -> None:
        """Account for what the keys protect from whom."""
        outcome, flight = self.outcome, self.prepared
        used = exposure.used_keys(
            self.tunnel.epochs, float(flight.seconds), (flight.up, flight.down)
        )
        outcome.exposed = exposure.shares(used)
        outcome.window_mean_s, outcome.window_most_s = exposure.windows(used)
        outcome.delayed = sum(
            int((end_s - start_s - _PATIENCE_S) * _COMMANDS_PER_S)
            for start_s, end_s in (self.tunnel.rekey_quiet if self.costs.stops_data else ())
            if end_s - start_s > _PATIENCE_S
        )

    def finished(self) -> Outcome:
        outcome, tunnel, flight = self.outcome, self.tunnel, self.prepared
        tunnel.finish(float(flight.seconds))
        self._take_events()
        outcome.ratchets += tunnel.ratchets
        outcome.energy_j += tunnel.work_s * CORE_W
        self._emergencies.finish()
        outcome.emergencies_seen = self._emergencies.seen
        outcome.emergencies_met = self._emergencies.met
        outcome.longest_gap_s = tunnel.interruption_s
        outcome.air_bytes = tunnel.all_air_bytes
        self._expose()
        both = (flight.up, flight.down) if self.costs.stops_data else (flight.up,)
        for start_s, end_s in tunnel.rekey_quiet:
            for air in both:
                lost = air.passed(start_s, end_s)
                outcome.lost_to_rekeys += lost
                if lost:
                    gap_s = air.gap_around(start_s, end_s)
                    outcome.longest_gap_s = max(outcome.longest_gap_s, gap_s)
        return outcome
