# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pqc_sim.pair.tunnel_launch import explain, failure_in

DIED = "[ERROR] [{0}]: process has died [pid 7, exit code 1, cmd '/x/{0} --ros-args']."


def test_the_cause_is_the_last_message_of_the_first_process_that_died() -> None:
    lines = [
        "[INFO] [tunnel_node-1]: process started with pid [7]",
        "[tunnel_node-1] [INFO] [1763.1] [gcs.pqc.tunnel]: listening",
        "[tunnel_node-2] [FATAL] [1763.2] [pqc.tunnel]: There is no suite 'x'.",
        DIED.format("tunnel_node-2"),
        "[vehicle-5] vehicle: something later",
        DIED.format("vehicle-5"),
    ]
    assert explain(lines) == "tunnel_node failed: There is no suite 'x'."


def test_a_message_on_standard_error_is_the_cause_too() -> None:
    lines = [
        "[ground_tap-3] ground_tap: cannot use UDP port 7: Address already in use",
        DIED.format("ground_tap-3"),
    ]
    expected = "ground_tap failed: cannot use UDP port 7: Address already in use"
    assert explain(lines) == expected


def test_a_silent_death_gives_its_exit_code() -> None:
    assert explain([DIED.format("tunnel_node-1")]) == "tunnel_node failed: exit code 1"


def test_a_refused_launch_argument_is_the_cause() -> None:
    line = (
        "[ERROR] [launch]: Caught exception in launch (see debug for traceback): "
        "tap_port:=x is not a port from 1 to 65535."
    )
    assert explain([line]) == "tap_port:=x is not a port from 1 to 65535."


def test_otherwise_the_cause_is_the_last_line() -> None:
    assert explain(["what", ""]) == "the launch ended early: what"
    assert explain([]) == "the launch ended early: no output"


def test_a_launch_that_runs_has_no_failure() -> None:
    lines = ["[tunnel_node-1] [ERROR] [1763.1] [pqc.tunnel]: handshake failed"]
    assert failure_in(lines) == ""
    assert failure_in([*lines, DIED.format("tunnel_node-1")]) == (
        "tunnel_node failed: handshake failed"
    )


def test_a_failure_is_the_cause_rather_than_a_process_that_was_killed() -> None:
    killed = DIED.format("tunnel_node-1").replace("exit code 1", "exit code -9")
    assert failure_in([killed]) == "tunnel_node failed: exit code -9"
    lines = [
        killed,
        "[ground_station-6] ground_station: no answer",
        DIED.format("ground_station-6"),
    ]
    assert failure_in(lines) == "ground_station failed: no answer"
