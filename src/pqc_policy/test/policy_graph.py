# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS graph with the real policy node in a process, and a tunnel, sensors and clock made up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from recorded import MLKEM768
from ros_graph import PATIENCE_S, NodeProcess
from rosgraph_msgs.msg import Clock

from pqc_msgs.msg import (
    BatteryPrediction,
    LinkReport,
    PolicyDecision,
    SuiteInfo,
    SuiteList,
    ThermalReading,
    TunnelEvent,
    TunnelStatus,
    VehicleState,
)
from pqc_msgs.srv import Rekey

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def policy_process(folder: Path, *parameters: str, sim_time: bool = True) -> NodeProcess:
    """Start the policy node, with its log in a file."""
    given = [*parameters, f"use_sim_time:={str(sim_time).lower()}"]
    words = [word for parameter in given for word in ("-p", parameter)]
    return NodeProcess("policy_node", folder / "policy.log", "-r", "__ns:=/pqc", *words)


@dataclass
class Surroundings:
    """What tunnel and sensors publish each second, except on silent topics."""

    suite: str = MLKEM768
    epoch: int = 1
    keys_since_s: float = 0.0
    state: int = TunnelStatus.STATE_ESTABLISHED
    voltage_v: float = 15.6
    temperature_c: float = 55.0
    gap_s: float = 0.02
    armed: bool = True
    silent: frozenset[str] = frozenset()
    # Suites to which a rekey fails, and the kind of the event that reports it.
    failing: dict[str, int] = field(default_factory=dict)
    calls: list[Rekey.Request] = field(default_factory=list)


class Graph:
    """Everything around the policy node; step() advances the clock."""

    def __init__(self, process: NodeProcess | None = None) -> None:
        self.process = process
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self.node = rclpy.create_node("surroundings", namespace="pqc", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._clock = self.node.create_publisher(Clock, "/clock", 10)
        self._publishers = {
            topic: self.node.create_publisher(kind, topic, qos)
            for topic, kind, qos in (
                ("status", TunnelStatus, LATCHED),
                ("suites", SuiteList, LATCHED),
                ("events", TunnelEvent, QoSProfile(depth=50)),
                ("link", LinkReport, QoSProfile(depth=10)),
                ("battery", BatteryPrediction, qos_profile_sensor_data),
                ("thermal", ThermalReading, qos_profile_sensor_data),
                ("vehicle", VehicleState, qos_profile_sensor_data),
            )
        }
        self.decisions = self._listen(PolicyDecision, "decision")
        self.diagnostics = self._listen(DiagnosticArray, "/diagnostics")
        self._service: Any = None
        self.around = Surroundings()
        self.now_s = 0.0

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def _listen(self, kind: Any, topic: str) -> list[Any]:
        heard: list[Any] = []
        self.node.create_subscription(kind, topic, heard.append, QoSProfile(depth=50))
        return heard

    def wait_for(self, condition: Callable[[], Any], what: str) -> Any:
        """Spin until a condition holds; return what it returned."""
        deadline = time.monotonic() + PATIENCE_S
        while not (result := condition()):
            assert self.process is None or self.process.running, self.process.output
            assert time.monotonic() < deadline, f"waited in vain for {what}"
            self._executor.spin_once(timeout_sec=0.05)
        return result

    def call(self, kind: Any, name: str, request: Any) -> Any:
        """Call a service and return its response."""
        client = self.node.create_client(kind, name)
        self.wait_for(client.service_is_ready, f"the service {name}")
        future = client.call_async(request)
        self.wait_for(future.done, f"the answer of {name}")
        self.node.destroy_client(client)
        return future.result()

    def offer_rekey(self, offered: bool = True) -> None:
        """Have the tunnel's service, or not."""
        if self._service is not None:
            self.node.destroy_service(self._service)
        self._service = self.node.create_service(Rekey, "rekey", self._rekey) if offered else None

    def _rekey(self, request: Rekey.Request, response: Rekey.Response) -> Rekey.Response:
        around = self.around
        around.calls.append(request)
        if request.suite not in around.failing:
            around.suite = request.suite or around.suite
            around.epoch += 1
            around.keys_since_s = self.now_s
            response.success, response.message = True, "New keys are in use."
        else:
            response.message = "The rekey failed."
            kind = around.failing[request.suite]
            self._say("events", kind=kind, suite=request.suite, text=response.message)
        response.suite, response.epoch = around.suite, around.epoch
        return response

    def _say(self, topic: str, **fields: Any) -> None:
        if topic in self.around.silent:
            return
        publisher = self._publishers[topic]
        message = publisher.msg_type(**fields)
        message.stamp = _time(self.now_s)
        publisher.publish(message)

    def start_at(self, now_s: float) -> None:
        """Set the clock, and have the policy begin there with calm surroundings."""
        self.now_s = now_s
        self.around = Surroundings(keys_since_s=now_s)
        self.offer_rekey()
        self.wait_for(
            lambda: self._clock.get_subscription_count() and self._subscribed(), "the policy node"
        )
        self.set_suites()
        del self.decisions[:]

        def begun() -> Any:
            self.now_s += 0.25
            self._tick()
            self._speak()
            return next((d for d in self.decisions if now_s < d.stamp.sec <= self.now_s), None)

        self.wait_for(begun, "the first decision")
        # The node may be ahead of the messages received from it.
        self.now_s = float(int(self.now_s))

    def _subscribed(self) -> bool:
        return all(p.get_subscription_count() for p in self._publishers.values())

    def set_suites(self, *unusable: str) -> None:
        """Say which suites the tunnel can't use."""
        suites = [SuiteInfo(id=suite, available=False) for suite in unusable]
        self._say("suites", suites=suites)

    def _speak(self) -> None:
        around = self.around
        self._say(
            "status",
            suite=around.suite,
            epoch=around.epoch,
            state=around.state,
            key_age_s=self.now_s - around.keys_since_s,
        )
        link = LinkReport(remote_valid=True)
        link.remote.gap_p95_s = around.gap_s
        self._say("link", remote_valid=True, remote=link.remote)
        self._say("battery", voltage_v=around.voltage_v, charge=0.9)
        self._say("thermal", temperature_c=around.temperature_c)
        self._say("vehicle", armed=around.armed)

    def _tick(self) -> None:
        self._clock.publish(Clock(clock=_time(self.now_s)))

    def step(self) -> PolicyDecision:
        """Let a second pass, and return its decision."""
        start_s = self.now_s
        self.now_s += 0.6
        self._tick()
        self._speak()
        due = int(start_s) + 1
        # Only the clock shows the node that the second is over.
        self.now_s = due + 0.2

        def decided() -> PolicyDecision | None:
            self._tick()
            self._executor.spin_once(timeout_sec=0.02)
            return next((d for d in reversed(self.decisions) if d.stamp.sec == due), None)

        decision: PolicyDecision = self.wait_for(decided, f"the decision for {due} s")
        self.now_s = float(due)
        return decision

    def until(self, condition: Callable[[PolicyDecision], Any], limit: int = 30) -> PolicyDecision:
        """Let seconds pass until a decision fulfils a condition."""
        for _ in range(limit):
            decision = self.step()
            if condition(decision):
                return decision
        raise AssertionError(f"no such decision within {limit} s; the last one: {decision}")

    def diagnosis(self) -> Any:
        """Let time pass until the node has published a new status; return it."""
        heard_s = int(self.now_s) + 1  # until then an older status may still arrive
        del self.diagnostics[:]

        def told() -> Any:
            anew = (a for a in self.diagnostics if a.header.stamp.sec >= heard_s)
            return next((s for a in anew for s in a.status if s.values), None)

        while told() is None:
            self.step()
        return told()


def _time(at_s: float) -> Time:
    return Time(sec=int(at_s), nanosec=round(at_s % 1 * 1e9))
