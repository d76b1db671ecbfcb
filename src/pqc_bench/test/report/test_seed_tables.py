# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The published tables, checked against values that were typed from the papers by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.report.build import run_report
from pqc_bench.report.run_data import read_run_folder
from pqc_bench.report.seeds_data import seed_tables
from report_run import make_run

PAIRS = {
    ("000", "tier"): (1, {}),
    ("002", "network"): (4, {"loss (%)": 5.551, "throughput (Mb/s)": 31.299}),
    ("002", "operations"): (3, {"handshake (ms)": 714.812, "sign (ms)": 47.839}),
    ("002", "resources"): (4, {"power (W)": 17.302, "energy (J)": 778.563, "most CPU (%)": 322.4}),
    ("002", "power"): (13, {"baseline (W)": 55.594, "light (W)": 56.136, "heavy (W)": 60.364}),
    ("003", "power"): (9, {"baseline (W)": 38.344, "light (W)": 38.87, "heavy (W)": 41.812}),
    ("003", "family_range"): (4, {"power, least (W)": 17.064, "most (W)": 17.414}),
    ("003", "family_suites"): (11, {"handshake (ms)": 2617.95}),
    ("003", "representative"): (3, {"cryptography (ms)": 558.21}),
    ("003", "usage"): (3, {"CPU (%)": 246.0, "memory (MiB)": 1639.0}),
    ("003", "trend"): (3, {"throughput (Mb/s)": 22.994, "loss (%)": 4.989}),
    ("003", "best_worst"): (3, {"worst": 274.812, "best": 260.093}),
    ("004", "level_range"): (3, {"suites": 29, "throughput, most (Mb/s)": None}),
}
# Seed, suite, scenario: handshake, loss, round trip, power.
SPOTS = [
    ("002", "ML-KEM-512 · ML-DSA-44", "baseline", (521.9, 0.01, 14.44, 4.202)),
    ("002", "HQC-256 · ML-DSA-87", "light", (345.28, 3.23, 61.16, 4.243)),
    ("002", "McEliece-8192128 · SPHINCS+-256f", "heavy", (1637.19, 3.3, 45.14, 4.67)),
    ("003", "ML-KEM-512 · ML-DSA-44", "baseline", (14.29, 0.01, 14.44, 4.202)),
    ("003", "McEliece-460896 · ML-DSA-65", "baseline", (293.67, 1.49, 18.56, 4.349)),
    ("003", "ML-KEM-1024 · Falcon-1024", "heavy", (15.67, 6.41, 35.07, 4.671)),
    ("004", "FrodoKEM-640-AES · ML-DSA-44", "baseline", (652.129, 0.886, 18.958, 4.159)),
    ("004", "HQC-256 · ML-DSA-87", "light", (345.277, 3.226, 61.155, 4.243)),
]


def table(seed: str, name: str) -> Any:
    (found,) = (one for one in seed_tables() if (one.seed, one.id) == (seed, name))
    return found


def test_published_tables_are_whole_and_name_their_source() -> None:
    tables = seed_tables()
    assert len(tables) >= 38
    assert {one.seed for one in tables} == {"000", "001", "002", "003", "004"}
    for one in tables:
        assert all(len(row) == len(one.columns) for row in one.rows)
        assert one.source and one.place and one.setting


@pytest.mark.parametrize(("seed", "name"), PAIRS, ids=lambda value: str(value))
def test_columns_sum_up_to_what_the_papers_columns_do(seed: str, name: str) -> None:
    rows, sums = PAIRS[seed, name]
    found = table(seed, name)
    assert len(found.rows) == rows
    for column, total in sums.items():
        if total is not None:
            place = found.columns.index(column)
            assert sum(row[place] for row in found.rows) == pytest.approx(total, abs=1e-6)


@pytest.mark.parametrize(("seed", "suite", "scenario", "figures"), SPOTS)
def test_figures_of_the_scenarios_are_those_of_the_papers(
    seed: str, suite: str, scenario: str, figures: tuple[float, ...]
) -> None:
    found = table(seed, "detector")
    (row,) = (
        row
        for row in found.rows
        if row[1] == scenario and re.sub(r" · (AES|ChaCha)[^·]*$", "", row[0]) == suite
    )
    assert found.columns[2:6] == ["handshake (ms)", "loss (%)", "round trip (ms)", "power (W)"]
    assert tuple(row[2:6]) == figures


def test_every_suite_of_a_paper_is_there_once_in_each_scenario() -> None:
    counts = {"002": (13, 13, 13), "003": (13, 9, 9), "004": (4, 4, 4)}
    for seed, expected in counts.items():
        keys = [(row[0], row[1]) for row in table(seed, "detector").rows]
        assert len(set(keys)) == len(keys)
        of = [sum(key[1] == name for key in keys) for name in ("baseline", "light", "heavy")]
        assert tuple(of) == expected


def test_the_papers_correlation_of_tier_and_handshake() -> None:
    assert table("000", "tier").rows[0][0] == 0.94


def test_every_published_table_stands_on_the_page(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", speed=True)
    html = run_report(read_run_folder(folder), folder).html
    shown = re.findall(r"<cite>(.*?)</cite>, (.*?)\. ", html)
    missing = {(one.source, one.place) for one in seed_tables()} - set(shown)
    assert not missing
