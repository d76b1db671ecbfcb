# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics behind the figures: frontier, regression, boxes, repetitions, and what is a floor."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from pqc_bench.metrics import write_metrics
from pqc_bench.report.analysis import fit, fits, pareto, phi
from pqc_bench.report.build import run_report
from pqc_bench.report.charts import boxes
from pqc_bench.report.intervals import FEWEST_FOR_P95
from pqc_bench.report.run_data import read_run_folder
from report_page import page_of, small_run
from report_run import make_run, raw_cells


def test_pareto_keeps_items_that_no_other_beats_in_everything() -> None:
    assert pareto([(1, 3), (2, 2), (3, 1), (3, 3), (2, 2)], lambda p: p) == [
        (1, 3),
        (2, 2),
        (3, 1),
        (2, 2),
    ]


def test_a_regression_finds_the_exponents_of_its_data() -> None:
    sizes = [(800, 654), (1184, 3309), (261120, 2420), (1357824, 4627), (2249, 7856)]
    times = [10 ** (-1.42) * pk**0.87 * sig**0.31 for pk, sig in sizes]
    found = fit(sizes, times)
    assert (found.constant, found.by_key, found.by_signature) == pytest.approx((-1.42, 0.87, 0.31))
    assert found.r_squared == pytest.approx(1.0)
    assert found.predict_ms(*sizes[0]) == pytest.approx(times[0])


def test_regressions_of_many_samples_are_those_of_each() -> None:
    sizes = [(800, 654), (1184, 3309), (261120, 2420), (1357824, 4627), (2249, 7856)]
    samples = np.random.default_rng(1).lognormal(2.0, 1.0, (len(sizes), 3))
    together = fits(sizes, samples)
    for place in range(3):
        one = fit(sizes, samples[:, place].tolist())
        expected = (one.constant, one.by_key, one.by_signature, one.r_squared)
        assert together[:, place] == pytest.approx(expected)


def test_a_regression_needs_sizes_that_differ() -> None:
    assert fit([(800, 654)] * 9, [float(n) for n in range(1, 10)]) is None


def test_boxes_need_five_values() -> None:
    values = [("A", 4), ("B", 5)]
    data = [
        {"label": label, "value": float(n), "group": "x", "hint": "", "href": "#"}
        for label, count in values
        for n in range(1, count + 1)
    ]
    marks = boxes(data, "ms", ["x"])["datasets"]["marks"]
    assert {mark["label"]: mark["boxed"] for mark in marks} == {"A": False, "B": True}


def test_repetitions_are_one_suite_with_an_interval(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline",), False, repeat=3)
    assert len(list(folder.glob("cells/**/metrics.json"))) == 9
    html = page_of(folder)
    words = re.sub(r"<.*?>", "", html)
    assert "9 of 9 cells" in words
    assert "One sample of each" not in words
    report = run_report(read_run_folder(folder), folder)
    rows = list(csv.DictReader(io.StringIO(report.tables["suites"])))
    assert [row["n"] for row in rows] == ["3", "3", "3"]
    for row in rows:
        low, high = float(row["handshake_low_ms"]), float(row["handshake_high_ms"])
        assert low < float(row["handshake_ms"]) < high
    assert "75 % interval" in words, "three samples do not reach 95 %"


def test_shares_regressions_and_groups_have_the_intervals_of_repetitions(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", scenarios=("baseline",), speed=False, repeat=3)
    tables = run_report(read_run_folder(folder), folder).tables
    (line,) = _rows(tables["regression"])
    for name in ("a", "b", "c", "r_squared"):
        assert float(line[f"{name}_low"]) < float(line[name]) < float(line[f"{name}_high"])
    for row in _rows(tables["phi"]):
        for end in ("", "_low", "_high"):
            share = 100.0 * phi(float(row[f"handshake{end}_ms"]), 60.0)
            assert float(row[f"phi_60_s{end}_percent"]) == pytest.approx(share)
            share = 100.0 * phi(float(row[f"rekey{end}_ms"]), 60.0)
            assert float(row[f"phi_rekey_60_s{end}_percent"]) == pytest.approx(share)
    suites = {row["suite"]: row for row in _rows(tables["suites"])}
    for row in _rows(tables["pareto"]):
        for end in ("", "_low", "_high"):
            name = f"phi_60_s{end}_percent"
            assert row[name] == suites[row["suite"]][name] != ""
    for label in ("level", "family", "signature"):
        for row in _rows(tables[f"handshake_by_{label}"]):
            many = int(row["n"]) >= FEWEST_FOR_P95
            for name in ("mean", "median", "max", *(["p95"] if many else [])):
                low, high = (float(row[f"{name}_{end}_ms"]) for end in ("low", "high"))
                assert low <= float(row[f"{name}_ms"]) <= high
                assert low < high


def test_one_suite_gives_no_factor_and_no_percentile(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    report = run_report(read_run_folder(folder), folder)
    words = re.sub(r"<.*?>", "", report.html)
    assert "The run has one suite, ML-KEM-768 · ML-DSA-65 · AES-256-GCM with " in words
    assert "factor of 1." not in words
    assert "1 suites" not in words
    (level,) = _rows(report.tables["handshake_by_level"])
    assert level["p95_ms"] == ""
    (p95,) = (row for row in _rows(report.tables["scenarios"]) if row["metric"].startswith("p95 "))
    assert p95["baseline"] == ""
    assert "once per suite" in words


def test_the_page_says_how_often_each_suite_was_measured(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline",), False, repeat=2)
    words = page_of(folder)
    assert "2 times per suite" in words
    assert "once per suite" not in words


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_gap_below_the_spacing_of_datagrams_is_a_floor(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["f_rekey"]["longest_gap_ms"] = 2.0
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    report = run_report(read_run_folder(folder), folder)
    assert 'title="below what this machine resolves"><a' in report.html
    assert "≤ 3.12</a>" in report.html
    (row,) = csv.DictReader(io.StringIO(report.tables["rekey_gaps"]))
    assert row["longest_gap_ms"] == "≤3.125"
