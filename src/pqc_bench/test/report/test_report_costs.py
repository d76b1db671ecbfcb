# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Frontier, Φ and energy, computed once more from raw cells without the report's code."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

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
from report_run import FEW, SCENARIOS, make_run

# Seed 003, medians of table 10 and the CPU of table 11 on four cores.
CORE_W = (4.67 - 4.234) / (4 * (0.906 - 0.768))


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


def test_phi_is_that_of_the_suite_and_energy_that_of_the_drones_work(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    name = "ML-KEM-768 · ML-DSA-65 · ChaCha20-Poly1305"
    (one,) = (option for option in options(whole_cells) if option["name"] == name)
    (phi,) = (row for row in rows_of(whole_report, "phi") if row["suite"] == name)
    assert close(phi["handshake_ms"], one["ms"])
    for seconds in (10, 60, 300, 600, 3600):
        expected = 100.0 * one["ms"] / (1000.0 * seconds + one["ms"])
        assert close(phi[f"phi_{seconds}_s_percent"], expected)
    (energy,) = (row for row in rows_of(whole_report, "energy") if row["suite"] == name)
    assert close(energy["drone_work_ms"], one["drone_ms"])
    assert close(energy["rekey_mj"], CORE_W * one["drone_ms"])
    assert close(energy["flight_j"], 30 * CORE_W * one["drone_ms"] / 1000.0)
    # The computer uses 3.99 W for half an hour.
    assert close(energy["flight_percent"], 3.0 * CORE_W * one["drone_ms"] / (3.99 * 1800.0))


def test_with_a_sensor_energy_is_that_which_a_busy_core_adds(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", suites=FEW, scenarios=SCENARIOS[::2], power_w=4.0)
    for file in folder.glob("cells/**/metrics.json"):
        metrics = json.loads(file.read_text())
        busy = metrics["n_system_drone"]["machine_cpu_percent"]["mean"] / 100.0
        metrics["p_power_energy"]["power_w"]["mean"] = 3.0 + 0.7 * busy * 2
        write_metrics(file, metrics)
    rows = rows_of(run_report(read_run_folder(folder), folder), "energy")
    assert {row["power"] for row in rows} == {"measured"}
    for row in rows:
        assert math.isclose(float(row["rekey_mj"]), 0.7 * float(row["drone_work_ms"]), rel_tol=1e-6)


def test_a_sensor_that_does_not_follow_the_cpu_gives_no_power_of_a_core(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", suites=FEW, scenarios=SCENARIOS[::2], power_w=4.0)
    rows = rows_of(run_report(read_run_folder(folder), folder), "energy")
    assert {row["power"] for row in rows} == {"predicted"}
