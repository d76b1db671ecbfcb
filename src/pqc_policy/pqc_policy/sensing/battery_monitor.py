# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The battery as it is told of from now to then: smoothed rate, charge and time left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pqc_policy.sensing.battery_predictor import (
    BatteryPredictor,
    Estimate,
    Prediction,
    Sample,
)
from pqc_policy.sensing.sag import Sag
from pqc_policy.sensing.trend import Trend


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement; None: not known."""

    time_s: float
    voltage_v: float
    current_a: float | None = None  # drawn
    temperature_c: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of the pack; without a current nothing is predicted."""

    measured: Measured
    rate_mv_per_min: float | None
    prediction: Prediction | None


@dataclass(frozen=True)
class BatteryMonitor:
    """What is remembered of one battery; taking a measurement gives the next one."""

    predictor: BatteryPredictor
    rate_window_s: float = 30.0
    least_period_s: float = 0.24  # measurements that come faster are left out
    forget_s: float = 60.0  # after so long without any, or a clock that went back: begin anew
    late_s: float = 1.0  # measurements of two sources may overtake each other by so much
    trend: Trend | None = None
    sag: Sag | None = None
    estimate: Estimate | None = None
    last_s: float | None = None

    def taken(self, measured: Measured) -> tuple[BatteryMonitor, Report | None]:
        """Return what to remember, and the report; None if the measurement was left out."""
        kept = self
        if self.last_s is not None:
            step_s = measured.time_s - self.last_s
            if -self.late_s <= step_s < self.least_period_s:
                return self, None
            if step_s < 0.0 or step_s > self.forget_s:
                kept = replace(self, trend=None, sag=None, estimate=None)
        if measured.current_a is None:
            kept, rate, prediction = kept._without_current(measured)
        else:
            kept, rate, prediction = kept._with_current(measured, measured.current_a)
        return replace(kept, last_s=measured.time_s), Report(measured, rate, prediction)

    def _without_current(
        self, measured: Measured
    ) -> tuple[BatteryMonitor, float | None, Prediction | None]:
        trend = self.trend if self.trend is not None else Trend(self.rate_window_s)
        trend = trend.pushed(measured.time_s, measured.voltage_v)
        rate_v = trend.per_minute()
        return replace(self, trend=trend), None if rate_v is None else 1000.0 * rate_v, None

    def _with_current(
        self, measured: Measured, current_a: float
    ) -> tuple[BatteryMonitor, float | None, Prediction | None]:
        pack = self.predictor.pack
        sag = self.sag
        if sag is None:
            sag = Sag(pack.cells * pack.cell_resistance_ohm, self.rate_window_s)
        sag = sag.pushed(measured.time_s, measured.voltage_v, current_a)
        sample = Sample(measured.time_s, measured.voltage_v, current_a, measured.temperature_c)
        before = self.estimate
        estimate = (
            self.predictor.start(sample)
            if before is None or measured.time_s - before.sample.time_s > self.forget_s
            else self.predictor.update(before, sample)
        )
        prediction = self.predictor.predict(estimate)
        return replace(self, sag=sag, estimate=estimate), sag.mv_per_minute(), prediction
