# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""MAVROS dies in flight: the diagnostics report it, and launch restarts it if configured."""

from __future__ import annotations

import os
import signal
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
from launch.actions import ExecuteProcess

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import GraphClient
from mavros_package import install_stand_in
from pqc_testing.ports import free_ports
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import make_tunnel_pair, tunnel_node
from user_files import parameter_file

isolate_graph()


def launch_words(**arguments: Any) -> list[str]:
    """Return launch arguments as words of a command line."""
    return [f"{name}:={value}" for name, value in arguments.items()]


@pytest.mark.launch_test
@launch_testing.parametrize("respawn", ["false", "true"])
def generate_test_description(respawn: str) -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends, the drone's with a stand-in for MAVROS."""
    pair = make_tunnel_pair()
    mavros_port, mirror_port = free_ports(2)
    pair.drone["mirror_port"] = mirror_port
    plaintext_port = pair.drone["plaintext_port"]
    words = launch_words(
        params_file=parameter_file(pair.folder, "drone.yaml", pair.drone),
        mirror_port=mirror_port,
        mavros="true",
        gcs_url=f"udp://127.0.0.1:{mavros_port}@127.0.0.1:{plaintext_port}",
        tgt_system=2,
        respawn=respawn,
    )
    prefix = install_stand_in(pair.folder)
    return (
        LaunchDescription(
            [
                tunnel_node("gcs/pqc", pair.gcs),
                ExecuteProcess(
                    cmd=["ros2", "launch", "pqc_tunnel", "drone.launch.py", *words],
                    additional_env={
                        "AMENT_PREFIX_PATH": f"{prefix}:{os.environ['AMENT_PREFIX_PATH']}",
                        "OBEYED_COMMANDS": str(pair.folder / "obeyed.txt"),
                    },
                    output="screen",
                    sigterm_timeout="60",  # its processes may take long to end
                    sigkill_timeout="20",
                ),
                launch_testing.actions.ReadyToTest(),
            ]
        ),
        {"pair": pair, "prefix": prefix},
    )


def processes_of(prefix: Path) -> list[int]:
    """Return the ids of the stand-in's processes."""
    program = str(prefix / "lib" / "mavros" / "mavros_node")
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has ended
        if program in words and "setpriv" not in words[0]:
            found.append(int(process.name))
    return found


class TestMavros(unittest.TestCase):
    """The diagnostics that an operator sees."""

    def setUp(self) -> None:
        self.graph = GraphClient()
        self.addCleanup(self.graph.close)
        self.diagnostics = self.graph.listen(DiagnosticArray, "/diagnostics")

    def companions(self) -> DiagnosticStatus | None:
        """Return the newest diagnosis of the programs that the drone's tunnel depends on."""
        for message in reversed(self.diagnostics):
            for status in message.status:
                if status.name.endswith("companions"):
                    return status
        return None

    def wait_for_level(self, level: bytes) -> str:
        def reached() -> bool:
            newest = self.companions()
            return newest is not None and newest.level == level and "No MAV" in newest.message

        self.graph.wait_for(reached, f"companions at level {level!r}")
        return self.companions().message

    def wait_for_mavlink(self) -> None:
        def flows() -> bool:
            newest = self.companions()
            return newest is not None and newest.message == "MAVLink comes in from this machine."

        self.graph.wait_for(flows, "MAVLink from the stand-in")

    def test_a_mavros_that_dies_is_reported_and_restarted_if_asked_for(
        self, prefix: Path, respawn: str
    ) -> None:
        self.wait_for_mavlink()
        armed = "armed"
        self.graph.wait_for(
            lambda: any(
                pair.key == armed and pair.value == "yes" for pair in self.companions().values
            ),
            "sensing to hear that the vehicle is armed",
        )
        (first,) = processes_of(prefix)
        os.kill(first, signal.SIGKILL)
        if respawn == "true":
            self.graph.wait_for(lambda: processes_of(prefix) not in ([], [first]), "another MAVROS")
            self.diagnostics.clear()
            self.wait_for_mavlink()
        else:
            sentence = self.wait_for_level(DiagnosticStatus.ERROR)
            self.assertIn("while the vehicle is armed", sentence)
            self.assertEqual(processes_of(prefix), [])


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After the shutdown."""

    def test_no_process_is_left(self, prefix: Path) -> None:
        self.assertEqual(processes_of(prefix), [])
