# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's nodes in one process: what it has, what it loads, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ros_graph import PATIENCE_S, Listener, NodeProcess, own_graph

from pqc_msgs.msg import PolicyDecision

NAMES = {"sensing", "advisor", "policy", "messenger"}
# Only a lab, a build or a replay needs these.
NEEDLESS = {"em", "lark", "lxml", "onnxruntime", "pymavlink", "rosbags", "scipy", "xgboost"}


def test_the_nodes_have_their_names_and_each_takes_its_section(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "/**/policy: {ros__parameters: {settle_s: 0.1}}\n"
        f"/**/sensing: {{ros__parameters: {{sys_root: {tmp_path}}}}}\n"
    )
    with own_graph(tmp_path):
        process = NodeProcess(
            "drone_nodes",
            tmp_path / "log.txt",
            *("-r", "__ns:=/pqc", "--params-file", str(file)),
        )
        listener = Listener()
        decisions = listener.subscribe(PolicyDecision, "/pqc/decision")
        try:
            listener.wait_for(lambda: decisions, "a decision")
            found = listener.node.get_node_names_and_namespaces()
            assert {name for name, namespace in found if namespace == "/pqc"} == NAMES
        finally:
            listener.close()
            process.stop()
            process.close()
    assert "nothing for /pqc/messenger" not in process.output
    assert f"no thermal zone below {tmp_path}" in process.output


@pytest.mark.parametrize(
    "failing",
    [
        "pqc_policy.nodes.advisor_node.AdvisorNode._tick",
        "pqc_policy.nodes.vehicle_publisher.VehiclePublisher.tick",
        "pqc_policy.nodes.messengers.drone_messenger_node.DroneMessenger.step",
        "pqc_policy.nodes.power_publisher.PowerPublisher._tick",
    ],
    ids=("executor", "pulse", "poll", "reads"),
)
def test_a_failure_of_one_node_ends_the_process_so_that_launch_starts_it_again(
    failing: str, tmp_path: Path
) -> None:
    program = (
        "from unittest.mock import patch\n"
        "from pqc_policy.nodes.entry_points import drone_nodes\n"
        f"with patch('{failing}', side_effect=RuntimeError('planted')):\n"
        "    raise SystemExit(drone_nodes())\n"
    )
    with own_graph(tmp_path):
        ended = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert ended.returncode == 1
    assert "RuntimeError: planted" in ended.stderr


def test_no_node_loads_what_a_flight_does_not_use(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from unittest.mock import patch\n"
        "from pqc_policy.nodes.entry_points import drone_nodes\n"
        "with patch('pqc_policy.nodes.process.pulse.Pulse.run'):\n"
        "    drone_nodes()\n"
        "print(*{name.partition('.')[0] for name, module in sys.modules.items() if module})\n"
    )
    words = [sys.executable, "-c", program]
    with own_graph(tmp_path):
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert "rclpy" in loaded
    assert NEEDLESS.isdisjoint(loaded)
