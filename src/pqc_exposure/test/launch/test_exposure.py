# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node that the network reaches reports it in its diagnostics, one on the loopback does not."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from ament_index_python.packages import get_package_prefix, get_package_share_path
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from launch import LaunchDescription
from launch_ros.actions import Node
from pqc_testing.ros_graph import isolate_graph
from rclpy.utilities import get_rmw_implementation_identifier

sys.path.insert(0, str(get_package_share_path("pqc_tunnel") / "test" / "launch"))

from graph_client import PATIENCE_S, GraphTestCase
from user_files import closed_graph, open_graph, parameter_file

isolate_graph()

PREFIX = Path(get_package_prefix("pqc_exposure"))


def exposure_node(namespace: str, file: Path, environment: dict[str, str]) -> Node:
    """Return the launch action of the node beside a tunnel with that parameter file."""
    return Node(
        package="pqc_exposure",
        executable="exposure_node",
        name="exposure",
        namespace=namespace,
        parameters=[str(file)],
        additional_env=environment,
        output="screen",
    )


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start a node on the loopback and one that listens on every address."""
    keeper = tempfile.TemporaryDirectory()
    folder = Path(keeper.name)
    drone = exposure_node("pqc", parameter_file(folder, "drone.yaml", {}), closed_graph())
    gcs = exposure_node("gcs/pqc", parameter_file(folder, "gcs.yaml", {}), open_graph(folder))
    return (
        LaunchDescription([drone, gcs, launch_testing.actions.ReadyToTest()]),
        {"keeper": keeper, "drone": drone, "gcs": gcs},
    )


def name_of(node: Node) -> str:
    """Return the check's name of the process of that node."""
    return f"exposure_node (pid {node.process_details['pid']})"


@unittest.skipUnless(
    get_rmw_implementation_identifier().startswith("rmw_fastrtps"), "profiles are of Fast DDS"
)
class TestExposure(GraphTestCase):
    """Other programs on this machine may be exposed, too: each test looks at one node."""

    def diagnosis(self, hardware_id: str) -> DiagnosticStatus:
        """Return the newest exposure diagnosis of one node."""
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
        status = self.diagnosis("/gcs/pqc/exposure")
        self.assertEqual(status.level, DiagnosticStatus.ERROR)
        self.assertTrue(status.message.startswith(name_of(gcs)), status.message)
        self.assertIn("can be reached by any ROS 2 participant", status.message)
        self.assertIn("FASTDDS_DEFAULT_PROFILES_FILE", status.message)

    def test_a_node_on_the_loopback_finds_nothing_to_say_of_itself(self, drone: Node) -> None:
        status = self.diagnosis("/pqc/exposure")
        about_itself = [v.value for v in status.values if v.value.startswith(name_of(drone))]
        self.assertEqual(about_itself, [])
        self.assertIn("findings", [value.key for value in status.values])

    def test_the_program_finds_the_same(self, drone: Node, gcs: Node) -> None:
        self.diagnosis("/pqc/exposure")
        self.diagnosis("/gcs/pqc/exposure")
        checked = subprocess.run(
            [str(PREFIX / "bin" / "pqc-exposure"), "--json"],
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
        gcs_pid, drone_pid = (node.process_details["pid"] for node in (gcs, drone))
        self.assertIn(("dds", gcs_pid), exposed, checked.stdout)
        self.assertNotIn(("dds", drone_pid), exposed)

    def test_an_allowed_socket_of_another_form_is_one_sentence(self) -> None:
        ended = subprocess.run(
            [
                *(str(PREFIX / "lib" / "pqc_exposure" / "exposure_node"), "--ros-args"),
                *("-p", 'exposure.allow:=["mavlink-routerd:port"]'),
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(
            ended.stderr,
            'exposure_node: Parameter exposure.allow: "mavlink-routerd:port" isn\'t of the form '
            "PROGRAM, PROGRAM:PORT, PROGRAM:PORT/udp or PROGRAM:PORT/tcp.\n",
        )


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """Nothing is left after SIGINT."""

    def test_both_nodes_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
