# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Files of external meters: read, aligned to a run, and imported into its cells."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pqc_bench.bench_command import main
from pqc_bench.meter.alignment import align
from pqc_bench.meter.meter_file import read_meter
from pqc_bench.metrics import read_metrics
from pqc_bench.power import pattern
from pqc_bench.power.marks import Mark, Marks
from pqc_bench.power.pattern import STEP_S, Patterns, bits
from pqc_bench.power.trace import Trace, TraceFault, read_trace
from report_run import make_run

FILES = {
    "Joulescope": "#time (s),current (A),voltage (V)\n0.0,0.8,5.0\n0.001,0.9,5.0\n",
    "Joulescope without headings": "0.0,0.8,5.0\n0.001,0.9,5.0\n",
    "units of a thousandth": "Timestamp(ms),Main current (mA),Main voltage (mV)\n"
    "0,800,5000\n1,900,5000\n",
    "semicolons and decimal commas": "Time [s];VBUS [V];IBUS [A]\n0,000;5,0;0,8\n0,001;5,0;0,9\n",
    "more commas of decimals than delimiters": "Time [s];P [W]\n0,000;4,0\n0,001;4,5\n",
    "tabs and other columns": "t_us\tu_v\ti_ma\tD+ (V)\n0\t5.0\t800\t3.3\n1000\t5.0\t900\t3.3\n",
    "times of day and a preface": "AVHzY\nTime,Voltage(V),Current(A)\n"
    "2026-11-28 01:02:03.000,5.0,0.8\n2026-11-28 01:02:03.001,5.0,0.9\n",
    "power": "time (s),power (mW)\n0,4000\n0.001,4500\n",
}


@pytest.mark.parametrize("name", FILES)
def test_units_and_delimiters_are_those_of_the_headings(tmp_path: Path, name: str) -> None:
    file = tmp_path / "meter.csv"
    file.write_text(FILES[name], encoding="utf-8")
    found = read_meter(file)
    assert found.power_w == pytest.approx([4.0, 4.5])
    assert found.seconds == pytest.approx([0.0, 0.001])


def test_a_file_of_currents_needs_the_voltage_of_the_supply(tmp_path: Path) -> None:
    file = tmp_path / "meter.csv"
    file.write_text("time (s),current (A)\n0,0.8\n0.001,0.9\n")
    with pytest.raises(TraceFault, match="give that of the supply"):
        read_meter(file)
    assert read_meter(file, volts=5.0).power_w == pytest.approx([4.0, 4.5])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n1,2\n", "has no headings"),
        ("time (s),power (W)\n1,4\n1,4\n", "do not rise"),
        ("time (s),power (W)\n1,4\n2,x\n", "isn't of numbers"),
    ],
)
def test_a_file_that_is_no_meters_is_rejected_in_a_sentence(
    tmp_path: Path, text: str, why: str
) -> None:
    file = tmp_path / "meter.csv"
    file.write_text(text)
    with pytest.raises(TraceFault, match=why):
        read_meter(file)


BEGINS_S = (1000.0, 1300.0)
# Of the meter's clock.
DRIFT, STARTED_S = 100e-6, 980.1234


def metered(begins_s: tuple[float, ...] = BEGINS_S, rate_hz: float = 500.0) -> Trace:
    """Return what a meter sees of a run: the pattern, a cell of 5 W, noise, in its own time."""
    own_s = np.arange(0.0, 345.0, 1.0 / rate_hz)
    run_s = STARTED_S + own_s * (1.0 + DRIFT)
    watts = 3.0 + np.random.default_rng(3).normal(0.0, 0.1, len(own_s))
    watts += np.where((run_s >= 1100.0) & (run_s < 1120.0), 2.0, 0.0)
    watts += np.where((run_s >= 1110.0) & (run_s < 1110.1), 3.0, 0.0)
    for begin_s in begins_s:
        step = np.floor((run_s - begin_s) / STEP_S).astype(int)
        within = (step >= 0) & (step < len(bits()))
        watts += np.where(within, np.take(bits(), step, mode="clip"), 0.0)
    facts = {"source": "meter", "sensor": "meter", "rate_hz": f"{rate_hz}", "ended": "stopped"}
    return Trace(own_s, watts, np.zeros(len(own_s)), facts)


def test_a_pattern_resembles_itself_only_unshifted() -> None:
    values = 2 * np.array(bits()) - 1
    assert [int(values @ np.roll(values, shift)) for shift in range(63)] == [63] + 62 * [-1]


def test_a_run_notes_when_it_made_its_patterns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern, "STEP_S", 0.001)
    file = tmp_path / "patterns.json"
    # Of a boot before.
    Patterns(1.0, (5.0,)).write(file)
    before_s = time.monotonic()
    for _ in range(2):
        pattern.make_pattern(file)
    first_s, second_s = pattern.read_patterns(file).begins_s
    assert before_s < first_s < second_s - 0.063 < time.monotonic()


def test_both_patterns_give_the_offset_and_the_drift_of_the_meters_clock() -> None:
    found = align(metered(), bits(), STEP_S, BEGINS_S)
    assert found.drift_ppm == pytest.approx(100.0, abs=3.0)
    assert found.correlation > 0.9
    aligned = found.aligned(metered())
    jump = int(np.argmax(aligned.power_w > 7.0))
    assert aligned.monotonic_s + aligned.seconds[jump] == pytest.approx(1110.0, abs=0.004)


def test_one_pattern_gives_the_offset_alone() -> None:
    found = align(metered(BEGINS_S[:1]), bits(), STEP_S, BEGINS_S[:1])
    assert found.drift == 0.0
    assert found.offset_s == pytest.approx(STARTED_S, abs=0.006)


def test_without_the_patterns_there_is_no_alignment() -> None:
    with pytest.raises(TraceFault, match="doesn't have the pattern"):
        align(metered(()), bits(), STEP_S, BEGINS_S)
    with pytest.raises(TraceFault, match="not both"):
        align(metered(BEGINS_S[:1]), bits(), STEP_S, BEGINS_S)


def test_a_meters_file_gives_each_cell_its_energy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suites = "cs-mlkem768-aesgcm-mldsa65,cs-mlkem512-aesgcm-mldsa44"
    run = make_run(tmp_path / "run", suites, ("baseline",), speed=False)
    first, second = sorted(run.glob("cells/**/metrics.json"))
    spans = {"idle": (1095.0, 1099.0), "traffic": (1101.0, 1119.0), "rekey": (1110.0, 1110.1)}
    marks = Marks(1.8e9, tuple(Mark(kind, *span) for kind, span in spans.items()))
    marks.write(first.with_name("power_marks.json"))
    # Of a boot before.
    Marks(1.7e9, marks.marks).write(second.with_name("power_marks.json"))
    Patterns(1.8e9, BEGINS_S).write(run / "power_patterns.json")
    seen = metered()
    rows = zip(seen.seconds, seen.power_w / 5.0, strict=True)
    file = tmp_path / "meter.csv"
    file.write_text(
        "#time (s),current (A),voltage (V)\n" + "".join(f"{t:.6f},{i:.9f},5.0\n" for t, i in rows)
    )
    assert main(["meter", str(run), str(file)]) == 1
    assert "1 of 2 cells have their power" in capsys.readouterr().out
    power: dict[str, Any] = read_metrics(first)["p_power_energy"]
    assert (power["source"], power["power_w"]["count"]) == ("meter", pytest.approx(9000, abs=5))
    assert power["energy_j"] == pytest.approx(5.0 * 18.0 + 0.3, rel=0.003)
    assert power["idle_w"] == pytest.approx(3.0, abs=0.02)
    assert power["above"]["rekey"]["joules"] == pytest.approx(0.3, abs=0.02)
    assert read_trace(first.with_name("power.csv.gz")).facts["source"] == "meter"
    assert read_metrics(second)["p_power_energy"]["source"] is None
    (run / "power_patterns.json").unlink()
    assert main(["meter", str(run), str(file)]) == 1
    assert "the run made no pattern for a meter" in capsys.readouterr().err
