# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A second tunnel on the same topics, and simulated time without a clock, are reported."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from launch import LaunchDescription
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile

from pqc_msgs.msg import TunnelStatus

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import make_tunnel_pair, tunnel_node

isolate_graph()

# Nodes keep their newest messages for late subscribers.
LOG = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start a drone and, by mistake, its ground station under the same names."""
    pair = make_tunnel_pair()
    nodes = (
        tunnel_node("pqc", pair.drone | {"use_sim_time": True}),
        tunnel_node("pqc", pair.gcs),
    )
    return (
        LaunchDescription([*nodes, launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


class TestGraphWatch(GraphTestCase):
    """Both ends under the name /pqc/tunnel, the drone's with simulated time."""

    def test_both_faults_are_in_log_and_diagnostics_and_the_tunnel_works(self) -> None:
        logs = self.graph.listen(Log, "/rosout", LOG)
        arrays = self.graph.listen(DiagnosticArray, "/diagnostics")

        def warned(words: str) -> bool:
            return any(
                status.level == DiagnosticStatus.WARN and words in status.message
                for array in arrays
                for status in array.status
                if status.name == "tunnel: graph"
            )

        self.graph.wait_for(lambda: warned("two tunnels on one ROS graph"), "a second tunnel")
        self.graph.wait_for(lambda: warned("no /clock arrives"), "a missing clock")
        statuses = self.graph.listen(TunnelStatus, "/pqc/status", LATCHED)
        for role in (TunnelStatus.ROLE_DRONE, TunnelStatus.ROLE_GCS):
            self.graph.wait_for(
                lambda role=role: any(s.encrypted and s.role == role for s in statuses),
                "both ends to be encrypted",
            )
        self.assertTrue(all(not s.likely_cause for s in statuses if s.encrypted))
        for words in ("also published by another /pqc/tunnel", "no /clock arrives"):
            self.graph.wait_for(
                lambda words=words: any(words in log.msg for log in logs), "a warning in the log"
            )


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_both_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
