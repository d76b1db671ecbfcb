# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of every suite in every condition, and the charts of the earlier papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pqc_bench.cell.short_code import code_of
from pqc_bench.metrics import write_metrics
from pqc_bench.power.marks import Mark, Marks
from pqc_bench.power.trace import Trace, write_trace
from pqc_bench.report.build import Report, run_report
from pqc_bench.report.context import Context
from pqc_bench.report.run_data import read_run_folder
from pqc_bench.report.section import Figure, Section
from pqc_bench.report.sections.power_traces import power_traces
from pqc_bench.report.sections.primitives import primitives
from pqc_bench.report.sections.scenarios import scenarios
from report_cells import Metrics, at, name_of, rows_of
from report_page import ONE
from report_run import FEW, SCENARIOS, make_run

TRAFFIC = {
    "handshake_ms": "d_handshake.total_ms",
    "packets_sent": "g_data_plane.drone_to_gcs.offered",
    "datagrams_lost": "g_data_plane.drone_to_gcs.lost",
    "rtt_mean_ms": "h_latency_jitter.round_trip.mean_ms",
    "rtt_p50_ms": "h_latency_jitter.round_trip.p50_ms",
    "rtt_p95_ms": "h_latency_jitter.round_trip.p95_ms",
    "to_ground_p99_ms": "h_latency_jitter.drone_to_gcs.p99_ms",
    "to_drone_p50_ms": "h_latency_jitter.gcs_to_drone.p50_ms",
    "one_way_error_ms": "h_latency_jitter.error_bound_ms",
}
PROGRAMS = {
    "cpu_drone_mean_percent": "n_system_drone.cpu_percent.mean",
    "cpu_drone_max_percent": "n_system_drone.cpu_percent.max",
    "cpu_ground_max_percent": "o_system_gcs.cpu_percent.max",
    "rss_drone_max_mib": "n_system_drone.resident_mib.max",
    "rss_ground_mean_mib": "o_system_gcs.resident_mib.mean",
    "machine_cpu_drone_mean_percent": "n_system_drone.machine_cpu_percent.mean",
}


@pytest.mark.parametrize(
    ("table", "figures"), [("traffic_by_condition", TRAFFIC), ("programs_by_condition", PROGRAMS)]
)
def test_every_suite_has_its_figures_in_every_condition(
    whole_report: Report, whole_cells: list[Metrics], table: str, figures: dict[str, str]
) -> None:
    rows = {(row["suite"], row["scenario"]): row for row in rows_of(whole_report, table)}
    assert len(rows) == len(whole_cells)
    for cell in whole_cells:
        context = cell["a_run_context"]
        row = rows[name_of(cell), context["scenario"]]
        assert (row["code"], row["load"]) == (code_of(context["suite"]), "mavlink")
        for column, path in figures.items():
            expected = at(cell, path)
            assert row[column] == "" if expected is None else float(row[column]) == expected, path


def test_what_no_sensor_measured_is_empty_and_has_a_reason(whole_page: str) -> None:
    (programs,) = (
        part for part in whole_page.split("<table") if 'id="table-programs_by_condition"' in part
    )
    assert 'title="no sensor">–' in programs


def figures(section: Section) -> dict[str, Figure]:
    return {part.title: part for part in section.parts if isinstance(part, Figure)}


def marks(figure: Figure) -> list[dict[str, Any]]:
    assert not isinstance(figure.chart, str), figure.chart
    return figure.chart["datasets"]["marks"]


def test_key_generation_is_drawn_by_scenario_and_operations_by_their_percentiles(
    whole_run: Path,
) -> None:
    found = figures(primitives(Context(read_run_folder(whole_run), whole_run)))
    by_scenario = marks(found["Key generation by scenario"])
    assert {mark["group"] for mark in by_scenario} == set(SCENARIOS)
    for mark in marks(found["Distribution of key generation"]):
        assert mark["p5"] < mark["p25"] < mark["value"] < mark["p75"] < mark["p95"]
    assert "Distribution of signing" in found


def test_three_panels_compare_the_scenarios(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", FEW, SCENARIOS, speed=False, temperature_c=50.0)
    found = figures(scenarios(Context(read_run_folder(folder), folder)))
    panels = [figure for figure in found.values() if figure.small]
    assert len(panels) == 3
    for panel in panels:
        assert {mark["label"] for mark in marks(panel)} == set(SCENARIOS)


def test_the_power_of_a_handshake_is_drawn_from_the_trace_of_a_cell(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", ONE, ("baseline",), speed=False, power_w=4.0)
    (file,) = folder.glob("cells/**/metrics.json")
    metrics = json.loads(file.read_text())
    metrics["p_power_energy"]["trace"] = "drone/power.csv.gz"
    del metrics["metric_status"]["p_power_energy.trace"]
    write_metrics(file, metrics)
    # More samples than the chart has points: each point is a mean of them.
    seconds = np.arange(2400) / 1200
    watts = 4.0 + (np.arange(2400) == 601) + 96.0 * (seconds > 1.55)
    trace = file.parent / "drone" / "power.csv.gz"
    trace.parent.mkdir()
    write_trace(trace, Trace(seconds, watts, np.zeros(2400), {"monotonic_s": "100"}))
    marks_file = trace.with_name("power_marks.json")
    Marks(0.0, (Mark("handshake", 100.5, 101.0),)).write(marks_file)
    (figure,) = power_traces(Context(read_run_folder(folder), folder)).parts
    assert isinstance(figure, Figure)
    drawn = [mark["y"] for mark in marks(figure)]
    assert 450 < len(drawn) <= 600
    assert 4.2 < max(drawn) < 5.0
    assert sorted(drawn)[-3] == 4.0
    assert {round(one["x"], 1) for one in marks(figure)} >= {-0.5, 0.0, 1.0}
    trace.unlink()
    assert not power_traces(Context(read_run_folder(folder), folder)).parts
    assert 'id="power_traces"' not in run_report(read_run_folder(folder), folder).html
