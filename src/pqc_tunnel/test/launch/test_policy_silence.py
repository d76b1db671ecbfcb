# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's policy is killed: both ends report it, and its return."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from launch import LaunchDescription
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile

from pqc_msgs.msg import DroneDecision, TunnelEvent, TunnelStatus, VehicleState

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, introduce
from graph_client import LATCHED, GraphTestCase
from mavlink_datagrams import heartbeat, message_of
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair, messengers

isolate_graph()

LOG = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
LOST = "the drone's policy is silent while the vehicle is armed: nothing adapts the suite"
BACK = "the drone's policy decides again"


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends; the test starts the policy."""
    pair = make_tunnel_pair()
    return (
        LaunchDescription([*pair.nodes(), *messengers(), launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


def start_policy() -> subprocess.Popen[bytes]:
    """Start the policy of the drone."""
    program = Path(get_package_prefix("pqc_policy"), "lib", "pqc_policy", "policy_node")
    parameters = Path(get_package_share_directory("pqc_tunnel"), "config", "policy.yaml")
    names = ["-r", "__node:=policy", "-r", "__ns:=/pqc"]
    return subprocess.Popen([str(program), "--ros-args", *names, "--params-file", str(parameters)])


def text_of(datagram: bytes) -> str:
    """Return the text of a STATUSTEXT, else an empty one."""
    return getattr(message_of(datagram), "text", "")


class TestPolicySilence(GraphTestCase):
    """What is seen of a policy that dies in flight and starts again."""

    def setUp(self) -> None:
        self.logs = self.graph.listen(Log, "/rosout", LOG)
        self.diagnostics = self.graph.listen(DiagnosticArray, "/diagnostics")
        self.events = {
            end: self.graph.listen(TunnelEvent, f"{end}/events") for end in ("/pqc", "/gcs/pqc")
        }
        self.vehicle = self.graph.node.create_publisher(VehicleState, "/pqc/vehicle", 10)

    def start_policy(self) -> subprocess.Popen[bytes]:
        policy = start_policy()
        self.addCleanup(policy.wait)
        self.addCleanup(policy.kill)
        return policy

    def wait_for_status(self, end: str, task: str, level: bytes, words: str = "") -> None:
        """Wait for a diagnosis that begins from now on."""
        self.diagnostics.clear()

        def reached() -> bool:
            return any(
                status.name == f"tunnel: {task}"
                and status.hardware_id == f"{end}/tunnel"
                and status.level == level
                and words in status.message
                for message in self.diagnostics
                for status in message.status
            )

        self.graph.wait_for(reached, f"{task} of {end} at level {level!r}")

    def wait_for_event(self, kind: int, text: str) -> None:
        """Wait for one event of this kind at each end, and its line in the log of each."""
        for end, events in self.events.items():
            self.graph.wait_for(
                lambda events=events: any((e.kind, e.text) == (kind, text) for e in events),
                f"the event {kind} of {end}",
            )
            name = f"{end}/tunnel".strip("/").replace("/", ".")
            self.graph.wait_for(
                lambda name=name: any(log.name == name and text in log.msg for log in self.logs),
                f"the line of {end}",
            )

    def test_a_policy_that_is_killed_is_reported_at_both_ends_until_it_is_back(
        self, pair: TunnelPair
    ) -> None:
        statuses = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)
        self.graph.wait_for(lambda: statuses and statuses[-1].encrypted, "the session")
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)
        introduce(drone, ground)
        introduce(ground, drone)
        drone.send(heartbeat())
        self.assertEqual(ground.receive(), heartbeat())
        self.assertEqual(text_of(ground.receive()), "PQC: lattices")  # there is a vehicle
        decisions = self.graph.listen(DroneDecision, "/gcs/pqc/decision")
        policy = self.start_policy()

        def decides() -> bool:
            self.vehicle.publish(VehicleState(armed=True))
            return bool(decisions)

        self.graph.wait_for(decides, "the first decision")
        self.wait_for_status("/gcs/pqc", "encryption", DiagnosticStatus.OK)
        policy.kill()
        self.wait_for_event(TunnelEvent.POLICY_LOST, LOST)
        self.wait_for_status("/pqc", "companions", DiagnosticStatus.ERROR, "nothing adapts")
        self.wait_for_status("/gcs/pqc", "encryption", DiagnosticStatus.WARN, "nothing adapts")
        self.assertEqual(text_of(ground.receive()), "PQC policy silent")

        self.start_policy()
        self.wait_for_event(TunnelEvent.POLICY_BACK, BACK)
        self.wait_for_status("/gcs/pqc", "encryption", DiagnosticStatus.OK)
        self.assertEqual(text_of(ground.receive()), "PQC policy decides again")
        for events in self.events.values():
            kinds = [event.kind for event in events]
            self.assertEqual(kinds.count(TunnelEvent.POLICY_LOST), 1)
            self.assertEqual(kinds.count(TunnelEvent.POLICY_BACK), 1)


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """After both ends were asked to stop."""

    def test_both_ends_end_without_an_error(self, proc_info: Any) -> None:
        """The exit code of both is 0."""
        launch_testing.asserts.assertExitCodes(proc_info)
