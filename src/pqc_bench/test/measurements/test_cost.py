# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's processes stay within their budget of memory and threads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.cost.budget import BUDGET, DRONE, WHOLE, judge
from test_rekey_storm import bench


def result(**changes: dict[str, Any]) -> dict[str, Any]:
    processes = {
        name: {"rss_mib": most.rss_mib, "threads": most.threads} for name, most in BUDGET.items()
    }
    drone = {"rss_mib": WHOLE.rss_mib, "threads": WHOLE.threads}
    return {"processes": processes | changes, "drone": drone}


def test_what_the_budget_allows_is_no_fault() -> None:
    assert judge(result()) == []
    assert sum(BUDGET[name].threads for name in DRONE) <= WHOLE.threads
    assert sum(BUDGET[name].rss_mib for name in DRONE) <= WHOLE.rss_mib


@pytest.mark.parametrize(
    ("name", "found", "fault"),
    [
        (
            "tunnel_node",
            {"rss_mib": 99.0, "threads": 1},
            "tunnel_node takes 99 MiB of memory",
        ),
        ("drone_nodes", {"rss_mib": 1.0, "threads": 99}, "drone_nodes has 99 threads, more than"),
        ("sensing_node", {"rss_mib": 1.0, "threads": 1}, "sensing_node has no budget"),
    ],
)
def test_a_process_beyond_its_budget_or_without_one_is_a_fault(
    name: str, found: dict[str, Any], fault: str
) -> None:
    (sentence,) = judge(result(**{name: found}))
    assert sentence.startswith(fault)


def test_a_drone_without_its_policy_is_a_fault() -> None:
    measured = result()
    del measured["processes"]["drone_nodes"]
    assert judge(measured) == ["drone_nodes does not run"]


def test_the_drones_processes_are_within_their_budget(tmp_path: Path) -> None:
    file = tmp_path / "cost.json"
    run = bench("cost", "--seconds", "2", "--warm-up", "5", "--out", str(file))
    measured = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert measured, run.stdout + run.stderr
    assert measured["faults"] == []
    assert run.returncode == 0
    assert {*DRONE} <= {*measured["processes"]}
    for found in (*measured["processes"].values(), measured["drone"]):
        assert set(found) == {"rss_mib", "threads", "wakeups_per_s", "core_share"}
        assert all(value > 0.0 for value in found.values())
