# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Frontier, Φ and energy, computed once more from raw cells without the report's code."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from pqc_bench.metrics import write_metrics
from pqc_bench.report.build import Report, run_report
from pqc_bench.report.run_data import read_run_folder
from report_cells import (
    Metrics,
    assert_row,
    close,
    in_scenario,
    name_of,
    phi_percent,
    rows_of,
    wire_bytes,
)
from report_run import FEW, SCENARIOS, make_run, raw_cells


def options(cells: list[Metrics]) -> list[dict[str, Any]]:
    """Return the suites of the baseline, each with its figures."""
    return [
        {
            "name": name_of(cell),
            "level": cell["b_crypto_identity"]["level"],
            "ms": cell["d_handshake"]["total_ms"],
            "drone_ms": cell["e_primitives"]["encapsulate_ms"] + cell["e_primitives"]["verify_ms"],
            "bytes": wire_bytes(cell),
        }
        for cell in in_scenario(cells, "baseline")
    ]


def beaten(one: dict[str, Any], other: dict[str, Any], *costs: str) -> bool:
    """Tell whether the other is nowhere dearer, and somewhere cheaper."""
    pairs = [(one[cost], other[cost]) for cost in costs]
    return all(b <= a for a, b in pairs) and any(b < a for a, b in pairs)


def test_the_frontier_holds_what_nothing_beats(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    known = [{**option, "weakness": -option["level"]} for option in options(whole_cells)]
    costs = ("ms", "weakness", "bytes")
    expected = {
        one["name"]: one for one in known if not any(beaten(one, other, *costs) for other in known)
    }
    rows = rows_of(whole_report, "pareto")
    assert {row["suite"] for row in rows} == set(expected)
    assert len(rows) < len(known)
    for row in rows:
        one = expected[row["suite"]]
        assert_row(
            row,
            {
                "suite": one["name"],
                "level": f"L{one['level']}",
                "handshake_ms": one["ms"],
                "wire_bytes": one["bytes"],
                "phi_60_s_percent": phi_percent(one["ms"], 60.0),
            },
        )


def test_phi_is_that_of_the_suite(whole_report: Report, whole_cells: list[Metrics]) -> None:
    name = "ML-KEM-768 · ML-DSA-65 · ChaCha20-Poly1305"
    (one,) = (option for option in options(whole_cells) if option["name"] == name)
    (phi,) = (row for row in rows_of(whole_report, "phi") if row["suite"] == name)
    assert close(phi["handshake_ms"], one["ms"])
    for seconds in (10, 60, 300, 600, 3600):
        expected = 100.0 * one["ms"] / (1000.0 * seconds + one["ms"])
        assert close(phi[f"phi_{seconds}_s_percent"], expected)


def test_energy_is_what_the_drones_work_adds_at_the_measured_power_of_a_core(
    tmp_path: Path,
) -> None:
    folder = make_run(tmp_path / "run", suites=FEW, scenarios=SCENARIOS[::2], power_w=4.0)
    for file in folder.glob("cells/**/metrics.json"):
        metrics = json.loads(file.read_text())
        busy = metrics["n_system_drone"]["machine_cpu_percent"]["mean"] / 100.0
        metrics["p_power_energy"]["power_w"]["mean"] = 3.0 + 0.7 * busy * 2
        write_metrics(file, metrics)
    cells = options(raw_cells(folder))
    whole_w = median(
        cell["p_power_energy"]["power_w"]["mean"]
        for cell in in_scenario(raw_cells(folder), "baseline")
    )
    report = run_report(read_run_folder(folder), folder)
    rows = rows_of(report, "energy")
    assert " mJ to a 30-minute flight (at 0.7 W for a busy core, hwmon)" in report.html
    assert len(rows) == len(cells)
    for row in rows:
        (one,) = (option for option in cells if option["name"] == row["suite"])
        assert close(row["drone_work_ms"], one["drone_ms"])
        for name, expected in (
            ("rekey_mj", 0.7 * one["drone_ms"]),
            ("flight_j", 30 * 0.7 * one["drone_ms"] / 1000.0),
            ("flight_percent", 3.0 * 0.7 * one["drone_ms"] / (whole_w * 1800.0)),
        ):
            assert math.isclose(float(row[name]), expected, rel_tol=1e-6), name


@pytest.mark.parametrize(
    ("power_w", "why"),
    [
        (None, "No cell has a power sensor."),
        (4.0, "No sensor shows what a busy core adds."),  # it doesn't follow the CPU
    ],
)
def test_without_a_measurement_no_energy_is_stated(
    tmp_path: Path, power_w: float | None, why: str
) -> None:
    folder = make_run(tmp_path / "run", suites=FEW, scenarios=SCENARIOS[::2], power_w=power_w)
    report = run_report(read_run_folder(folder), folder)
    assert not rows_of(report, "energy")
    assert why in report.html
    assert " mJ to a 30-minute flight" not in report.html
