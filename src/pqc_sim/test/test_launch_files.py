# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file of the demonstration, as a user sees it."""

from __future__ import annotations

import subprocess


def test_every_launch_argument_is_described() -> None:
    shown = subprocess.run(
        ["ros2", "launch", "pqc_sim", "demo.launch.py", "--show-args"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "'suite':" in shown
    assert "no description given" not in shown
