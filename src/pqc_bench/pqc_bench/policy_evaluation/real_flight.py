# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drawn flight on real nodes: both tunnels, the link emulator, sensing, advisor and policy.

The sensing node gets what the simulated flight measures: battery and state as MAVROS publishes
them, and the computer's load, temperature and throttling in files like those of /proc and /sys.
Nothing else is simulated.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from mavros_msgs.msg import State
from pqc_learning.closed_loop.advisor_follower import DETECTOR
from pqc_learning.closed_loop.contestants import DEFAULT_SUITE, contestants
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_policy.policy.suites import find_suite
from pqc_sim.pair.tunnel_launch import explain, launch_command
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import BatteryState

from pqc_bench.cell.parameters import policy_parameters
from pqc_bench.harness.blaster import DIRECTIONS, Blaster
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.policy_evaluation.agreement import Flown, disagreements
from pqc_bench.policy_evaluation.computer_files import ComputerFiles, Moment
from pqc_bench.policy_evaluation.sample import conditions, sample
from pqc_bench.rekey.result import Traffic
from pqc_msgs.msg import PolicyDecision, TunnelEvent

FLIGHT_S = 150.0
_ESTABLISH_S = 90.0
_DECIDES_S = 90.0
_END_S = 10.0
# From the start of the link emulator to that of a flight with outages: the nodes have to start.
_LEAD_S = 40.0
# The load of a second is shown in parts, so that each reading of the node finds some of it.
_PARTS = 4
_SIZE = 96
_COSTS = "tunnel_floor_1"
_MAVROS = "/mavros"
_WINDOW = "flight"


def fly_real(folder: Path, strategy: str, flights: int, seconds: float) -> dict[str, Any]:
    """Fly a sample and compare each flight with the simulator."""
    flown = []
    for seed, plan in sample(flights, seconds):
        own = folder / str(seed)
        own.mkdir()
        prepared = PreparedFlight(plan)
        simulated, moments = simulate(prepared, strategy)
        real = _RealFlight(own, prepared, strategy, moments).fly()
        found = disagreements(simulated, real)
        flown.append(
            {
                "seed": seed,
                "link": plan.link,
                "trouble": list(plan.trouble),
                "seconds": plan.script.seconds,
                "simulated": asdict(simulated),
                "real": asdict(real),
                "disagreements": found,
            }
        )
        print(f"seed {seed}: {'; '.join(found) or 'agrees'}", flush=True)
    every = [f"Seed {one['seed']}: {text}" for one in flown for text in one["disagreements"]]
    return {"strategy": strategy, "flights": flown, "disagreements": every}


def simulate(prepared: PreparedFlight, strategy: str) -> tuple[Flown, list[Moment]]:
    """Return what the simulator makes of a flight, and the computer at each second."""
    suites: list[str] = []
    moments: list[Moment] = []

    def watch(_: object, flight: Flight) -> None:
        suites.append(flight.tunnel.suite)
        silent = prepared.plan.script.silent("thermal", len(moments))
        temperature_c = None if silent else flight.read_c
        moments.append(Moment(temperature_c, flight.computer.load, flight.throttled))

    name = strategy if strategy != "static" else "static_default"
    outcome = Flight(prepared, contestants()[name], cost_sets()[_COSTS], watch).fly()
    seconds = {level: value for level, value in outcome.seconds_at_level.items() if value}
    return _flown(suites, outcome.done, outcome.failed, seconds), moments


def _flown(suites: list[str], done: int, failed: int, seconds: dict[str, float]) -> Flown:
    # Before the flight the policy may have acted on its conditions already.
    used = [DEFAULT_SUITE, *filter(None, suites)]
    switches = [new for old, new in pairwise(used) if new != old]
    return Flown(switches, done, failed, seconds, used[-1])


class _RealFlight:
    """One flight; `fly` takes as long as the flight."""

    def __init__(
        self, folder: Path, prepared: PreparedFlight, strategy: str, moments: list[Moment]
    ) -> None:
        self._folder, self._prepared, self._strategy = folder, prepared, strategy
        self._moments = moments
        self._lead_s = _LEAD_S if prepared.plan.script.spells else 0.0
        self._computer = ComputerFiles(folder)
        self._computer.show(moments[0])

    def fly(self) -> Flown:
        plan = self._prepared.plan
        pair_plan = Plan(
            suite=DEFAULT_SUITE,
            both={"min_level": cost_sets()[_COSTS].min_level},
            loss_percent=100.0 * plan.script.air.loss,
            seed=plan.script.seed,
            conditions=conditions(plan, self._lead_s),
        )
        began_s = time.monotonic()
        with TunnelPair(self._folder, pair_plan) as pair, MeasuredNodes(pair.check) as view:
            view.wait_established(_ESTABLISH_S)
            policy = self._start_policy()
            try:
                rate = round(plan.packets_per_s)
                with Blaster(pair.applications, rate, _SIZE, 2, drain_s=2) as blaster:
                    return self._conduct(view, policy, pair, blaster, began_s)
            finally:
                policy.end(_END_S)

    def _start_policy(self) -> ProcessGroup:
        file = self._folder / "policy.yaml"
        parameters = node_parameters(self._strategy, self._computer)
        file.write_text(yaml.safe_dump(parameters), encoding="utf-8")
        arguments = {"policy_params_file": str(file), "mavros_namespace": _MAVROS}
        command = launch_command("pqc_tunnel", "policy.launch.py", arguments)
        return ProcessGroup(command, self._folder / "policy.log")

    def _conduct(
        self,
        view: MeasuredNodes,
        policy: ProcessGroup,
        pair: TunnelPair,
        blaster: Blaster,
        began_s: float,
    ) -> Flown:
        vehicle = _Vehicle(view, self._prepared)
        decisions: list[PolicyDecision] = []
        view.events.clear()
        view.subscribe(PolicyDecision, "/pqc/decision", decisions.append, QoSProfile(depth=10))
        second, start_s = 0, began_s + self._lead_s
        deadline_s = time.monotonic() + self._lead_s + _DECIDES_S
        # Sensors are read before the flight, too.
        while time.monotonic() < start_s or not any(d.from_suite for d in decisions):
            if time.monotonic() > deadline_s:
                why = explain(policy.output()) if not policy.running else "it has no inputs"
                raise RunFault(f"the policy doesn't decide: {why}")
            self._pass(0, time.monotonic() + 1.0, vehicle, view)
        dropped = _dropped(pair)
        blaster.open_window(_WINDOW)
        suites: list[str] = []
        seconds: dict[str, float] = {}
        start_s = time.monotonic()
        while second < self._prepared.seconds - 1:
            self._pass(second, start_s + second + 1.0, vehicle, view)
            second += 1
            status = view.status.get("drone")
            suites.append(status.suite if status is not None else "")
            suite = find_suite(suites[-1])
            level = str(suite.level) if suite is not None else "none"
            seconds[level] = seconds.get(level, 0.0) + 1.0
        kinds = [event.kind for event in view.events]
        failed = sum(kinds.count(kind) for kind in (TunnelEvent.REKEY_FAILED, TunnelEvent.ROLLBACK))
        flown = _flown(suites, kinds.count(TunnelEvent.REKEY_CONFIRMED), failed, seconds)
        (window,) = (one for one in blaster.finish()["windows"] if one["name"] == _WINDOW)
        link = _dropped(pair) - dropped
        flown.lost_beyond_link = max(Traffic.of(window).lost - link, 0)
        return flown

    def _pass(self, second: int, end_s: float, vehicle: _Vehicle, view: MeasuredNodes) -> None:
        """Let a second of the flight pass, until a monotonic time."""
        vehicle.publish(second)
        for left in reversed(range(_PARTS)):
            self._computer.show(self._moments[second])
            view.spin(max(end_s - left / _PARTS - time.monotonic(), 0.0))


def node_parameters(strategy: str, computer: ComputerFiles) -> dict[str, Any]:
    """Return the parameters of policy, advisor and a sensing node that reads this computer."""
    parameters = policy_parameters("advise")
    policy, advisor, sensing = (
        parameters[f"/pqc/{name}"]["ros__parameters"] for name in ("policy", "advisor", "sensing")
    )
    policy |= {"advise_only": False, "strategy": strategy}
    advisor["detector"] = DETECTOR
    sensing |= {"proc_root": str(computer.proc), "sys_root": str(computer.sys)}
    return parameters


def _dropped(pair: TunnelPair) -> int:
    """Return every datagram that the link has not passed on until now."""
    ways = pair.link.summary().get("udp", {}) if pair.link is not None else {}
    reasons = ("lost", "lost_in_outage", "queue_dropped", "oversize")
    return sum(ways[way][reason] for way in DIRECTIONS if way in ways for reason in reasons)


class _Vehicle:
    """Publishes battery and state of the simulated flight as MAVROS does."""

    def __init__(self, view: MeasuredNodes, prepared: PreparedFlight) -> None:
        self._prepared = prepared
        self._view = view
        self._battery = view.publisher(BatteryState, f"{_MAVROS}/battery", qos_profile_sensor_data)
        self._state = view.publisher(State, f"{_MAVROS}/state", QoSProfile(depth=10))

    def publish(self, second: int) -> None:
        """Publish the messages of a second, but for sensors that have failed."""
        script = self._prepared.plan.script
        stamp = self._view.now()
        if script.silent("mavros", second):
            return
        if not script.silent("battery", second):
            read = self._prepared.battery[second].read
            battery = BatteryState(
                voltage=read.voltage_v,
                current=-(read.current_a or 0.0),
                temperature=read.temperature_c or 0.0,
                present=True,
            )
            battery.header.stamp = stamp
            self._battery.publish(battery)
        if not script.silent("vehicle", second):
            leg = script.leg(float(second))
            state = State(connected=True, armed=leg.armed, mode=leg.mode)
            state.header.stamp = stamp
            self._state.publish(state)
