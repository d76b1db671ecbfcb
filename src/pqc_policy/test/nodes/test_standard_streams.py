# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from ros_graph import Listener, NodeProcess, own_graph

NODES = {"policy_node": "policy", "sensing_node": "sensing", "advisor_node": "advisor"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


@pytest.fixture(scope="module")
def listener(folder: Path) -> Iterator[Listener]:
    with own_graph(folder):
        listener = Listener()
        yield listener
        listener.close()


def reader_that_leaves(stack: ExitStack) -> dict[str, Any]:
    """Return streams into a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    stack.callback(os.close, writing)
    return {"stdout": writing, "stderr": writing}


def closed(_: ExitStack) -> dict[str, Any]:
    def close() -> None:
        for number in range(3):
            os.close(number)

    return {"stdout": None, "stderr": None, "preexec_fn": close}


@pytest.mark.parametrize("streams", [reader_that_leaves, closed])
@pytest.mark.parametrize("module", NODES)
def test_a_node_without_a_reader_publishes_and_ends_normally(
    module: str, streams: Any, listener: Listener, folder: Path
) -> None:
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)

    def updates() -> int:
        mine = (a for a in diagnostics if a.status[0].name.startswith(f"{NODES[module]}: "))
        return sum(1 for array in mine if array.status[0].message != "Node starting up")

    sensors = ("-p", f"sys_root:={folder}", "-p", "power.i2c_bus:=/nowhere")
    with ExitStack() as stack:
        process = NodeProcess(
            module,
            folder / "unused.txt",
            *("-p", "diagnostic_updater.period:=0.2"),
            *(sensors if module == "sensing_node" else ()),
            **streams(stack),
        )

    def still_runs() -> None:
        assert process.running

    try:
        # Each node has logged a missing input by then.
        listener.wait_for(lambda: updates() >= 10, "a published message", still_runs)
        assert process.running
        assert process.stop(signal.SIGINT) == 0
    finally:
        process.close()
    assert process.output == ""


@pytest.mark.parametrize("streams", [reader_that_leaves, closed])
def test_a_bad_parameter_ends_a_node_without_streams_too(streams: Any, folder: Path) -> None:
    with ExitStack() as stack, own_graph(folder):
        process = NodeProcess(
            "policy_node", folder / "unused.txt", "-p", "cells:=99", **streams(stack)
        )
    assert process.wait() == 2
