# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS graph with the real policy node and a simulated tunnel, sensors and clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from pqc_policy.policy.settings import PolicySettings
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from recorded import MLKEM768
from ros_graph import Listener, NodeProcess
from rosgraph_msgs.msg import Clock

from pqc_msgs.msg import (
    BatteryPrediction,
    ComputerLoad,
    KemFetch,
    Layer,
    LinkReport,
    PolicyDecision,
    SuiteInfo,
    SuiteList,
    ThermalReading,
    TunnelEvent,
    TunnelStatus,
    VehicleState,
)
from pqc_msgs.srv import Prefetch, Rekey

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def policy_process(folder: Path, *parameters: str, sim_time: bool = True) -> NodeProcess:
    """Start the policy node; its log goes into `folder`."""
    given = [*parameters, f"use_sim_time:={str(sim_time).lower()}"]
    words = [word for parameter in given for word in ("-p", parameter)]
    return NodeProcess("policy_node", folder / "policy.log", "-r", "__ns:=/pqc", *words)


@dataclass
class SimulatedInputs:
    """Values that tunnel and sensors publish each second, except on silent topics."""

    suite: str = MLKEM768
    epoch: int = 1
    keys_since_s: float = 0.0
    state: int = TunnelStatus.STATE_ESTABLISHED
    voltage_v: float = 15.6
    temperature_c: float = 55.0
    gap_s: float = 0.02
    armed: bool = True
    silent: frozenset[str] = frozenset()
    # Suites to which a rekey fails, and the `kind` of the TunnelEvent that reports the failure.
    failing: dict[str, int] = field(default_factory=dict)
    phase: int = VehicleState.PHASE_UNKNOWN
    load: float = 0.2
    encrypted: bool = True
    calls: list[Rekey.Request] = field(default_factory=list)
    anchor: str = ""
    layers: list[Layer] = field(default_factory=list)
    fetches: list[KemFetch] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)  # suites whose keys were asked for


class Graph(Listener):
    """Simulates everything around the policy node; step() advances the clock."""

    def __init__(self, process: NodeProcess | None = None) -> None:
        self.process = process
        super().__init__(node_name="simulated_inputs", namespace="pqc")
        self._clock = self.node.create_publisher(Clock, "/clock", 10)
        self._publishers = {
            topic: self.node.create_publisher(message_type, topic, qos)
            for topic, message_type, qos in (
                ("status", TunnelStatus, LATCHED),
                ("suites", SuiteList, LATCHED),
                ("events", TunnelEvent, QoSProfile(depth=50)),
                ("link", LinkReport, QoSProfile(depth=10)),
                ("battery", BatteryPrediction, qos_profile_sensor_data),
                ("thermal", ThermalReading, qos_profile_sensor_data),
                ("vehicle", VehicleState, qos_profile_sensor_data),
                ("computer", ComputerLoad, qos_profile_sensor_data),
            )
        }
        self.decisions = self.subscribe(PolicyDecision, "decision", QoSProfile(depth=50))
        self.diagnostics = self.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=50))
        self._service: Any = None
        self.node.create_service(Prefetch, "prefetch", self._prefetch)
        self.simulated = SimulatedInputs()
        self.now_s = 0.0

    def wait_for(
        self,
        condition: Callable[[], Any],
        what: str,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Any:
        """Wait as a listener, as long as the policy node is running."""

        def fulfilled() -> Any:
            result = condition()
            assert result or self.process is None or self.process.running, self.process.output
            return result

        return super().wait_for(fulfilled, what, meanwhile)

    def offer_rekey(self, offered: bool = True) -> None:
        """Create the tunnel's rekey service, or remove it."""
        if self._service is not None:
            self.node.destroy_service(self._service)
        self._service = self.node.create_service(Rekey, "rekey", self._rekey) if offered else None

    def _rekey(self, request: Rekey.Request, response: Rekey.Response) -> Rekey.Response:
        simulated = self.simulated
        simulated.calls.append(request)
        if request.suite not in simulated.failing:
            simulated.suite = request.suite or simulated.suite
            simulated.epoch += 1
            simulated.keys_since_s = self.now_s
            response.success, response.message = True, "New keys are in use."
        else:
            response.message = "The rekey failed."
            kind = simulated.failing[request.suite]
            self._publish("events", kind=kind, suite=request.suite, text=response.message)
        response.suite, response.epoch = simulated.suite, simulated.epoch
        return response

    def _prefetch(self, request: Prefetch.Request, response: Prefetch.Response) -> Any:
        self.simulated.fetched.append(request.suite)
        response.success = True
        return response

    def _publish(self, topic: str, **fields: Any) -> None:
        if topic in self.simulated.silent:
            return
        publisher = self._publishers[topic]
        message = publisher.msg_type(**fields)
        message.stamp = _time(self.now_s)
        publisher.publish(message)

    def start_at(self, now_s: float) -> None:
        """Set the clock, publish calm inputs and wait for the first decision."""
        self.now_s = now_s
        self.simulated = SimulatedInputs(keys_since_s=now_s)
        self.offer_rekey()
        self.wait_for(
            lambda: self._clock.get_subscription_count() and self._subscribed(), "the policy node"
        )
        self.set_suites()
        del self.decisions[:]

        def first_decision() -> Any:
            self.now_s += 0.25
            self._publish_clock()
            self._publish_all()
            return next((d for d in self.decisions if now_s < d.stamp.sec <= self.now_s), None)

        self.wait_for(first_decision, "the first decision")
        # The node may be ahead of the messages received from it.
        self.now_s = float(int(self.now_s))

    def _subscribed(self) -> bool:
        return all(p.get_subscription_count() for p in self._publishers.values())

    def set_suites(self, *unusable: str) -> None:
        """Publish the suites that the tunnel can't use."""
        suites = [SuiteInfo(id=suite, available=False) for suite in unusable]
        self._publish("suites", suites=suites)

    def _publish_all(self) -> None:
        simulated = self.simulated
        self._publish(
            "status",
            suite=simulated.suite,
            epoch=simulated.epoch,
            state=simulated.state,
            encrypted=simulated.encrypted,
            key_age_s=self.now_s - simulated.keys_since_s,
            anchor=simulated.anchor,
            layers=simulated.layers,
            fetches=simulated.fetches,
        )
        link = LinkReport(remote_valid=True)
        link.remote.gap_p95_s = simulated.gap_s
        self._publish("link", remote_valid=True, remote=link.remote)
        self._publish("battery", voltage_v=simulated.voltage_v, charge=0.9)
        self._publish("thermal", temperature_c=simulated.temperature_c)
        self._publish("vehicle", armed=simulated.armed, phase=simulated.phase)
        self._publish("computer", load=simulated.load)

    def _publish_clock(self) -> None:
        self._clock.publish(Clock(clock=_time(self.now_s)))

    def step(self) -> PolicyDecision:
        """Advance the clock by a second; return the decision for it."""
        start_s = self.now_s
        self.now_s += 0.6
        self._publish_clock()
        self._publish_all()
        due = int(start_s) + 1
        # Only the clock shows the node that the second is over.
        self.now_s = due + PolicySettings().settle_s + 0.05

        def decided() -> PolicyDecision | None:
            self._publish_clock()
            self._executor.spin_once(timeout_sec=0.02)
            return next((d for d in reversed(self.decisions) if d.stamp.sec == due), None)

        decision: PolicyDecision = self.wait_for(decided, f"the decision for {due} s")
        self.now_s = float(due)
        return decision

    def until(self, condition: Callable[[PolicyDecision], Any], limit: int = 30) -> PolicyDecision:
        """Step until a decision fulfils a condition; return that decision."""
        for _ in range(limit):
            decision = self.step()
            if condition(decision):
                return decision
        raise AssertionError(f"no such decision within {limit} s; the last one: {decision}")

    def diagnosis(self) -> Any:
        """Step until the node has published a new diagnostic status; return it."""
        new_from_s = int(self.now_s) + 1  # a status with an older stamp may still arrive
        del self.diagnostics[:]

        def new_status() -> Any:
            arrays = (a for a in self.diagnostics if a.header.stamp.sec >= new_from_s)
            return next((s for a in arrays for s in a.status if s.values), None)

        while new_status() is None:
            self.step()
        return new_status()


def _time(at_s: float) -> Time:
    return Time(sec=int(at_s), nanosec=round(at_s % 1 * 1e9))
