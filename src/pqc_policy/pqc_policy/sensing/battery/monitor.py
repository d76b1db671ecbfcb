# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Follows one battery: rate of its voltage, charge and remaining time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pqc_policy.sensing.battery.predictor import (
    BatteryPredictor,
    Estimate,
    Prediction,
    Sample,
)
from pqc_policy.sensing.battery.reading import BatteryReading
from pqc_policy.sensing.battery.voltage_trend import VoltageTrend
from pqc_policy.sensing.trend import Trend


@dataclass(frozen=True, slots=True)
class Report:
    """A report on the pack; without a current there is no prediction."""

    time_s: float
    reading: BatteryReading
    rate_mv_per_min: float | None
    prediction: Prediction | None


@dataclass(frozen=True)
class BatteryMonitor:
    """The state of one battery; `taken` returns the state after a reading."""

    predictor: BatteryPredictor
    rate_window_s: float = 30.0
    least_period_s: float = 0.24  # readings closer together are ignored
    forget_s: float = 60.0  # after a longer gap, or a clock set back, the estimate starts again
    late_s: float = 1.0  # readings of two sources may be out of order by this
    trend: Trend | None = None
    voltage_trend: VoltageTrend | None = None
    estimate: Estimate | None = None
    last_s: float | None = None

    def taken(self, time_s: float, reading: BatteryReading) -> tuple[BatteryMonitor, Report | None]:
        """Return the new state and a report; no report if the reading was ignored."""
        kept = self
        if self.last_s is not None:
            step_s = time_s - self.last_s
            if -self.late_s <= step_s < self.least_period_s:
                return self, None
            if step_s < 0.0 or step_s > self.forget_s:
                kept = replace(self, trend=None, voltage_trend=None, estimate=None)
        kept = replace(kept, last_s=time_s)
        if reading.current_a is None:
            return kept._without_current(time_s, reading)
        return kept._with_current(time_s, reading, reading.current_a)

    def _without_current(
        self, time_s: float, reading: BatteryReading
    ) -> tuple[BatteryMonitor, Report]:
        trend = self.trend if self.trend is not None else Trend(self.rate_window_s)
        trend = trend.pushed(time_s, reading.voltage_v)
        rate_v = trend.per_minute()
        rate_mv = None if rate_v is None else 1000.0 * rate_v
        return replace(self, trend=trend), Report(time_s, reading, rate_mv, None)

    def _with_current(
        self, time_s: float, reading: BatteryReading, current_a: float
    ) -> tuple[BatteryMonitor, Report]:
        pack = self.predictor.pack
        trend = self.voltage_trend
        if trend is None:
            trend = VoltageTrend(pack.cells * pack.cell_resistance_ohm, self.rate_window_s)
        trend = trend.pushed(time_s, reading.voltage_v, current_a)
        sample = Sample(time_s, reading.voltage_v, current_a, reading.temperature_c)
        before = self.estimate
        estimate = (
            self.predictor.start(sample)
            if before is None or time_s - before.sample.time_s > self.forget_s
            else self.predictor.update(before, sample)
        )
        prediction = self.predictor.predict(estimate)
        report = Report(time_s, reading, trend.mv_per_minute(), prediction)
        return replace(self, voltage_trend=trend, estimate=estimate), report
