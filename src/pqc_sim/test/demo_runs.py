# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the demonstration as users start it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from pqc_sim.vehicle.parameter_table import TABLE

SOURCES = Path(__file__).parents[1]


def command(*arguments: str) -> list[str]:
    try:
        program = Path(get_package_prefix("pqc_sim")) / "lib" / "pqc_sim" / "demo"
        get_package_prefix("pqc_tunnel")
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the built workspace: {missing}")
    return [str(program), *arguments]


def demo(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the demo to its end, away from any terminal."""
    return subprocess.run(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **environment},
    )


def summary_of(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the results that --json prints."""
    summary: dict[str, Any] = json.loads(run.stdout)
    return summary


@contextmanager
def started(folder: Path, *arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Start the demo in a ROS graph of its own, with its temporary files in a folder."""
    environment = {**os.environ, "TMPDIR": str(folder)}
    del environment["ROS_DOMAIN_ID"]
    options = {"stdout": subprocess.PIPE, "stdin": subprocess.DEVNULL} | options
    with subprocess.Popen(
        command(*arguments), stderr=subprocess.PIPE, text=True, env=environment, **options
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_line(process: subprocess.Popen[str], part: str) -> None:
    assert process.stdout is not None
    assert any(part in line for line in process.stdout), process.communicate()


def assert_all_went_through(summary: dict[str, Any]) -> None:
    """Check that parameters, mission and commands went through, and MAVProxy saw no gap."""
    mission = (SOURCES / "missions" / "box.waypoints").read_text(encoding="utf-8")
    ground = summary["ground_program"]
    assert ground["parameters"] == len(TABLE)
    assert ground["mission_items"] == len(mission.splitlines()) - 1
    assert ground["links_lost"] == 0
    assert ground["fault"] is None
    assert summary["vehicle"]["armed"] and summary["vehicle"]["took_off"]
