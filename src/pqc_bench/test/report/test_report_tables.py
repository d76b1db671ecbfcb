# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of suites and scenarios, computed once more from raw cells without the report's code."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import correlation, fmean, median, quantiles
from typing import Any

import pytest
from pqc_bench.cell.short_code import code_of
from pqc_bench.metrics import write_metrics
from pqc_bench.report.build import Report, run_report
from pqc_bench.report.intervals import FEWEST_FOR_P95
from pqc_bench.report.run_data import read_run_folder
from report_cells import (
    FAMILIES,
    Metrics,
    assert_row,
    at,
    close,
    grouped,
    handshakes,
    in_scenario,
    name_of,
    phi_percent,
    rows_of,
    wire_bytes,
)
from report_page import ONE
from report_run import SCENARIOS, make_run, raw_cells

# Headings of the overview: path and statistic.
FIGURES: dict[str, tuple[str, Callable[[list[float]], float]]] = {
    "median handshake (ms)": ("d_handshake.total_ms", median),
    "mean handshake (ms)": ("d_handshake.total_ms", fmean),
    "p95 handshake (ms)": (
        "d_handshake.total_ms",
        lambda values: quantiles(values, n=20, method="inclusive")[-1],
    ),
    "median rekey (ms)": ("f_rekey.total_ms", median),
    "median p99 latency (ms)": (
        "h_latency_jitter.drone_to_gcs.p99_ms",
        median,
    ),
    "tunnel's CPU per datagram (µs)": (
        "n_system_drone.cpu_us_per_packet",
        median,
    ),
    "mean CPU of the machine (%)": (
        "n_system_drone.machine_cpu_percent.mean",
        fmean,
    ),
    "peak CPU of the machine (%)": (
        "n_system_drone.machine_cpu_percent.max",
        max,
    ),
    "mean temperature (°C)": ("n_system_drone.temperature_c.mean", fmean),
    "most CPU of other programs (%)": (
        "q_observability.disturbance.foreign_cpu_percent",
        max,
    ),
    # Every cell was offered as many datagrams.
    "loss (%)": (
        "g_data_plane.loss_ratio",
        lambda values: 100.0 * fmean(values),
    ),
    "median packets sent by the drone": (
        "g_data_plane.drone_to_gcs.offered",
        median,
    ),
    "mean throughput (Mbit/s)": (
        "g_data_plane.cipher_bytes_per_s",
        lambda values: 8e-6 * fmean(values),
    ),
    "mean goodput (Mbit/s)": (
        "g_data_plane.plain_bytes_per_s",
        lambda values: 8e-6 * fmean(values),
    ),
    "mean RTT (ms)": ("h_latency_jitter.round_trip.mean_ms", fmean),
    "median RTT p50 (ms)": ("h_latency_jitter.round_trip.p50_ms", median),
    "median RTT p95 (ms)": ("h_latency_jitter.round_trip.p95_ms", median),
    "median RTT p99 (ms)": ("h_latency_jitter.round_trip.p99_ms", median),
    "mean RSS of the drone's tunnel (MiB)": (
        "n_system_drone.resident_mib.mean",
        fmean,
    ),
}


def test_suites_are_ranked_by_their_handshakes(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    ranked = sorted(
        in_scenario(whole_cells, "baseline"), key=lambda cell: cell["d_handshake"]["total_ms"]
    )
    rows = rows_of(whole_report, "suites")
    assert len(rows) == len(ranked)
    for rank, (row, cell) in enumerate(zip(rows, ranked, strict=True), start=1):
        handshake = cell["d_handshake"]
        assert_row(
            row,
            {
                "rank": rank,
                "suite": name_of(cell),
                "code": code_of(cell["a_run_context"]["suite"]),
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
    whole_report: Report,
    whole_cells: list[Metrics],
    table: str,
    column: str,
    category: str,
    names: dict[str, Any],
) -> None:
    rows = {row[column]: row for row in rows_of(whole_report, table)}
    assert set(rows) == set(names)
    for name, token in names.items():
        times = handshakes(
            [
                cell
                for cell in in_scenario(whole_cells, "baseline")
                if cell["b_crypto_identity"][category] == token
            ]
        )
        row = rows[name]
        assert int(row["n"]) == len(times)
        assert close(row["mean_ms"], fmean(times))
        assert close(row["median_ms"], median(times))
        if len(times) >= FEWEST_FOR_P95:
            assert close(row["p95_ms"], quantiles(times, n=20, method="inclusive")[-1])
        else:
            assert row["p95_ms"] == ""
        assert close(row["max_ms"], max(times))


def figure(cells: list[Metrics], path: str, of: Callable[[list[float]], float]) -> float | None:
    """Return one of FIGURES over the cells that measured it."""
    values = [at(cell, path) for cell in cells if at(cell, path) is not None]
    return of(values) if values else None


def test_every_figure_of_the_scenarios_is_that_of_their_cells(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    *rows, flagged, completed = rows_of(whole_report, "scenarios")
    assert [row["metric"] for row in rows] == list(FIGURES)
    assert_row(flagged, {"metric": "cells flagged", **dict.fromkeys(SCENARIOS, 0)})
    for row, (path, of) in zip(rows, FIGURES.values(), strict=True):
        expected = {name: figure(in_scenario(whole_cells, name), path, of) for name in SCENARIOS}
        assert_row(row, {"metric": row["metric"], **expected})
    counts = {name: len(in_scenario(whole_cells, name)) for name in SCENARIOS}
    assert completed["metric"] == "suites completed"
    assert {name: completed[name] for name in SCENARIOS} == {
        name: f"{count}/{count}" for name, count in counts.items()
    }


def test_every_condition_has_a_column(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", ONE, ("baseline",), speed=False)
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(run | {"loads": ["mavlink", "blaster"]}))
    first = folder / "cells" / "baseline" / "mavlink"
    shutil.copytree(first, first.with_name("blaster"))
    (file,) = first.with_name("blaster").glob("**/metrics.json")
    metrics = json.loads(file.read_text())
    metrics["a_run_context"] |= {"load": "blaster", "cell": f"baseline/blaster/clean/{ONE}"}
    write_metrics(file, metrics)
    state = json.loads((folder / "state.json").read_text())
    again = {**state["cells"][0], "cell": f"baseline/blaster/clean/{ONE}"}
    (folder / "state.json").write_text(json.dumps(state | {"cells": [*state["cells"], again]}))
    row = rows_of(run_report(read_run_folder(folder), folder), "scenarios")[0]
    labels = [f"baseline / {load} / clean" for load in ("blaster", "mavlink")]
    assert [name for name in row if name in labels] == labels


def test_a_detectors_change_is_the_difference_of_medians(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    def took(scenario: str) -> float:
        of_family = [
            cell
            for cell in in_scenario(whole_cells, scenario)
            if cell["b_crypto_identity"]["kem_family"] == "mceliece"
        ]
        return median(handshakes(of_family))

    (row,) = (
        row
        for row in rows_of(whole_report, "scenario_changes")
        if (row["family"], row["scenario"]) == ("McEliece", SCENARIOS[2])
    )
    assert close(row["change_ms"], took(SCENARIOS[2]) - took("baseline"))
    assert close(row["change_percent"], 100.0 * (took(SCENARIOS[2]) / took("baseline") - 1.0))


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


def test_the_regression_is_the_least_squares_solution(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    (row,) = rows_of(whole_report, "regression")
    a, b, c = float(row["a"]), float(row["b"]), float(row["c"])
    points = [
        (
            math.log10(cell["e_primitives"]["kem_public_key_bytes"]),
            math.log10(cell["e_primitives"]["signature_bytes"]),
            math.log10(cell["d_handshake"]["total_ms"]),
        )
        for cell in in_scenario(whole_cells, "baseline")
    ]
    left = [t - (a + b * pk + c * sig) for pk, sig, t in points]
    # The residuals are orthogonal to all explaining variables.
    for weights in ([1.0] * len(points), [p[0] for p in points], [p[1] for p in points]):
        assert abs(sum(r * w for r, w in zip(left, weights, strict=True))) < 1e-6
    mean = fmean(t for _, _, t in points)
    spread = sum((t - mean) ** 2 for _, _, t in points)
    assert close(row["r_squared"], 1.0 - sum(r * r for r in left) / spread)
    assert int(row["n"]) == len(points)


def test_gaps_are_told_of_every_cell(whole_report: Report, whole_cells: list[Metrics]) -> None:
    rows = {(row["suite"], row["scenario"]): row for row in rows_of(whole_report, "rekey_gaps")}
    assert len(rows) == len(whole_cells)
    for cell in whole_cells:
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


def test_tiers_correlate_with_handshakes_by_pearsons_r(
    whole_report: Report, whole_cells: list[Metrics]
) -> None:
    rows = {row["scenario"]: row for row in rows_of(whole_report, "tier_correlation")}
    assert set(rows) == set(SCENARIOS)
    for scenario, row in rows.items():
        of = in_scenario(whole_cells, scenario)
        tiers = [cell["b_crypto_identity"]["tier"] for cell in of]
        assert close(row["r"], correlation(tiers, handshakes(of)))
        assert close(row["r_log"], correlation(tiers, [math.log(ms) for ms in handshakes(of)]))


def test_drops_are_told_by_reason_and_end(whole_report: Report, whole_cells: list[Metrics]) -> None:
    rows = rows_of(whole_report, "drops")
    reasons = whole_cells[0]["g_data_plane"]["drone_drops"]
    assert len(rows) == len(SCENARIOS) * len(reasons)
    for row in rows:
        scenario = row["condition"].partition(" / ")[0]
        for end in ("drone", "gcs"):
            counts = [
                cell["g_data_plane"][f"{end}_drops"][row["reason"].replace(" ", "_")]
                for cell in in_scenario(whole_cells, scenario)
            ]
            assert int(row[end]) == sum(counts)


def test_each_suite_has_throughput_round_trip_and_memory(
    whole_report: Report, whole_cells: list[dict[str, Any]]
) -> None:
    rows = list(csv.DictReader(io.StringIO(whole_report.tables["network"])))
    baseline = [one for one in whole_cells if one["a_run_context"]["scenario"] == "baseline"]
    assert len(rows) == len(baseline)
    one = max(baseline, key=lambda cell: cell["g_data_plane"]["drone_to_gcs"]["lost"])
    (row,) = (row for row in rows if row["suite"] == name_of(one))
    plane, trip = one["g_data_plane"], one["h_latency_jitter"]["round_trip"]
    expected = {
        "datagrams_lost": plane["drone_to_gcs"]["lost"],
        "lost_by_sequence": one["j_mavlink_gcs"]["sequence_gaps"],
        "packets_sent": plane["drone_to_gcs"]["offered"],
        "throughput_mbit_s": 8e-6 * plane["cipher_bytes_per_s"],
        "goodput_mbit_s": 8e-6 * plane["plain_bytes_per_s"],
        "rtt_mean_ms": trip["mean_ms"],
        "rtt_p50_ms": trip["p50_ms"],
        "rtt_p95_ms": trip["p95_ms"],
        "rss_drone_mib": one["n_system_drone"]["resident_mib"]["mean"],
        "rss_ground_mib": one["o_system_gcs"]["resident_mib"]["mean"],
    }
    for name, value in expected.items():
        assert float(row[name]) == pytest.approx(value), name


def test_the_power_of_a_cell_leads_to_its_trace(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", ONE, ("baseline",), speed=False, power_w=4.0)
    (file,) = folder.glob("cells/**/metrics.json")
    metrics = json.loads(file.read_text())
    power, status = metrics["p_power_energy"], metrics["metric_status"]
    power["trace"] = "power.csv"
    power |= {"energy_j": 8.0, "energy_low_j": 7.9, "energy_high_j": 8.1}
    for name in ("trace", "energy_j", "energy_low_j", "energy_high_j"):
        del status[f"p_power_energy.{name}"]
    status["p_power_energy.above.rekey.joules"]["reason"] = "below 0.012 J."
    write_metrics(file, metrics)
    report = run_report(read_run_folder(folder), folder)
    (row,) = csv.DictReader(io.StringIO(report.tables["power"]))
    assert (row["cell"], row["trace"]) == (metrics["a_run_context"]["cell"], "power.csv")
    assert (row["energy_j"], row["energy_low_j"], row["energy_high_j"]) == ("8.0", "7.9", "8.1")
    assert (row["rekey_j"], row["handshake_j"]) == ("below 0.012 J", "")
    trace = file.with_name("power.csv").relative_to(folder)
    assert f'href="{trace}"' in report.html
