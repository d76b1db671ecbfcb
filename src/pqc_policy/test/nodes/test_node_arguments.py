# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ros_graph import NodeProcess, own_graph


@pytest.mark.parametrize(
    ("module", "arguments", "code", "sentence"),
    [
        ("policy_node", ("--", "--strategy", "expert"), 2, "The argument --strategy is unknown; "),
        ("sensing_node", ("--params-file", "/nowhere.yaml"), 2, "can't be read: No such file"),
        ("advisor_node", ("-p", "period_s"), 2, "override rule: '-p period_s'"),
        ("policy_node", ("--bold",), 2, "The ROS arguments can't be used: '--bold'."),
        ("sensing_node", ("-p", "mirror_prt:=1"), 2, "mirror_prt; did you mean mirror_port?"),
        ("advisor_node", ("-p", "colour:=red"), 2, "There is no parameter colour."),
    ],
)
def test_an_unusable_argument_ends_a_node_with_one_sentence(
    module: str, arguments: tuple[str, ...], code: int, sentence: str, tmp_path: Path
) -> None:
    with own_graph(tmp_path):
        process = NodeProcess(module, tmp_path / "output.txt", *arguments)
        assert process.wait() == code
    # rcl itself logs a line beginning with its level.
    lines = [line for line in process.output.splitlines() if not line.startswith("[")]
    assert len(lines) == 1
    assert sentence in lines[0]


@pytest.mark.parametrize(
    ("section", "line", "sentence"),
    [
        ("policy", "stale_s: 3.0", "has no section for /pqc/policy, only for policy; name one "),
        ("/**/policy", "stale_s: -1", ".yaml, section /**/policy: stale_s is -1.0, but must be "),
    ],
)
def test_a_node_names_the_file_and_section_that_it_can_not_use(
    section: str, line: str, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(f'"{section}":\n  ros__parameters:\n    {line}\n')
    with own_graph(tmp_path):
        given = ("-r", "__ns:=/pqc", "--params-file", str(file))
        process = NodeProcess("policy_node", tmp_path / "output.txt", *given)
        assert process.wait() == 2
    (output,) = process.output.splitlines()
    assert sentence in output
    assert str(file) in output


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda file: (file.write_text("{}"), file.chmod(0o666)), "so that others may write it"),
        (os.mkfifo, "it is no regular file"),
    ],
)
def test_a_parameter_file_that_is_none_or_anybodys_is_refused_before_ros_reads_it(
    make: Callable[[Path], object], sentence: str, tmp_path: Path
) -> None:
    make(file := tmp_path / "policy.yaml")
    with own_graph(tmp_path):
        process = NodeProcess("policy_node", tmp_path / "output.txt", "--params-file", str(file))
        assert process.wait() == 2
    (output,) = process.output.splitlines()
    assert output.startswith(f"The parameter file {file} ")
    assert sentence in output


@pytest.mark.parametrize(
    "node",
    [
        *("policy_node", "sensing_node", "advisor_node"),
        *("drone_messenger_node", "ground_messenger_node", "drone_nodes"),
    ],
)
def test_help_imports_no_ros(node: str) -> None:
    program = (
        "import sys\n"
        f"sys.argv = ['{node}', '--help']\n"
        f"from pqc_policy.nodes.entry_points import {node}\n"
        f"assert {node}() == 0\n"
        "assert 'rclpy' not in sys.modules\n"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: ros2 run pqc_policy {node} ")
