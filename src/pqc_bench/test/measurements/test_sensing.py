# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The CPU of sensing, advisor and policy beside a tunnel that flies."""

from __future__ import annotations

import json
from pathlib import Path

from test_rekey_storm import bench


def test_each_node_works_and_the_vehicles_messages_pass(tmp_path: Path) -> None:
    file = tmp_path / "sensing.json"
    run = bench("sensing", "--seconds", "2", "--warm-up", "0", "--out", str(file))
    result = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert result, run.stdout + run.stderr
    assert set(result["cpu_percent"]) == {"sensing", "advisor", "policy"}
    assert all(percent > 0.0 for percent in result["cpu_percent"].values())
    assert result["messages_per_s"] > result["mirrored_per_s"] > 0.0
    assert run.returncode == (1 if result["faults"] else 0)
