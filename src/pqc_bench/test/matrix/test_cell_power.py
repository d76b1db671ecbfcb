# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The energy of parts of a cell, from traces whose power is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from observed_cell import observed_cell
from pqc_bench.cell.observed import Observed
from pqc_bench.cell.power_marks import marks_of
from pqc_bench.metrics.aggregator import aggregate
from pqc_bench.metrics.canonical import seal
from pqc_bench.metrics.schema import problems
from pqc_bench.power.cell_power import cell_power
from pqc_bench.power.energy import EnergyOfTrace, Span
from pqc_bench.power.marks import (
    HANDSHAKE,
    IDLE,
    KEY_GENERATION,
    REKEY,
    TRAFFIC,
    Mark,
    Marks,
    read_marks,
)
from pqc_bench.power.trace import Trace, TraceFault, read_trace, write_trace

RATE_HZ = 1100.0
BEGINS_S = 5000.0
STEP_W = 0.004


def trace(
    power: Callable[[Any], Any], seconds: float = 30.0, noise_w: float = 0.01, **facts: str
) -> Trace:
    """Return a trace of a power over the time, with the noise and the steps of a sensor."""
    at = np.arange(0.0, seconds, 1.0 / RATE_HZ)
    noise = np.random.default_rng(7).normal(0.0, noise_w, len(at))
    watts = np.round((power(at) + noise) / STEP_W) * STEP_W
    known = {"source": "iio", "sensor": "ina219", "rate_hz": f"{RATE_HZ}", "step_w": f"{STEP_W}"}
    known |= {"monotonic_s": f"{BEGINS_S}", "utc_s": "1.8e9", "ended": "stopped", **facts}
    return Trace(at, watts, np.zeros(len(at)), known)


def marks(*found: tuple[str, float, float]) -> Marks:
    return Marks(1.7e9, tuple(Mark(kind, BEGINS_S + a, BEGINS_S + b) for kind, a, b in found))


def bumps(at: Any) -> Any:
    """Return 4 W, 5 W from 10 s on, a bump of 2 W for 50 ms, and one of 1 mW for 1 ms."""
    watts = 4.0 + np.where(at >= 10.0, 1.0, 0.0)
    watts += np.where((at >= 20.0) & (at < 20.05), 2.0, 0.0)
    return watts + np.where((at >= 22.0) & (at < 22.001), 0.001, 0.0)


CELL = (
    (IDLE, 0.5, 9.5),
    (TRAFFIC, 11.0, 29.0),
    (REKEY, 20.0, 20.05),
    (KEY_GENERATION, 22.0, 22.001),
)


def test_the_energy_of_work_is_what_is_above_the_power_without_it() -> None:
    found = cell_power(trace(bumps), marks(*CELL))
    assert found["idle_w"] == pytest.approx(4.0, abs=0.002)
    assert found["energy_j"] == pytest.approx(5.0 * 18.0 + 0.1, rel=1e-3)
    above = found["above"]
    assert above[TRAFFIC].joules == pytest.approx(18.1, rel=0.005)
    assert above[REKEY].joules == pytest.approx(0.1, abs=0.004)
    assert above[REKEY].low_j < 0.1 < above[REKEY].high_j
    assert above[REKEY].high_j - above[REKEY].low_j < 0.01


def test_an_energy_below_the_resolution_is_neither_a_number_nor_zero() -> None:
    seen = observed_cell()
    seen.collected["power"] = cell_power(trace(bumps), marks(*CELL))
    document = aggregate(seen)
    assert problems(seal(document)) == []
    power = document["p_power_energy"]
    assert power["above"]["key_generation"]["joules"] is None
    status = document["metric_status"]["p_power_energy.above.key_generation.joules"]
    assert status["status"] == "below_resolution"
    assert status["reason"].startswith("below 0.0")
    assert power["above"]["rekey"]["joules"] > 0.0
    assert power["energy_uj_per_packet"] > 0.0
    assert power["trace"] == "power.csv.gz"
    assert document["q_observability"]["collectors"]["power"]["alive"] is True


def test_a_cell_without_a_mark_has_no_energy_of_it() -> None:
    seen = observed_cell()
    seen.collected["power"] = cell_power(trace(bumps), marks(*CELL[:2]))
    document = aggregate(seen)
    assert problems(seal(document)) == []
    assert document["p_power_energy"]["above"]["handshake"]["joules"] is None
    reason = document["metric_status"]["p_power_energy.above.handshake.joules"]["reason"]
    assert reason == "The trace doesn't cover that time."


def without(whole: Trace, begin_s: float, end_s: float) -> Trace:
    keep = (whole.seconds < begin_s) | (whole.seconds >= end_s)
    missed = whole.missed[keep].copy()
    missed[np.searchsorted(whole.seconds[keep], end_s)] += np.count_nonzero(~keep)
    return Trace(whole.seconds[keep], whole.power_w[keep], missed, whole.facts)


def test_a_short_gap_is_bridged_and_a_long_one_is_not() -> None:
    holed = without(without(trace(bumps), 12.0, 12.015), 14.0, 16.0)
    found = cell_power(holed, marks(*CELL))
    assert (found["gaps"]["count"], found["gaps"]["missed"]) == (2, 17 + 2200)
    assert found["gaps"]["bridged_share"] == pytest.approx(0.015 / 18.0, rel=0.1)
    assert found["gaps"]["uncovered_share"] == pytest.approx(2.0 / 18.0, rel=0.01)
    assert found["gaps"]["longest_ms"] == pytest.approx(2000.0, rel=0.01)
    assert found["energy_j"] == pytest.approx(5.0 * 18.0 + 0.1, rel=2e-3)


def test_a_mean_since_the_previous_sample_is_integrated_as_a_step() -> None:
    at = np.array([0.0, 1.0, 2.0, 5.0])
    facts = {"power": "mean since the previous sample", "rate_hz": "1", "step_j": "0.5"}
    counter = Trace(at, np.array([9.0, 2.0, 4.0, 1.0]), np.array([0.0, 0.0, 0.0, 2.0]), facts)
    energies = EnergyOfTrace(counter)
    assert energies.energy(Span(0.0, 5.0)).joules == pytest.approx(2.0 + 4.0 + 3.0)
    assert energies.energy(Span(0.5, 1.5)).joules == pytest.approx(1.0 + 2.0)
    assert energies.energy(Span(0.0, 5.0)).resolution_j == 0.5


def test_the_interval_holds_the_true_energy_about_as_often_as_it_says() -> None:
    held = 0
    for seed in range(200):
        at = np.arange(0.0, 6.0, 1.0 / RATE_HZ)
        noise = np.random.default_rng(seed).normal(0.0, 0.05, len(at))
        watts = 4.0 + noise + np.where(at >= 5.0, 0.5, 0.0)
        energies = EnergyOfTrace(Trace(at, watts, np.zeros(len(at)), {"rate_hz": f"{RATE_HZ}"}))
        found = energies.energy(Span(5.1, 5.9), energies.idle(Span(0.1, 4.9)))
        held += found.low_j <= 0.4 <= found.high_j
    assert 180 <= held <= 200


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "power.csv.gz"
    written = without(trace(bumps, seconds=2.0), 1.0, 1.1)
    write_trace(file, written)
    found = read_trace(file)
    assert found.seconds == pytest.approx(written.seconds, abs=1e-6)
    assert found.power_w == pytest.approx(written.power_w, abs=1e-6)
    assert found.missed.tolist() == written.missed.tolist()
    assert found.facts["sensor"] == "ina219"
    file.write_bytes(b"seconds,power_w\n")
    with pytest.raises(TraceFault, match="isn't a trace of power"):
        read_trace(file)


def test_marks_come_from_the_moments_states_and_events_of_both_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("time.time", lambda: 2_000.0)
    monkeypatch.setattr("time.monotonic", lambda: 500.0)
    seen = Observed("baseline", "mavlink", "clean", "cs-mlkem768-aesgcm-mldsa65", 2.0)
    seen.times = {"idle": 490.0, "launched": 492.0, "traffic": 495.0, "stopping": 499.0}
    seen.rekeys = [{"keygen_ms": 30.0, "prepared_ahead": False}]
    # States of 1,994 s and 1,993.5 s.
    seen.first = {
        "drone": {
            "stamp": {"sec": 1_994, "nanosec": 0},
            "key_age_s": 0.95,
            "handshake": {"total_s": 0.05},
        },
        "gcs": {
            "stamp": {"sec": 1_993, "nanosec": 500_000_000},
            "key_age_s": 0.46,
            "handshake": {"total_s": 0.03},
        },
    }
    events = [
        ("gcs", "rekey_started", 1_997_000_000_000),
        ("drone", "rekey_committed", 1_997_100_000_000),
        ("gcs", "rekey_committed", 1_997_090_000_000),
    ]
    found = marks_of(seen, events)
    spans = {mark.kind: (mark.begin_s, round(mark.end_s, 6)) for mark in found.marks}
    assert spans == {
        IDLE: (490.0, 492.0),
        TRAFFIC: (495.0, 499.0),
        HANDSHAKE: (493.0, 493.05),
        REKEY: (497.0, 497.1),
        KEY_GENERATION: (497.0, 497.03),
    }
    found.write(tmp_path / "marks.json")
    assert read_marks(tmp_path / "marks.json") == found
