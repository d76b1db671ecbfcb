# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's processes stay within their budget of memory, threads and wake-ups."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.cost.budget import BUDGET, DRONE, WHOLE, Most, judge
from test_rekey_storm import bench


def result(**changes: dict[str, Any]) -> dict[str, Any]:
    processes = {name: asdict(most) | changes.get(name, {}) for name, most in BUDGET.items()}
    return {"processes": changes | processes, "drone": asdict(WHOLE)}


def test_what_the_budget_allows_is_no_fault() -> None:
    assert judge(result()) == []
    for figure, most in asdict(WHOLE).items():
        assert sum(asdict(BUDGET[name])[figure] for name in DRONE) <= most


@pytest.mark.parametrize(
    ("name", "found", "fault"),
    [
        ("tunnel_node", {"rss_mib": 39.7}, "tunnel_node has 39.7 MiB of memory, more than 39.6"),
        ("drone_nodes", {"threads": 99}, "drone_nodes has 99 threads, more than 13"),
        ("drone_nodes", {"wakeups_per_s": 55.1}, "drone_nodes has 55.1 wake-ups a second, more"),
        ("sensing_node", asdict(Most(1.0, 1, 1.0)), "sensing_node has no budget"),
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
