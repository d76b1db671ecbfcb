# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pqc_policy.sensing.computer.power_capture import Capture, CaptureFault, Plan, plan, record


class Time:
    """A clock that advances only during a sleep or a reading."""

    def __init__(self, reading_s: float = 0.0) -> None:
        self.now_s = 100.0
        self.reading_s = reading_s

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def taking(self, power_w: Callable[[float], float | None]) -> Callable[[float], float | None]:
        def read(time_s: float) -> float | None:
            self.now_s += self.reading_s
            return power_w(time_s)

        return read


def captured(
    wanted: Plan,
    power_w: Callable[[float], float | None],
    reading_s: float = 0.0,
    stopped: Callable[[], bool] = lambda: False,
) -> Capture:
    clock = Time(reading_s)
    return record(wanted, clock.taking(power_w), stopped, clock, clock.sleep)


def test_power_is_written_at_1_khz_with_its_trapezoidal_energy(tmp_path: Path) -> None:
    wanted = plan("hover", 2.0, 0.0, tmp_path / "new")
    result = captured(wanted, lambda time_s: 4.0 + (time_s - 100.0))
    assert result.success
    assert result.samples == pytest.approx(2001, abs=1)
    assert result.seconds == pytest.approx(2.0, abs=0.002)
    assert result.energy.joules == pytest.approx(10.0, rel=0.002)
    lines = (tmp_path / "new" / "hover.csv").read_text().splitlines()
    assert lines[:3] == ["time_s,power_w", "0.000000,4.000000", "0.001000,4.001000"]
    assert len(lines) == result.samples + 1


def test_the_message_has_the_rate_that_was_reached(tmp_path: Path) -> None:
    # A reading takes 1.5 ms: every second slot is missed.
    result = captured(plan("slow", 1.0, 1000.0, tmp_path), lambda _: 5.0, reading_s=0.0015)
    assert result.success
    assert "at 500.0 per second" in result.message
    assert result.energy.joules == pytest.approx(5.0, rel=0.01)


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "/x", ".hidden", "-x", "a b", "x\n", "x" * 101, "naïve"]
)
def test_an_invalid_name_is_rejected(name: str, tmp_path: Path) -> None:
    with pytest.raises(CaptureFault, match="is not a valid name for a capture"):
        plan(name, 1.0, 0.0, tmp_path)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 3600.1, float("nan"), float("inf")])
def test_a_duration_out_of_range_is_rejected(seconds: float, tmp_path: Path) -> None:
    with pytest.raises(CaptureFault, match="more than 0 and at most 3600 s"):
        plan("x", seconds, 0.0, tmp_path)


@pytest.mark.parametrize("rate_hz", [-1.0, 0.5, 1000.5, float("nan")])
def test_a_rate_out_of_range_is_rejected(rate_hz: float, tmp_path: Path) -> None:
    with pytest.raises(CaptureFault, match="from 1 to 1000 per second"):
        plan("x", 1.0, rate_hz, tmp_path)


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("precious")
    with pytest.raises(CaptureFault, match="exists already"):
        plan("x", 1.0, 0.0, tmp_path)
    assert not captured(Plan(tmp_path / "x.csv", 1.0, 10.0), lambda _: 1.0).success
    assert (tmp_path / "x.csv").read_text() == "precious"


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = captured(Plan(tmp_path / "file" / "x.csv", 1.0, 10.0), lambda _: 1.0)
    assert not result.success
    assert "can't be written" in result.message


def test_a_sensor_that_stops_answering_ends_the_capture_with_its_samples_so_far(
    tmp_path: Path,
) -> None:
    result = captured(plan("x", 30.0, 100.0, tmp_path), lambda t: 5.0 if t < 102.0 else None)
    assert (result.success, result.samples) == (False, 200)
    assert result.message == "The sensor stopped answering after 2.0 s."


def test_a_capture_can_be_stopped(tmp_path: Path) -> None:
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 50

    result = captured(plan("x", 30.0, 100.0, tmp_path), lambda _: 5.0, stopped=stopped)
    assert not result.success
    assert result.message.startswith("The capture was stopped")
