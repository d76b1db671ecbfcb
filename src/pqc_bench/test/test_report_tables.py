# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tables' numbers, computed once more from the raw cells and without the report's code."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

import pytest
from pqc_bench.report.build import Report, run_report
from pqc_bench.report.run_data import read_run_folder
from report_run import FEW, SCENARIOS, make_run, raw_cells

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return run_report(read_run_folder(folder), folder)


@pytest.fixture(scope="module")
def cells(folder: Path) -> list[dict[str, Any]]:
    return raw_cells(folder)


def rows_of(report: Report, table: str) -> Rows:
    return list(csv.DictReader(io.StringIO(report.tables[table])))


def in_scenario(cells: list[dict[str, Any]], scenario: str) -> list[dict[str, Any]]:
    return [cell for cell in cells if cell["a_run_context"]["scenario"] == scenario]


def handshakes(cells: list[dict[str, Any]]) -> list[float]:
    return [cell["d_handshake"]["total_ms"] for cell in cells]


def close(told: str, expected: float) -> bool:
    return math.isclose(float(told), expected, rel_tol=1e-9, abs_tol=1e-12)


def test_suites_are_ranked_by_their_handshakes(report: Report, cells: list[dict[str, Any]]) -> None:
    rows = rows_of(report, "suites")
    expected = sorted(handshakes(in_scenario(cells, "baseline")))
    assert [float(row["handshake_ms"]) for row in rows] == expected
    assert all(
        close(row["phi_60_s_percent"], 100.0 * t / (60_000.0 + t))
        for row, t in zip(rows, expected, strict=True)
    )


@pytest.mark.parametrize(
    ("table", "column", "category", "names"),
    [
        ("handshake_by_level", "level", "level", {"L1": 1, "L3": 3, "L5": 5}),
        (
            "handshake_by_family",
            "family",
            "kem_family",
            {"ML-KEM": "ml_kem", "HQC": "hqc", "McEliece": "mceliece"},
        ),
        (
            "handshake_by_signature",
            "signature",
            "signature_family",
            {"ML-DSA": "ml_dsa", "Falcon": "falcon"},
        ),
    ],
)
def test_statistics_are_those_of_the_raw_cells(
    report: Report,
    cells: list[dict[str, Any]],
    table: str,
    column: str,
    category: str,
    names: dict[str, Any],
) -> None:
    rows = {row[column]: row for row in rows_of(report, table)}
    assert set(rows) == set(names)
    for name, token in names.items():
        times = handshakes(
            [
                cell
                for cell in in_scenario(cells, "baseline")
                if cell["b_crypto_identity"][category] == token
            ]
        )
        row = rows[name]
        assert int(row["n"]) == len(times)
        assert close(row["mean_ms"], fmean(times))
        assert close(row["median_ms"], median(times))
        assert close(row["p95_ms"], quantiles(times, n=20, method="inclusive")[-1])
        assert close(row["max_ms"], max(times))


def test_scenarios_are_compared_by_medians(report: Report, cells: list[dict[str, Any]]) -> None:
    (row, *_) = rows_of(report, "scenarios")
    for scenario in SCENARIOS:
        assert close(row[scenario], median(handshakes(in_scenario(cells, scenario))))


def test_a_detectors_change_is_the_difference_of_medians(
    report: Report, cells: list[dict[str, Any]]
) -> None:
    def took(scenario: str) -> float:
        of_family = [
            cell
            for cell in in_scenario(cells, scenario)
            if cell["b_crypto_identity"]["kem_family"] == "mceliece"
        ]
        return median(handshakes(of_family))

    (row,) = (
        row
        for row in rows_of(report, "scenario_changes")
        if (row["family"], row["scenario"]) == ("McEliece", "heavy")
    )
    assert close(row["change_ms"], took("heavy") - took("baseline"))
    assert close(row["change_percent"], 100.0 * (took("heavy") / took("baseline") - 1.0))


def test_the_heat_map_shows_means(report: Report, cells: list[dict[str, Any]]) -> None:
    (row,) = (
        row
        for row in rows_of(report, "heat")
        if (row["family"], row["scenario"]) == ("ML-KEM", "light")
    )
    of_family = [
        cell["n_system_drone"]
        for cell in in_scenario(cells, "light")
        if cell["b_crypto_identity"]["kem_family"] == "ml_kem"
    ]
    mean = fmean(system["machine_cpu_percent"]["mean"] for system in of_family)
    assert close(row["machine_cpu_percent"], mean)
    assert row["temperature_c"] == ""


def test_phi_and_energy_follow_from_the_median_over_the_ciphers(
    report: Report, cells: list[dict[str, Any]]
) -> None:
    name = "ML-KEM-768 · ML-DSA-65"
    took = median(
        handshakes(
            [
                cell
                for cell in in_scenario(cells, "baseline")
                if cell["b_crypto_identity"]["kem"] == "mlkem768"
            ]
        )
    )
    (phi,) = (row for row in rows_of(report, "phi") if row["suite"] == name)
    assert close(phi["handshake_ms"], took)
    for seconds in (10, 60, 300, 600, 3600):
        expected = 100.0 * took / (1000.0 * seconds + took)
        assert close(phi[f"phi_{seconds}_s_percent"], expected)
    (energy,) = (row for row in rows_of(report, "energy") if row["suite"] == name)
    # The seeds' 3.99 W: the run has no sensor.
    assert energy["power"] == "predicted"
    assert close(energy["flight_j"], 30 * 3.99 * took / 1000.0)
    assert close(energy["flight_percent"], 100.0 * 30 * took / 1_800_000.0)


def test_the_regression_is_the_least_squares_solution(
    report: Report, cells: list[dict[str, Any]]
) -> None:
    (row,) = rows_of(report, "regression")
    a, b, c = float(row["a"]), float(row["b"]), float(row["c"])
    points = [
        (
            math.log10(cell["e_primitives"]["kem_public_key_bytes"]),
            math.log10(cell["e_primitives"]["signature_bytes"]),
            math.log10(cell["d_handshake"]["total_ms"]),
        )
        for cell in in_scenario(cells, "baseline")
    ]
    left = [t - (a + b * pk + c * sig) for pk, sig, t in points]
    # What is left is orthogonal to everything that explains.
    for weights in ([1.0] * len(points), [p[0] for p in points], [p[1] for p in points]):
        assert abs(sum(r * w for r, w in zip(left, weights, strict=True))) < 1e-6
    mean = fmean(t for _, _, t in points)
    spread = sum((t - mean) ** 2 for _, _, t in points)
    assert close(row["r_squared"], 1.0 - sum(r * r for r in left) / spread)
    assert int(row["n"]) == len(points)


def test_gaps_are_told_of_every_cell(report: Report, cells: list[dict[str, Any]]) -> None:
    told = sorted(float(row["longest_gap_ms"]) for row in rows_of(report, "rekey_gaps"))
    assert told == sorted(cell["f_rekey"]["longest_gap_ms"] for cell in cells)


def test_primitives_are_those_of_speed_and_of_the_handshakes(
    report: Report, cells: list[dict[str, Any]]
) -> None:
    (row,) = (row for row in rows_of(report, "primitives_kems") if row["kem"] == "McEliece-348864")
    of_kem = [
        cell["e_primitives"]["keygen_ms"]
        for cell in in_scenario(cells, "baseline")
        if cell["b_crypto_identity"]["kem"] == "classicmceliece348864"
    ]
    assert close(row["keygen_ms"], 80.0)
    assert close(row["keygen_in_handshake_ms"], median(of_kem))
    assert row["kem_public_key_bytes"] == "261120"


def test_with_a_sensor_energy_is_measured(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", suites=FEW, scenarios=("baseline",), power_w=4.0)
    watts = median(cell["p_power_energy"]["power_w"]["mean"] for cell in raw_cells(folder))
    rows = rows_of(run_report(read_run_folder(folder), folder), "energy")
    assert {row["power"] for row in rows} == {"measured"}
    assert all(close(row["rekey_j"], watts * float(row["handshake_ms"]) / 1000.0) for row in rows)
