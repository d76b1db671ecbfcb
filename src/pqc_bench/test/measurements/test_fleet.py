# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a fleet costs its ground station, in small, and the verdict on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.fleet.result import judge, lines
from pqc_bench.peers.rounds import spread
from test_rekey_storm import bench


def one(cpu_us: float = 20.0, idle: float = 0.002, lost: int = 0, **flood: Any) -> dict[str, Any]:
    return {
        "cpu_us_per_datagram": cpu_us,
        "relay_us_per_datagram": 16.0,
        "ratio_to_relay": spread([cpu_us / 16.0]),
        "pinned": True,
        "idle_core_share": idle,
        "rss_mib": 12.0,
        "all_sessions_s": 3.0,
        "datagrams": {"sent": 1000, "lost": lost},
        "flood": {
            "sent": 1000,
            "lost": 0,
            "frames_per_s": 500,
            "cpu_us_per_datagram": 18.0,
            **flood,
        },
    }


def result(**fleet: Any) -> dict[str, Any]:
    return {"drones": {"1": one(), "200": one(**fleet)}, "rate": 500}


def test_a_fleet_that_costs_no_more_than_one_drone_passes() -> None:
    assert judge(result(cpu_us=21.9, idle=0.0099)) == []
    assert "200" in "\n".join(lines(result()))


@pytest.mark.parametrize(
    ("fleet", "words"),
    [
        ({"cpu_us": 22.1}, "200 drones: a datagram costs 22.1 us, 20.0 us with 1"),
        ({"idle": 0.011}, "200 drones: 1.10 % of a core without data"),
        ({"lost": 2}, "200 drones: 2 of 1000 lost"),
        ({"frames_per_s": 0}, "200 drones: the flood did not begin"),
    ],
)
def test_says_what_a_fleet_costs_too_much(fleet: dict[str, Any], words: str) -> None:
    assert judge(result(**fleet)) == [words]


def test_names_what_is_lost_beside_the_flood() -> None:
    lost = result()
    lost["drones"]["1"]["flood"]["lost"] = 3
    assert judge(lost) == ["1 drone: 3 of 1000 lost beside the flood"]


def test_fleets_of_two_and_five_drones_are_measured(tmp_path: Path) -> None:
    file = tmp_path / "fleet.json"
    numbers = ("--drones", "2,5", "--rate", "200", "--seconds", "2", "--frames", "200")
    run = bench("fleet", *numbers, "--out", str(file))
    measured = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert measured, run.stdout + run.stderr
    assert set(measured["drones"]) == {"2", "5"}
    for fleet in measured["drones"].values():
        assert fleet["datagrams"]["lost"] == 0
        assert fleet["datagrams"]["sent"] > 0
        assert fleet["flood"]["lost"] == 0
        assert fleet["flood"]["frames_per_s"] > 0
        for figure in ("cpu_us_per_datagram", "relay_us_per_datagram", "rss_mib", "all_sessions_s"):
            assert fleet[figure] > 0.0
    # A busy machine costs more time; no other fault may occur.
    costs = ("a datagram costs", "of a core without data")
    assert all(any(words in fault for words in costs) for fault in measured["faults"])
    assert run.returncode == (1 if measured["faults"] else 0)
