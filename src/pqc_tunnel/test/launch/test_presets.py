# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A preset wins over the parameter file, and leaves what it does not name."""

from __future__ import annotations

import socket
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import BatteryPrediction, PolicyDecision, TunnelStatus

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import LATCHED, PATIENCE_S, GraphTestCase
from mavlink_datagrams import vehicle_traffic
from pqc_testing.ports import LOOPBACK, free_ports
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import SUITE
from user_files import launch_end

isolate_graph()

CELLS = 6
CELL_MV = 3000


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start the drone's policy with the preset of a pack of six cells."""
    (mirror_port,) = free_ports(1)
    policy = launch_end("policy", "preset:=hexarotor_6s", f"mirror_port:={mirror_port}")
    return (
        LaunchDescription([policy, launch_testing.actions.ReadyToTest()]),
        {"mirror_port": mirror_port},
    )


class TestPresets(GraphTestCase):
    """While the three nodes run, without MAVROS and with a mirror and a session of the test's."""

    def test_an_empty_pack_of_six_cells_is_an_emergency(self, mirror_port: int) -> None:
        batteries = self.graph.listen(BatteryPrediction, "/pqc/battery", qos_profile_sensor_data)
        decisions = self.graph.listen(PolicyDecision, "/pqc/decision")
        status = self.graph.node.create_publisher(TunnelStatus, "/pqc/status", LATCHED)
        mirror = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(mirror.close)
        nearly_empty = vehicle_traffic(armed=True, cell_mv=CELL_MV, cells=CELLS)

        def publish() -> None:
            stamp = self.graph.node.get_clock().now().to_msg()
            state = TunnelStatus.STATE_ESTABLISHED
            status.publish(TunnelStatus(stamp=stamp, state=state, encrypted=True, suite=SUITE))
            mirror.sendto(nearly_empty, (LOOPBACK, mirror_port))

        timer = self.graph.node.create_timer(0.5, publish)
        self.addCleanup(self.graph.node.destroy_timer, timer)
        self.graph.wait_for(
            lambda: any(d.action == PolicyDecision.DOWN_TO_LIGHTEST for d in decisions),
            "the lightest suite at 18 V",
        )
        self.assertEqual({battery.cells for battery in batteries}, {CELLS})

    def test_a_preset_that_does_not_exist_is_one_sentence(self) -> None:
        for end in ("drone", "policy"):
            with self.subTest(end):
                ended = subprocess.run(
                    ["ros2", "launch", "pqc_tunnel", f"{end}.launch.py", "preset:=octorotor"],
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE_S,
                    check=False,
                )
                output = ended.stdout + ended.stderr
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn("preset: 'octorotor' is neither a file that can be read nor", output)
                self.assertIn("hexarotor_6s", output)
                self.assertNotIn("_node-", output)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_all_nodes_end_without_an_error(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
