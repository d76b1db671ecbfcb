# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One-way delays by two clocks: corrected, bounded, and left out where they are no figures."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import pytest
from observed_cell import observed_cell
from pqc_bench.collectors.sampled import sampled
from pqc_bench.metrics.aggregator import aggregate
from pqc_bench.metrics.canonical import seal
from pqc_bench.metrics.schema import problems
from pqc_bench.testbed import traffic_log
from pqc_bench.testbed.load_report import Clocks, load_report
from pqc_bench.testbed.traffic_log import RECEIVED, SENT, TrafficLog
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions

S, MS = 1_000_000_000, 1_000_000
DELAY = 5 * MS


def reported(folder: Path, offset_s: float, error_s: float) -> dict[str, Any]:
    """Return the report of a blaster whose datagrams take 5 ms, by clocks that differ."""
    offset = round(offset_s * S)
    folders = {end: folder / end for end in ("drone", "gcs")}
    shift = {"drone": 0, "gcs": offset}
    for place in folders.values():
        place.mkdir(parents=True)
    for sender, receiver in (("drone", "gcs"), ("gcs", "drone")):
        sent, came = TrafficLog(folders[sender] / SENT), TrafficLog(folders[receiver] / RECEIVED)
        for number in range(200):
            at, name = number * 10 * MS, f"{sender}{number}".encode()
            sent.note(at + shift[sender], 256, name)
            if number != 100:
                came.note(at + DELAY + shift[receiver], 256, name)
        sent.close()
        came.close()
    half = {"began_ns": 0, "ended_ns": 2 * S, "receiver_drops": 0, "slips": 0, "refused": 0}
    halves = {"drone": {**half, "asked": 200}, "gcs": {**half, "asked": 200}}
    clocks = Clocks([[0, offset_s, error_s], [S, offset_s, error_s]], same=False)
    return load_report("blaster", folders, halves, clocks, [900 * MS, 1100 * MS])


@pytest.mark.parametrize("offset_s", [0.0, 3600.0, -12.5])
def test_delays_do_not_depend_on_what_the_clocks_show(tmp_path: Path, offset_s: float) -> None:
    report = reported(tmp_path, offset_s, 0.0001)
    for way in ("drone_to_gcs", "gcs_to_drone"):
        assert report["latency"][way]["p50_ms"] == pytest.approx(5.0, abs=1e-3)
        assert report["flows"][way]["lost"] == 1
        assert report["flows"][way]["corrupted"] == 0
        assert report["windows"]["rekey"][way]["lost"] == 1
        assert report["windows"]["steady"][way]["lost"] == 0


def test_the_error_is_that_of_the_comparison_with_what_clocks_drift_meanwhile() -> None:
    assert Clocks([[0, 1.0, 0.0002], [2 * S, 1.0, 0.0001]], same=False).error_ms == pytest.approx(
        0.3
    )
    poor_later = Clocks([[0, 1.0, 0.0001], [2 * S, 1.5, 0.9]], same=False)
    assert poor_later.error_ms == pytest.approx(0.3)
    assert poor_later.offset_ns(2 * S) == S
    assert Clocks([], same=True).error_ms == 0.0
    assert Clocks([], same=False).error_ms is None


def test_a_program_that_is_interrupted_between_two_clocks_reads_them_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boot = itertools.accumulate([5_000, 700_000, *[100] * 10])
    monkeypatch.setattr(traffic_log, "now_ns", lambda: next(boot))
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    # 5,000 and 705,000 are far apart; 705,100 and 705,200 are the next.
    assert traffic_log.ahead_of_wall_ns() == 705_150


def test_a_delay_shorter_than_its_error_is_no_figure_and_says_why() -> None:
    seen = observed_cell()
    seen.one_machine, seen.clock_error_ms = False, 1000.0
    metrics = aggregate(seen)
    assert metrics["h_latency_jitter"]["drone_to_gcs"]["p50_ms"] is None
    assert metrics["h_latency_jitter"]["error_bound_ms"] == 1000.0
    why = metrics["metric_status"]["h_latency_jitter.drone_to_gcs.p50_ms"]
    assert "compared to 1000.000 ms" in why["reason"]
    assert metrics["h_latency_jitter"]["round_trip"]["p50_ms"] is not None
    flags = {flag["name"]: flag["text"] for flag in metrics["r_validation"]["flags"]}
    assert "compared to 1000.000 ms" in flags["clocks_too_far_apart"]


def test_clocks_that_were_not_compared_leave_the_round_trip() -> None:
    seen = observed_cell()
    seen.one_machine, seen.clock_error_ms = False, None
    metrics = aggregate(seen)
    assert metrics["h_latency_jitter"]["gcs_to_drone"]["count"] is None
    why = metrics["metric_status"]["h_latency_jitter.gcs_to_drone.p50_ms"]
    assert "weren't compared" in why["reason"]
    assert metrics["h_latency_jitter"]["round_trip"]["p50_ms"] is not None


def test_what_the_ground_saw_of_a_vehicle_elsewhere_is_a_metric_of_the_cell(
    tmp_path: Path,
) -> None:
    vehicle = Vehicle(VehicleOptions(rate_hz=320), 0, 0)
    folders = {end: tmp_path / end for end in ("drone", "gcs")}
    for place in folders.values():
        place.mkdir()
    sent, came = TrafficLog(folders["drone"] / SENT), TrafficLog(folders["gcs"] / RECEIVED)
    for number, datagram in enumerate(vehicle.advance(S)):
        sent.note(number * MS, len(datagram), datagram)
        if number % 10 != 5:
            came.note(number * MS, len(datagram), datagram)
    sent.close()
    came.close()
    program = {"name": "MAVProxy", "packets": 9, "lost": 1, "loss_percent": 10.0}
    program |= dict.fromkeys(("cpu_percent", "resident_mib"), sampled([1.0]))
    half = {"began_ns": 0, "ended_ns": S, "receiver_drops": 0, "slips": 0, "program": program}
    halves = {
        "drone": {**half, "source": "/dev/ttyAMA0"},
        "gcs": {**half, "round_trips_ms": [1.0]},
    }
    report = load_report("mavproxy", folders, halves, Clocks([], same=True), [0, 1])
    seen = observed_cell()
    seen.load = "mavproxy"
    seen.collected["mavlink"]["report"] = report
    metrics = seal(aggregate(seen))
    assert problems(metrics) == []
    lost = metrics["g_data_plane"]["drone_to_gcs"]["lost"]
    assert 0 < metrics["j_mavlink_gcs"]["sequence_gaps"] <= lost
    assert metrics["j_mavlink_gcs"]["program"] == program
    said = metrics["l_flight_controller"]
    assert (said["source"], said["mode"]) == ("/dev/ttyAMA0", "STABILIZE")
    assert 14.0 < said["battery_v"] < 17.0
