# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's own policy and sensing nodes carry out what the ground asks for."""

from __future__ import annotations

import os
import signal
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
from launch import LaunchDescription
from launch_ros.actions import Node
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import DroneDecision, HeldSuite, PolicyDecision, TunnelStatus, VehicleState
from pqc_msgs.srv import CapturePower, HoldSuite

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import OTHER_SUITE, SUITE, TunnelPair, make_tunnel_pair, messengers

isolate_graph()

# Without a hold the policy would use SUITE: it goes up there within seconds.
POLICY = {
    "required_inputs": ["link", "armed", "session"],
    "ceiling": SUITE,
    "upgrade_stable_s": 1.0,
    "cooldown_s": 0.5,
    "rekey_limit": 100,
}


def drone_node(executable: str, **parameters: Any) -> Node:
    """Return the launch action of a node of pqc_policy, which starts again after its end."""
    return Node(
        package="pqc_policy",
        executable=executable,
        name=executable.removesuffix("_node"),
        namespace="pqc",
        parameters=[parameters],
        output="screen",
        sigterm_timeout="30",
        respawn=True,
    )


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends, and policy and sensing of the drone, whose sensor of power is a file."""
    pair = make_tunnel_pair()
    sensor = pair.folder / "sys/class/hwmon/hwmon0"
    sensor.mkdir(parents=True)
    (sensor / "name").write_text("ina219\n")
    (sensor / "power1_input").write_text("4500000\n")
    sensing = drone_node(
        "sensing_node",
        sys_root=str(pair.folder / "sys"),
        capture_dir=str(pair.folder / "captures"),
    )
    policy = drone_node("policy_node", state_dir=str(pair.folder / "state"), **POLICY)
    ready = launch_testing.actions.ReadyToTest()
    return (
        LaunchDescription([*pair.nodes(), *messengers(), policy, sensing, ready]),
        {"pair": pair, "policy": policy},
    )


class TestGroundRequests(GraphTestCase):
    """While all nodes run; the vehicle is disarmed."""

    def setUp(self) -> None:
        self.statuses = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)
        self.told = self.graph.listen(DroneDecision, "/gcs/pqc/decision")
        self.decisions = self.graph.listen(PolicyDecision, "/pqc/decision")
        vehicle = self.graph.node.create_publisher(
            VehicleState, "/pqc/vehicle", qos_profile_sensor_data
        )

        def publish() -> None:
            stamp = self.graph.node.get_clock().now().to_msg()
            vehicle.publish(VehicleState(stamp=stamp, armed=False))

        timer = self.graph.node.create_timer(0.5, publish)
        self.addCleanup(self.graph.node.destroy_timer, timer)
        self.await_suite(SUITE)
        self.graph.wait_for(lambda: self.told, "a decision on the ground")

    def await_suite(self, suite: str) -> None:
        def used() -> bool:
            return bool(self.statuses) and self.statuses[-1].suite == suite

        self.graph.wait_for(used, f"the suite {suite}")

    def answered(self, kind: Any, name: str, request: Any, until: str) -> Any:
        """Call a service of the ground until its answer has these words; return the answer."""

        def asked() -> Any:
            response = self.graph.call(kind, name, request)
            return response if until in response.message else None

        return self.graph.wait_for(asked, until)

    def test_a_hold_holds_and_expires(self) -> None:
        """The policy goes back to the suite that it would have used."""
        holds = self.graph.listen(HeldSuite, "/pqc/held_suite", LATCHED)
        request = HoldSuite.Request(suite=OTHER_SUITE, seconds=12.0)
        answer = self.answered(HoldSuite, "/gcs/pqc/hold_suite", request, "The policy holds")
        assert (answer.success, answer.message) == (
            True,
            f"The policy holds {OTHER_SUITE} for 12 s.",
        )
        self.await_suite(OTHER_SUITE)
        self.graph.wait_for(
            lambda: self.told[-1].rule == "operator" and self.told[-1].from_suite == OTHER_SUITE,
            "the hold in the decision on the ground",
        )
        self.await_suite(SUITE)
        (held_s,) = (in_s(hold.stamp) for hold in holds if hold.seconds == request.seconds)
        changes = [d for d in self.decisions if d.to_suite and in_s(d.stamp) > held_s]
        assert [d.rule for d in changes if d.to_suite == OTHER_SUITE][:1] == ["operator"]
        back = next(d for d in changes if d.to_suite == SUITE)
        assert back.rule == "upgrade"
        assert in_s(back.stamp) >= held_s + request.seconds
        self.graph.wait_for(lambda: self.told[-1].rule != "operator", "the end of the hold")

    def test_a_hold_can_be_released(self) -> None:
        """An empty suite does so."""
        request = HoldSuite.Request(suite=OTHER_SUITE, seconds=3600.0)
        self.answered(HoldSuite, "/gcs/pqc/hold_suite", request, "The policy holds")
        self.await_suite(OTHER_SUITE)
        answer = self.graph.call(HoldSuite, "/gcs/pqc/hold_suite", HoldSuite.Request())
        assert (answer.success, answer.message) == (True, "The policy decides again.")
        self.await_suite(SUITE)

    def test_a_hold_outlives_the_policy(self, policy: Node) -> None:
        """The policy that takes its place holds the suite, and the ground sees it."""
        request = HoldSuite.Request(suite=OTHER_SUITE, seconds=3600.0)
        self.answered(HoldSuite, "/gcs/pqc/hold_suite", request, "The policy holds")
        self.await_suite(OTHER_SUITE)
        details = policy.process_details
        assert details is not None
        first = details["pid"]
        os.kill(first, signal.SIGKILL)
        self.graph.wait_for(lambda: policy.process_details["pid"] != first, "another policy")
        self.told.clear()
        self.decisions.clear()
        # Without the hold it would go up again after a second of calm.
        self.graph.wait_for(lambda: len(self.decisions) > 4, "decisions of another policy")
        assert {d.inputs.held_suite for d in self.decisions} == {OTHER_SUITE}
        assert {d.from_suite for d in self.decisions if d.from_suite} == {OTHER_SUITE}
        self.graph.wait_for(
            lambda: self.told and self.told[-1].rule == "operator", "the hold on the ground"
        )
        self.graph.call(HoldSuite, "/gcs/pqc/hold_suite", HoldSuite.Request())
        self.await_suite(SUITE)

    def test_what_the_policy_refuses_is_told_on_the_ground(self) -> None:
        """The policy's own sentence comes back, and the suite stays."""
        request = HoldSuite.Request(suite="cs-hqc192-aesgcm-mldsa65", seconds=60.0)
        answer = self.answered(HoldSuite, "/gcs/pqc/hold_suite", request, "The policy may not")
        assert (answer.success, answer.message) == (
            False,
            "The policy may not choose cs-hqc192-aesgcm-mldsa65.",
        )
        assert self.statuses[-1].suite == SUITE

    def test_a_capture_of_power_is_written_on_the_drone(self, pair: TunnelPair) -> None:
        """The ground gets its figures and the name of its file."""
        request = CapturePower.Request(seconds=1.0, name="hover.csv", rate_hz=100.0)
        answer = self.answered(CapturePower, "/gcs/pqc/capture_power", request, "samples")
        assert (answer.success, answer.file) == (True, "hover.csv"), answer.message
        assert answer.samples > 1
        assert answer.mean_w == pytest.approx(4.5, abs=0.01)
        lines = (pair.folder / "captures/hover.csv").read_text().splitlines()
        assert len(lines) > answer.samples


def in_s(stamp: Any) -> float:
    """Return a time in seconds."""
    return float(stamp.sec) + stamp.nanosec / 1e9


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """After all nodes were asked to stop."""

    def test_all_nodes_end_without_an_error(self, proc_info: Any) -> None:
        """The exit code of all is 0, but for the policy that was killed."""
        codes = {info.process_name: info.returncode for info in proc_info}
        assert set(codes.values()) <= {0, -signal.SIGKILL}, codes
