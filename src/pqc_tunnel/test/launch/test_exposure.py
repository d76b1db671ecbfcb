# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node that the network reaches reports it in its diagnostics, one on the loopback does not."""

from __future__ import annotations

import json
import subprocess
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
from launch_ros.actions import Node
from rclpy.utilities import get_rmw_implementation_identifier

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import PATIENCE_S, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import make_tunnel_pair, program, tunnel_node
from user_files import closed_graph, open_graph

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start a drone on the loopback and a ground station that listens on every address."""
    pair = make_tunnel_pair()
    drone = tunnel_node("pqc", pair.drone, additional_env=closed_graph())
    gcs = tunnel_node("gcs/pqc", pair.gcs, additional_env=open_graph(pair.folder))
    return (
        LaunchDescription([drone, gcs, launch_testing.actions.ReadyToTest()]),
        {"pair": pair, "drone": drone, "gcs": gcs},
    )


def name_of(node: Node) -> str:
    """Return the check's name of the process of that node."""
    return f"tunnel_node (pid {node.process_details['pid']})"


@unittest.skipUnless(
    get_rmw_implementation_identifier().startswith("rmw_fastrtps"), "profiles are of Fast DDS"
)
class TestExposure(GraphTestCase):
    """Other programs on this machine may be exposed, too: each test looks at one end."""

    def diagnosis(self, hardware_id: str) -> DiagnosticStatus:
        """Return the newest exposure diagnosis of one end."""
        heard = self.graph.listen(DiagnosticArray, "/diagnostics")
        return self.graph.wait_for(
            lambda: next(
                (
                    status
                    for message in heard
                    for status in message.status
                    if status.hardware_id == hardware_id and status.name.endswith("exposure")
                ),
                None,
            ),
            f"the exposure diagnosis of {hardware_id}",
        )

    def test_a_node_that_the_network_reaches_reports_an_error_with_advice(self, gcs: Node) -> None:
        status = self.diagnosis("/gcs/pqc/tunnel")
        self.assertEqual(status.level, DiagnosticStatus.ERROR)
        self.assertTrue(status.message.startswith(name_of(gcs)), status.message)
        self.assertIn("can be reached by any ROS 2 participant", status.message)
        self.assertIn("FASTDDS_DEFAULT_PROFILES_FILE", status.message)

    def test_a_node_on_the_loopback_finds_nothing_to_say_of_itself(self, drone: Node) -> None:
        status = self.diagnosis("/pqc/tunnel")
        about_itself = [v.value for v in status.values if v.value.startswith(name_of(drone))]
        self.assertEqual(about_itself, [])
        self.assertIn("findings", [value.key for value in status.values])

    def test_the_program_finds_the_same(self, drone: Node, gcs: Node) -> None:
        self.diagnosis("/pqc/tunnel")
        self.diagnosis("/gcs/pqc/tunnel")
        checked = subprocess.run(
            [program("pqc"), "exposure", "--json"],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(checked.returncode, 1, checked.stderr)
        report = json.loads(checked.stdout)
        self.assertEqual(report["verdict"], "exposed")
        exposed = {
            (finding["kind"], finding["pid"])
            for finding in report["findings"]
            if finding["severity"] == "exposed"
        }
        # Only root can read the process of a node; for others its sockets are unattributed.
        gcs_pid, drone_pid = (node.process_details["pid"] for node in (gcs, drone))
        self.assertTrue({("dds", gcs_pid), ("dds", 0)} & exposed, checked.stdout)
        self.assertNotIn(("dds", drone_pid), exposed)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """What is left after SIGINT."""

    def test_both_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
