# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands with children, and the tunnel nodes among them."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pqc_sim.demo.demo_flights import kill_drone_tunnel
from pqc_sim.pair.tunnel_launch import NODE, launch_command, tunnel_nodes
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import descendants

LIMIT_S = 60.0
PATIENT = "import time; print('here', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {PATIENT}"


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@pytest.mark.parametrize("child", [PATIENT, STUBBORN])
def test_the_end_leaves_no_child_behind(tmp_path: Path, child: str) -> None:
    # The shell waits for its child, and ends when it is interrupted.
    command = ["sh", "-c", 'python3 -c "$1" & wait', "sh", child]
    group = ProcessGroup(command, tmp_path / "log")
    wait_until(lambda: group.output() == ["here"])
    children = descendants(group.pid)
    assert group.running and children
    group.end(LIMIT_S)
    assert not group.running
    wait_until(lambda: all(ended(pid) for pid in children))
    group.end(LIMIT_S)


def test_it_can_be_interrupted_even_if_this_process_ignores_interrupts(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        group = ProcessGroup(["python3", "-c", PATIENT], tmp_path / "log")
    finally:
        signal.signal(signal.SIGINT, before)
    wait_until(lambda: group.output() == ["here"])
    started = time.monotonic()
    group.end(LIMIT_S)
    assert time.monotonic() < started + LIMIT_S / 2


def test_a_command_that_ignores_the_interrupt_is_killed(tmp_path: Path) -> None:
    group = ProcessGroup(["python3", "-c", STUBBORN], tmp_path / "log")
    wait_until(lambda: group.output() == ["here"])
    group.end(0.1)
    assert not group.running


def test_exit_code_output_and_environment_are_the_commands_own(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo $NAME; echo wrong >&2; exit 3"]
    group = ProcessGroup(command, tmp_path / "log", {"NAME": "ours"})
    assert group.wait(LIMIT_S) == 3
    assert group.output() == ["ours", "wrong"]


def test_a_command_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match=r"^the command 'no-such-command' isn't on the path$"):
        ProcessGroup(["no-such-command"], tmp_path / "log")


def test_a_launch_takes_its_arguments_by_name() -> None:
    command = launch_command("some_package", "some.launch.py", {"port": 7, "out": Path("/x")})
    assert command == ["ros2", "launch", "some_package", "some.launch.py", "port:=7", "out:=/x"]


def test_the_nodes_of_both_ends_are_found_and_the_drones_can_be_killed(tmp_path: Path) -> None:
    node = tmp_path / NODE
    node.write_text("#!/bin/sh\nread line\n", encoding="ascii")
    node.chmod(0o755)
    namespaces = {"drone": "/pqc", "gcs": "/gcs/pqc", "other": "/elsewhere"}
    processes = {
        end: subprocess.Popen(
            [node, "--ros-args", "-r", f"__ns:={namespace}"], stdin=subprocess.PIPE
        )
        for end, namespace in namespaces.items()
    }
    try:
        expected = {end: processes[end].pid for end in ("drone", "gcs")}
        wait_until(lambda: tunnel_nodes(os.getpid()) == expected)
        assert kill_drone_tunnel(os.getpid())
        assert processes["drone"].wait(LIMIT_S) < 0
        assert processes["gcs"].poll() is None
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()
