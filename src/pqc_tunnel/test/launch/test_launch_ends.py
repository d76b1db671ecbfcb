# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing outlives `ros2 launch`, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import launch_testing.actions
import pytest
from launch import LaunchDescription
from launch.actions import ExecuteProcess

from pqc_msgs.msg import PolicyDecision

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import PATIENCE_S, GraphTestCase
from pqc_testing.ports import free_ports
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair
from user_files import parameter_file

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Keep launch running; the tests start their own processes."""
    nothing = ExecuteProcess(cmd=["sleep", "infinity"])
    return (
        LaunchDescription([nothing, launch_testing.actions.ReadyToTest()]),
        {"pair": make_tunnel_pair()},
    )


def marked_processes(mark: str) -> list[int]:
    """Return the ids of the processes with a mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"PQC_TEST_MARK={mark}".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue  # it has ended
    return found


class TestLaunchEnds(GraphTestCase):
    """Processes of a drone's end."""

    def check_end_by(self, number: signal.Signals, pair: TunnelPair) -> None:
        (mirror_port,) = free_ports(1)
        changes = {**pair.drone, "mirror_port": mirror_port}
        mark = uuid.uuid4().hex
        launch = subprocess.Popen(
            [
                *("ros2", "launch", "pqc_tunnel", "drone.launch.py"),
                f"params_file:={parameter_file(pair.folder, 'drone.yaml', changes)}",
                f"mirror_port:={mirror_port}",
            ],
            env={**os.environ, "PQC_TEST_MARK": mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(self.kill_all, mark)
        decisions = self.graph.listen(PolicyDecision, "/pqc/decision")
        self.graph.wait_for(lambda: decisions, "the nodes to run")
        launch.send_signal(number)
        launch.wait(PATIENCE_S)
        self.graph.wait_for(lambda: not marked_processes(mark), "every process to end")

    def kill_all(self, mark: str) -> None:
        for process in marked_processes(mark):
            os.kill(process, signal.SIGKILL)

    def test_a_terminated_launch_leaves_no_process(self, pair: TunnelPair) -> None:
        self.check_end_by(signal.SIGTERM, pair)

    def test_a_killed_launch_leaves_no_process(self, pair: TunnelPair) -> None:
        self.check_end_by(signal.SIGKILL, pair)

    def test_an_interrupted_launch_leaves_no_process(self, pair: TunnelPair) -> None:
        self.check_end_by(signal.SIGINT, pair)
