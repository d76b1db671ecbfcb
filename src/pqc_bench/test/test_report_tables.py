# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tables' numbers, computed once more from the raw cells and without the report's code."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Hashable
from pathlib import Path
from statistics import correlation, fmean, median, quantiles
from typing import Any

import pytest
from pqc_bench.metrics import write_metrics
from pqc_bench.report.build import Report, run_report
from pqc_bench.report.run_data import read_run_folder
from report_run import FEW, SCENARIOS, make_run, raw_cells

Rows = list[dict[str, str]]
Metrics = dict[str, Any]
NAMES = {
    "mlkem512": "ML-KEM-512",
    "mlkem768": "ML-KEM-768",
    "mlkem1024": "ML-KEM-1024",
    "hqc128": "HQC-128",
    "classicmceliece348864": "McEliece-348864",
    "classicmceliece460896": "McEliece-460896",
    "classicmceliece8192128": "McEliece-8192128",
    "mldsa44": "ML-DSA-44",
    "mldsa65": "ML-DSA-65",
    "mldsa87": "ML-DSA-87",
    "falcon512": "Falcon-512",
    "aesgcm": "AES-256-GCM",
    "chacha20poly1305": "ChaCha20-Poly1305",
    "ascon128a": "Ascon-128a",
    "asconaead128": "Ascon-AEAD128",
}
FAMILIES = {"ml_kem": "ML-KEM", "hqc": "HQC", "mceliece": "McEliece"}
SIZES = ("kem_public_key_bytes", "kem_ciphertext_bytes", "signature_bytes")
# Headings of the overview and names in the table of conditions: path and statistic.
FIGURES: dict[tuple[str, str], tuple[str, Callable[[list[float]], float]]] = {
    ("median handshake (ms)", "handshake_median_ms"): ("d_handshake.total_ms", median),
    ("mean handshake (ms)", "handshake_mean_ms"): ("d_handshake.total_ms", fmean),
    ("p95 handshake (ms)", "handshake_p95_ms"): (
        "d_handshake.total_ms",
        lambda values: quantiles(values, n=20, method="inclusive")[-1],
    ),
    ("median rekey (ms)", "rekey_median_ms"): ("f_rekey.total_ms", median),
    ("median p99 latency (ms)", "p99_median_ms"): (
        "h_latency_jitter.drone_to_gcs.p99_ms",
        median,
    ),
    ("tunnel's CPU per datagram (µs)", "cpu_median_us_per_packet"): (
        "n_system_drone.cpu_us_per_packet",
        median,
    ),
    ("mean CPU of the machine (%)", "machine_cpu_mean_percent"): (
        "n_system_drone.machine_cpu_percent.mean",
        fmean,
    ),
    ("peak CPU of the machine (%)", "machine_cpu_peak_percent"): (
        "n_system_drone.machine_cpu_percent.max",
        max,
    ),
    ("mean temperature (°C)", "temperature_mean_c"): ("n_system_drone.temperature_c.mean", fmean),
    ("most CPU of other programs (%)", "foreign_cpu_most_percent"): (
        "q_observability.disturbance.foreign_cpu_percent",
        max,
    ),
    # Every cell was offered as many datagrams.
    ("loss (%)", "loss_percent"): (
        "g_data_plane.loss_ratio",
        lambda values: 100.0 * fmean(values),
    ),
}
NO_INTERVALS = {"machine_cpu_peak_percent", "foreign_cpu_most_percent"}


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


def close(shown: str, expected: float) -> bool:
    return math.isclose(float(shown), expected, rel_tol=1e-9, abs_tol=1e-12)


def at(cell: Metrics, path: str) -> Any:
    """Return the value at a dotted path; None where there is none."""
    value: Any = cell
    for step in path.split("."):
        value = (value or {}).get(step)
    return value


def name_of(cell: Metrics, *parts: str) -> str:
    """Return a suite's name for people, of some of its parts."""
    of = cell["b_crypto_identity"]
    return " · ".join(NAMES[of[part]] for part in parts or ("kem", "signature", "aead"))


def grouped(cells: list[Metrics], key: Callable[[Metrics], Hashable]) -> dict[Any, list[Metrics]]:
    found: dict[Any, list[Metrics]] = {}
    for cell in cells:
        found.setdefault(key(cell), []).append(cell)
    return found


def wire_bytes(cell: Metrics) -> int:
    return sum(cell["e_primitives"][name] for name in SIZES)


def phi_percent(took_ms: float, seconds: float) -> float:
    return 100.0 * took_ms / (1000.0 * seconds + took_ms)


def assert_row(row: dict[str, str], expected: dict[str, Any]) -> None:
    """Compare a row of a table, all of it but its intervals and where it comes from."""
    bounds = {name for name in row if "_low" in name or "_high" in name}
    assert set(row) - {"source"} - bounds == set(expected)
    for name, value in expected.items():
        if value is None or isinstance(value, str):
            assert row[name] == (value or ""), name
        else:
            assert close(row[name], value), (name, row[name], value)


def test_suites_are_ranked_by_their_handshakes(report: Report, cells: list[Metrics]) -> None:
    ranked = sorted(
        in_scenario(cells, "baseline"), key=lambda cell: cell["d_handshake"]["total_ms"]
    )
    rows = rows_of(report, "suites")
    assert len(rows) == len(ranked)
    for rank, (row, cell) in enumerate(zip(rows, ranked, strict=True), start=1):
        handshake = cell["d_handshake"]
        assert_row(
            row,
            {
                "rank": rank,
                "suite": name_of(cell),
                "level": f"L{cell['b_crypto_identity']['level']}",
                "handshake_ms": handshake["total_ms"],
                "n": 1,
                "primitives_ms": handshake["primitives_ms"],
                "other_percent": 100.0 * handshake["other_ms"] / handshake["total_ms"],
                "phi_60_s_percent": phi_percent(handshake["total_ms"], 60.0),
                "rekey_ms": cell["f_rekey"]["total_ms"],
                "wire_bytes": wire_bytes(cell),
                "p99_drone_to_gcs_ms": at(cell, "h_latency_jitter.drone_to_gcs.p99_ms"),
                "loss_percent": 100.0 * cell["g_data_plane"]["loss_ratio"],
            },
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


def figure(cells: list[Metrics], path: str, of: Callable[[list[float]], float]) -> float | None:
    """Return one of FIGURES over the cells that measured it."""
    values = [at(cell, path) for cell in cells if at(cell, path) is not None]
    return of(values) if values else None


def test_every_figure_of_the_scenarios_is_that_of_their_cells(
    report: Report, cells: list[Metrics]
) -> None:
    *rows, completed = rows_of(report, "scenarios")
    assert [row["metric"] for row in rows] == [heading for heading, _ in FIGURES]
    for row, (path, of) in zip(rows, FIGURES.values(), strict=True):
        expected = {name: figure(in_scenario(cells, name), path, of) for name in SCENARIOS}
        assert_row(row, {"metric": row["metric"], **expected})
    counts = {name: len(in_scenario(cells, name)) for name in SCENARIOS}
    assert completed["metric"] == "suites completed"
    assert {name: completed[name] for name in SCENARIOS} == {
        name: f"{count}/{count}" for name, count in counts.items()
    }


def test_every_condition_has_the_figures_of_its_cells(report: Report, cells: list[Metrics]) -> None:
    rows = rows_of(report, "conditions")
    assert [row["scenario"] for row in rows] == list(SCENARIOS)
    for row in rows:
        of_scenario = in_scenario(cells, row["scenario"])
        assert_row(
            row,
            {
                "scenario": row["scenario"],
                "load": "mavlink",
                "link": "clean",
                "cells": len(of_scenario),
                "flagged": 0,
                **{
                    name: figure(of_scenario, path, of) for (_, name), (path, of) in FIGURES.items()
                },
            },
        )


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


@pytest.mark.parametrize("temperature_c", [None, 50.0])
def test_the_heat_map_shows_means(tmp_path: Path, temperature_c: float | None) -> None:
    folder = make_run(tmp_path / "run", scenarios=SCENARIOS[:2], temperature_c=temperature_c)
    by = grouped(
        raw_cells(folder),
        lambda cell: (cell["b_crypto_identity"]["kem_family"], cell["a_run_context"]["scenario"]),
    )
    rows = rows_of(run_report(read_run_folder(folder), folder), "heat")
    assert len(rows) == len(by)
    for (family, scenario), of in by.items():
        (row,) = (r for r in rows if (r["family"], r["scenario"]) == (FAMILIES[family], scenario))
        systems = [cell["n_system_drone"] for cell in of]
        temperatures = [system["temperature_c"]["mean"] for system in systems]
        assert_row(
            row,
            {
                "family": FAMILIES[family],
                "scenario": scenario,
                "n": len(of),
                "machine_cpu_percent": fmean(s["machine_cpu_percent"]["mean"] for s in systems),
                "cpu_us_per_packet": fmean(system["cpu_us_per_packet"] for system in systems),
                "temperature_c": None if temperature_c is None else fmean(temperatures),
            },
        )


def options(cells: list[Metrics]) -> list[dict[str, Any]]:
    """Return the suites of the baseline, each with its figures."""
    return [
        {
            "name": name_of(cell),
            "level": cell["b_crypto_identity"]["level"],
            "published": (cell["b_crypto_identity"]["kem_family"] == "ml_kem")
            and cell["b_crypto_identity"]["signature_family"] == "ml_dsa",
            "key_bits": cell["b_crypto_identity"]["aead_key_bits"],
            "ms": cell["d_handshake"]["total_ms"],
            "drone_ms": cell["e_primitives"]["encapsulate_ms"] + cell["e_primitives"]["verify_ms"],
            "bytes": wire_bytes(cell),
        }
        for cell in in_scenario(cells, "baseline")
    ]


def beaten(one: dict[str, Any], other: dict[str, Any], *costs: str) -> bool:
    """Whether the other is nowhere dearer, and somewhere cheaper."""
    pairs = [(one[cost], other[cost]) for cost in costs]
    return all(b <= a for a, b in pairs) and any(b < a for a, b in pairs)


def test_the_frontier_holds_what_nothing_beats_and_the_fastest_of_each_level(
    report: Report, cells: list[Metrics]
) -> None:
    known = [{**option, "weakness": -option["level"]} for option in options(cells)]
    expected = {}
    for one in known:
        words = [
            f"time and {name}"
            for name, cost in (("level", "weakness"), ("bytes", "bytes"))
            if not any(beaten(one, other, "ms", cost) for other in known)
        ]
        if one["ms"] == min(other["ms"] for other in known if other["level"] == one["level"]):
            words = words or ["fastest of its level"]
        if words:
            expected[one["name"]] = (one, ", ".join(words))
    rows = rows_of(report, "pareto")
    assert {row["suite"] for row in rows} == set(expected)
    for row in rows:
        one, words = expected[row["suite"]]
        assert_row(
            row,
            {
                "suite": one["name"],
                "level": f"L{one['level']}",
                "handshake_ms": one["ms"],
                "wire_bytes": one["bytes"],
                "phi_60_s_percent": phi_percent(one["ms"], 60.0),
                "best_at": words,
            },
        )


# Seed 003, medians of table 10 and the CPU of table 11 on four cores.
CORE_W = (4.67 - 4.234) / (4 * (0.906 - 0.768))


def test_a_fleet_flies_the_default_or_the_strongest_of_what_costs_the_same(
    report: Report, cells: list[Metrics]
) -> None:
    rows = rows_of(report, "fleets")
    assert len(rows) == 6
    for row in rows:
        minutes, interval_s = float(row["minutes"]), float(row["rekey_s"])
        fitting = []
        for option in options(cells):
            took_ms = option["ms"] + 3 * float(row["round_trip_ms"])
            took_ms += 8.0 * option["bytes"] / float(row["link_kbit_s"])
            phi = phi_percent(took_ms, interval_s)
            energy_j = minutes * 60.0 // interval_s * CORE_W * option["drone_ms"] / 1000.0
            battery = 100.0 * energy_j / (3600.0 * float(row["battery_wh"]))
            level = option["level"]
            strong = f"L{level}" >= row["level_floor"] and option["key_bits"] >= 128 + 32 * (
                level - 1
            )
            if strong and option["published"] and max(phi, battery) <= 1.0:
                fitting.append((took_ms, phi, battery, option))
        fastest_ms = min(took_ms for took_ms, *_ in fitting)
        equal = [
            plan for plan in fitting if max(plan[1], plan[2]) <= 0.1 or plan[0] <= fastest_ms * 1.05
        ]
        default = "ML-KEM-768 · ML-DSA-65 · AES-256-GCM"
        took_ms, phi, battery, option = min(
            equal,
            key=lambda plan: (
                plan[3]["name"] != default,
                -plan[3]["level"],
                plan[3]["bytes"],
                "AES" not in plan[3]["name"],
            ),
        )
        assert row["suite"] == option["name"]
        assert (row["suite"] == default) == (row["level_floor"] == "L3")
        assert close(row["handshake_ms"], took_ms)
        assert close(row["phi_percent"], phi)
        assert close(row["battery_percent"], battery)


def test_phi_is_that_of_the_suite_and_energy_that_of_the_drones_work(
    report: Report, cells: list[dict[str, Any]]
) -> None:
    name = "ML-KEM-768 · ML-DSA-65 · ChaCha20-Poly1305"
    (one,) = (option for option in options(cells) if option["name"] == name)
    (phi,) = (row for row in rows_of(report, "phi") if row["suite"] == name)
    assert close(phi["handshake_ms"], one["ms"])
    for seconds in (10, 60, 300, 600, 3600):
        expected = 100.0 * one["ms"] / (1000.0 * seconds + one["ms"])
        assert close(phi[f"phi_{seconds}_s_percent"], expected)
    (energy,) = (row for row in rows_of(report, "energy") if row["suite"] == name)
    assert close(energy["drone_work_ms"], one["drone_ms"])
    assert close(energy["rekey_mj"], CORE_W * one["drone_ms"])
    assert close(energy["flight_j"], 30 * CORE_W * one["drone_ms"] / 1000.0)
    # The computer uses 3.99 W for half an hour.
    assert close(energy["flight_percent"], 3.0 * CORE_W * one["drone_ms"] / (3.99 * 1800.0))


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
    # The residuals are orthogonal to all explaining variables.
    for weights in ([1.0] * len(points), [p[0] for p in points], [p[1] for p in points]):
        assert abs(sum(r * w for r, w in zip(left, weights, strict=True))) < 1e-6
    mean = fmean(t for _, _, t in points)
    spread = sum((t - mean) ** 2 for _, _, t in points)
    assert close(row["r_squared"], 1.0 - sum(r * r for r in left) / spread)
    assert int(row["n"]) == len(points)


def test_gaps_are_told_of_every_cell(report: Report, cells: list[Metrics]) -> None:
    rows = {(row["suite"], row["scenario"]): row for row in rows_of(report, "rekey_gaps")}
    assert len(rows) == len(cells)
    for cell in cells:
        scenario, rekey = cell["a_run_context"]["scenario"], cell["f_rekey"]
        assert_row(
            rows[name_of(cell), scenario],
            {
                "suite": name_of(cell),
                "scenario": scenario,
                "load": "mavlink",
                "link": "clean",
                "rekey_ms": rekey["total_ms"],
                **{
                    name: rekey[name]
                    for name in ("longest_gap_ms", "longest_gap_steady_ms", "gap_ratio", "lost")
                },
            },
        )


@pytest.mark.parametrize(
    ("kind", "column", "operations", "size"),
    [
        ("kem", "kem", ("keygen", "encapsulate", "decapsulate"), "kem_public_key_bytes"),
        ("signature", "signature", ("sign", "verify"), "signature_bytes"),
    ],
)
def test_primitives_are_those_of_speed_and_of_the_handshakes(
    folder: Path,
    report: Report,
    cells: list[Metrics],
    kind: str,
    column: str,
    operations: tuple[str, ...],
    size: str,
) -> None:
    speed = json.loads((folder / "speed.json").read_text())
    rows = {row[column]: row for row in rows_of(report, f"primitives_{kind}s")}
    by = grouped(in_scenario(cells, "baseline"), lambda cell: cell["b_crypto_identity"][kind])
    assert len(rows) == len(speed[f"{kind}s"]) >= len(by)
    for algorithm, of in by.items():
        (timed,) = (one for one in speed[f"{kind}s"] if one["algorithm"] == algorithm)
        alone = {one["operation"]: one for one in timed["operations"]}
        slowest = max(alone.values(), key=lambda one: one["median_ns"])
        assert_row(
            rows[NAMES[algorithm]],
            {
                column: NAMES[algorithm],
                **{f"{name}_ms": alone[name]["median_ns"] / 1e6 for name in operations},
                "spread": slowest["p95_ns"] / slowest["p5_ns"],
                "least_samples": min(one["samples"] for one in alone.values()),
                **{
                    f"{name}_in_handshake_ms": median(
                        cell["e_primitives"][f"{name}_ms"] for cell in of
                    )
                    for name in operations
                },
                size: of[0]["e_primitives"][size],
            },
        )


def test_ciphers_are_told_by_size(folder: Path, report: Report) -> None:
    speed = json.loads((folder / "speed.json").read_text())
    timed = {
        (NAMES[subject["algorithm"]], str(one["text_bytes"]), one["operation"]): one
        for subject in speed["aeads"]
        for one in subject["operations"]
    }
    rows = rows_of(report, "primitives_aeads")
    assert 2 * len(rows) == len(timed)
    for row in rows:
        sealed, opened = (timed[row["aead"], row["text_bytes"], name] for name in ("seal", "open"))
        assert_row(
            row,
            {
                "aead": row["aead"],
                "text_bytes": float(row["text_bytes"]),
                "seal_us": sealed["median_ns"] / 1e3,
                "open_us": opened["median_ns"] / 1e3,
                "seal_p5_us": sealed["p5_ns"] / 1e3,
                "seal_p95_us": sealed["p95_ns"] / 1e3,
            },
        )


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


def test_tiers_correlate_with_handshakes_by_pearsons_r(
    report: Report, cells: list[Metrics]
) -> None:
    rows = {row["scenario"]: row for row in rows_of(report, "tier_correlation")}
    assert set(rows) == set(SCENARIOS)
    for scenario, row in rows.items():
        of = in_scenario(cells, scenario)
        tiers = [cell["b_crypto_identity"]["tier"] for cell in of]
        assert close(row["r"], correlation(tiers, handshakes(of)))
        assert close(row["r_log"], correlation(tiers, [math.log(ms) for ms in handshakes(of)]))


def test_the_best_and_the_worst_suite_of_each_figure(report: Report, cells: list[Metrics]) -> None:
    rows = rows_of(report, "best_worst")
    of = in_scenario(cells, "heavy")
    (row,) = (r for r in rows if (r["figure"], r["scenario"]) == ("handshake (ms)", "heavy"))
    best, worst = (pick(of, key=lambda c: c["d_handshake"]["total_ms"]) for pick in (min, max))
    assert (row["best_suite"], row["worst_suite"]) == (name_of(best), name_of(worst))
    assert close(row["ratio"], handshakes([worst])[0] / handshakes([best])[0])
    assert row["apart"] == "unknown: one sample"
    unmeasured = [row for row in rows if row["figure"] == "power (W)"]
    assert all(row["best"] == "" for row in unmeasured)


def test_each_kem_family_has_its_range_in_each_scenario(
    report: Report, cells: list[Metrics]
) -> None:
    rows = {(row["family"], row["scenario"]): row for row in rows_of(report, "family_ranges")}
    assert len(rows) == 9
    of = [
        cell
        for cell in in_scenario(cells, "light")
        if cell["b_crypto_identity"]["kem_family"] == "mceliece"
    ]
    row = rows["McEliece", "light"]
    assert close(row["handshake_least_ms"], min(handshakes(of)))
    assert close(row["handshake_most_ms"], max(handshakes(of)))
    flows = [cell["g_data_plane"][way] for cell in of for way in ("drone_to_gcs", "gcs_to_drone")]
    lost, offered = (sum(flow[name] for flow in flows) for name in ("lost", "offered"))
    assert close(row["loss_percent"], 100.0 * lost / offered)
