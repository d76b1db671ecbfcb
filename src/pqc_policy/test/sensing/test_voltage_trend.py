# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from random import Random

import pytest
from pqc_policy.sensing.battery.voltage_trend import VoltageTrend

OHM = 0.01
SLOW_OHM = 0.012
SLOW_S = 9.0


def after(
    seconds: int, voltage_v: float, mv_per_min: float, currents_a: list[float]
) -> VoltageTrend:
    """Return a window over a voltage that falls steadily and depends on the load."""
    chance, sag = Random(1), VoltageTrend(0.024)
    slow_a = currents_a[0]
    for second in range(seconds):
        current_a = currents_a[min(second, len(currents_a) - 1)]
        noise_v = chance.gauss(0.0, 0.01)
        slow_a += (current_a - slow_a) / SLOW_S
        taken_v = OHM * current_a + SLOW_OHM * slow_a - mv_per_min / 60_000.0 * second
        sag = sag.pushed(second, voltage_v - taken_v + noise_v, current_a)
    return sag


@pytest.mark.parametrize("mv_per_min", [0.0, -100.0, -700.0])
def test_a_steady_fall_is_measured(mv_per_min: float) -> None:
    rate = after(31, 15.0, mv_per_min, [16.0]).mv_per_minute()
    assert rate == pytest.approx(mv_per_min, abs=40.0)


@pytest.mark.parametrize("second", range(1, 30))
@pytest.mark.parametrize("mv_per_min", [-50.0, -700.0])
def test_a_take_off_within_the_window_does_not_change_the_trend(
    second: int, mv_per_min: float
) -> None:
    sag = after(31, 16.0, mv_per_min, [0.5] * second + [18.0])
    assert sag.mv_per_minute() == pytest.approx(mv_per_min, abs=110.0)


def test_gusts_do_not_change_the_trend() -> None:
    chance = Random(2)
    sag = after(31, 15.0, -100.0, [16.0 + chance.gauss(0.0, 4.0) for _ in range(31)])
    assert sag.mv_per_minute() == pytest.approx(-100.0, abs=40.0)


def test_the_trend_over_a_few_seconds_is_unknown() -> None:
    assert after(5, 15.0, -500.0, [16.0]).mv_per_minute() is None
    assert after(6, 15.0, -500.0, [16.0]).mv_per_minute() is not None


def test_a_clock_that_went_backwards_empties_the_window() -> None:
    assert len(after(20, 15.0, 0.0, [1.0]).pushed(3.0, 15.0, 1.0).samples) == 1
