# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Predicts state of charge and remaining time of a battery, with their uncertainty.

An extended Kalman filter over charge, wear and resistance. It counts the charge drawn and corrects
it by the open-circuit voltage: the measured voltage, under load plus the loss over the resistance.
The same correction learns the resistance and the remaining share of the nominal capacity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, sqrt

from pqc_policy.parameters import parameter
from pqc_policy.sensing.battery.open_circuit import cell_voltage_and_slope, charge_at

_HOUR_S = 3600.0
_REFERENCE_C = 25.0
Row = tuple[float, float, float]
Matrix = tuple[Row, Row, Row]


@dataclass(frozen=True)
class Pack:
    """The pack, as it is known beforehand."""

    cells: int = parameter(4, "Cells in series.", "", 1, 24, section="Battery pack")
    capacity_ah: float = parameter(5.2, "Capacity, as labelled or as measured.", "Ah", 0.05, 1000.0)
    peukert: float = 1.03  # Peukert's exponent, for a capacity that was measured in an hour
    cell_resistance_ohm: float = parameter(
        0.006,
        "Resistance of a cell at 25 °C under a lasting load, slow polarisation included.",
        "Ω",
        1e-5,
        1.0,
    )
    capacity_per_c: float = 0.005  # Share of the capacity lost per °C below 25 °C
    resistance_per_c: float = 0.015  # Share of the resistance gained per °C below 25 °C
    empty_cell_v: float = 3.3  # Voltage of a cell under load at which the remaining time ends
    # Share of the resistance gained at charge 0; it decays exponentially with the charge.
    resistance_rise: float = 5.0
    resistance_rise_charge: float = 0.05  # Charge over which that gain falls by a factor of e


@dataclass(frozen=True)
class Trust:
    """The standard deviations of the predictor's sources, and its time constants."""

    # Standard deviation of the charge that the first voltage indicates.
    charge_at_start: float = 0.10
    wear: float = 0.12  # Standard deviation of the capacity, relative
    resistance: float = 0.5  # Standard deviation of the resistance, relative
    cell_at_rest_v: float = 0.010  # Standard deviation of a cell's open-circuit voltage at rest
    # Standard deviation of a cell's open-circuit voltage under load.
    cell_under_load_v: float = 0.030
    independent_s: float = 200.0  # Time over which the errors of these voltages are correlated
    rest_current_a: float = 0.5  # Current below which the pack is at rest
    rest_s: float = 60.0  # Time at rest until the voltage has recovered from a load
    # Time over which the current is averaged to predict the remaining time.
    current_s: float = 150.0
    change_s: float = 15.0  # Time over which a change of load is detected
    change: float = 0.25  # Relative change of the load after which the average starts again


_TRUST = Trust()


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement; without a temperature 25 °C are assumed."""

    time_s: float
    voltage_v: float  # of the pack
    current_a: float  # drawn, positive when discharging
    temperature_c: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The state of the predictor between samples."""

    sample: Sample
    charge: float  # 0 to 1
    wear: float  # nominal capacity over the pack's own: 1 when new, more when worn
    resistance_ohm: float  # of a cell at 25 °C
    covariance: Matrix
    mean_current_a: float
    averaged_s: float  # time that the mean current covers
    recent_current_a: float
    resting_since_s: float | None


@dataclass(frozen=True, slots=True)
class Prediction:
    """Remaining charge and time; sigma is a standard deviation."""

    charge: float
    charge_sigma: float
    endurance_s: float | None  # at the present current; None while nothing is drawn
    endurance_sigma_s: float | None


class BatteryPredictor:
    """Predicts from one sample after another; the caller keeps the estimate."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack

    def start(self, sample: Sample) -> Estimate:
        pack, trust = self.pack, _TRUST
        factor = self._resistance_factor(sample)
        rest_v = (
            sample.voltage_v / pack.cells + sample.current_a * pack.cell_resistance_ohm * factor
        )
        variances = (
            trust.charge_at_start**2,
            trust.wear**2,
            (trust.resistance * pack.cell_resistance_ohm) ** 2,
        )
        return Estimate(
            sample=sample,
            charge=charge_at(rest_v),
            wear=1.0,
            resistance_ohm=pack.cell_resistance_ohm,
            covariance=(
                (variances[0], 0.0, 0.0),
                (0.0, variances[1], 0.0),
                (0.0, 0.0, variances[2]),
            ),
            mean_current_a=max(sample.current_a, 0.0),
            averaged_s=trust.change_s,
            recent_current_a=max(sample.current_a, 0.0),
            resting_since_s=sample.time_s if self._resting(sample) else None,
        )

    def update(self, estimate: Estimate, sample: Sample) -> Estimate:
        """Return the estimate after another sample; an older sample changes nothing."""
        seconds = sample.time_s - estimate.sample.time_s
        if seconds <= 0.0:
            return estimate
        return self._corrected(self._counted(estimate, sample, seconds), sample, seconds)

    def predict(self, estimate: Estimate) -> Prediction:
        charge = min(max(estimate.charge, 0.0), 1.0)
        (charge_variance, charge_wear, _), (_, wear_variance, _), _ = estimate.covariance
        sigma = sqrt(max(charge_variance, 0.0))
        drain = self._drain(estimate.mean_current_a, estimate.sample) * estimate.wear
        if drain <= 0.0:
            return Prediction(charge, sigma, None, None)
        usable = max(charge - self._unusable(estimate), 0.0)
        # This is the deviation of charge / wear, to first order.
        left = usable / estimate.wear
        variance = (
            charge_variance - 2.0 * left * charge_wear + left**2 * wear_variance
        ) / estimate.wear**2
        per_s = drain / estimate.wear
        return Prediction(charge, sigma, usable / drain, sqrt(max(variance, 0.0)) / per_s)

    def _unusable(self, estimate: Estimate) -> float:
        """Return the charge at which the voltage under the present load counts as empty."""
        loss_per_ohm = estimate.mean_current_a * self._resistance_factor(estimate.sample)
        low, high = 0.0, 1.0
        for _ in range(16):
            charge = (low + high) / 2.0
            loss_v = loss_per_ohm * estimate.resistance_ohm * self._rise(charge)[0]
            if cell_voltage_and_slope(charge)[0] - loss_v < self.pack.empty_cell_v:
                low = charge
            else:
                high = charge
        return low

    def _counted(self, estimate: Estimate, sample: Sample, seconds: float) -> Estimate:
        current_a = (estimate.sample.current_a + sample.current_a) / 2.0
        step = self._drain(current_a, sample) * seconds  # of a pack without wear
        (a, b, c), (_, e, f), (_, _, i) = estimate.covariance
        # Charge follows wear: F = [[1, -step, 0], [0, 1, 0], [0, 0, 1]].
        covariance = (
            (a - 2.0 * step * b + step**2 * e + 1e-10 * seconds, b - step * e, c - step * f),
            (b - step * e, e, f),
            (c - step * f, f, i + 1e-12 * seconds),
        )
        mean_a, recent_a, averaged_s = self._averaged(estimate, max(sample.current_a, 0.0), seconds)
        resting_since_s = None
        if self._resting(sample):
            since_s = estimate.resting_since_s
            resting_since_s = sample.time_s if since_s is None else since_s
        return replace(
            estimate,
            sample=sample,
            charge=estimate.charge - step * estimate.wear,
            covariance=covariance,
            mean_current_a=mean_a,
            averaged_s=averaged_s,
            recent_current_a=recent_a,
            resting_since_s=resting_since_s,
        )

    def _averaged(
        self, estimate: Estimate, current_a: float, seconds: float
    ) -> tuple[float, float, float]:
        """Return the mean current, the recent current, and the time that the mean covers."""
        trust = _TRUST
        recent_a = estimate.recent_current_a
        recent_a += (1.0 - exp(-seconds / trust.change_s)) * (current_a - recent_a)
        averaged_s = min(estimate.averaged_s + seconds, trust.current_s)
        mean_a = estimate.mean_current_a
        mean_a += (1.0 - exp(-seconds / averaged_s)) * (current_a - mean_a)
        if abs(recent_a - mean_a) > max(trust.change * mean_a, trust.rest_current_a):
            return recent_a, recent_a, trust.change_s
        return mean_a, recent_a, averaged_s

    def _rise(self, charge: float) -> tuple[float, float]:
        """Return the factor of the resistance at a charge, and its slope."""
        pack = self.pack
        more = pack.resistance_rise * exp(-max(charge, 0.0) / pack.resistance_rise_charge)
        return 1.0 + more, -more / pack.resistance_rise_charge

    def _corrected(self, estimate: Estimate, sample: Sample, seconds: float) -> Estimate:
        trust = _TRUST
        since_s = estimate.resting_since_s
        rested = since_s is not None and sample.time_s - since_s >= trust.rest_s
        sigma_v = trust.cell_at_rest_v if rested else trust.cell_under_load_v
        variance = sigma_v**2 * max(1.0, trust.independent_s / seconds)

        rest_v, slope = cell_voltage_and_slope(estimate.charge)
        rise, rise_slope = self._rise(estimate.charge)
        load_a = sample.current_a * self._resistance_factor(sample)
        loss_per_ohm = load_a * rise
        expected_v = rest_v - loss_per_ohm * estimate.resistance_ohm
        surprise_v = sample.voltage_v / self.pack.cells - expected_v
        gradient = (slope - load_a * rise_slope * estimate.resistance_ohm, 0.0, -loss_per_ohm)
        p = estimate.covariance
        ph = tuple(sum(p[i][j] * gradient[j] for j in range(3)) for i in range(3))
        total = sum(gradient[i] * ph[i] for i in range(3)) + variance
        gain = tuple(value / total for value in ph)
        rows = tuple(tuple(p[i][j] - gain[i] * ph[j] for j in range(3)) for i in range(3))
        nominal_ohm = self.pack.cell_resistance_ohm
        return replace(
            estimate,
            charge=estimate.charge + gain[0] * surprise_v,
            wear=min(max(estimate.wear + gain[1] * surprise_v, 0.8), 2.0),
            resistance_ohm=min(
                max(estimate.resistance_ohm + gain[2] * surprise_v, 0.2 * nominal_ohm),
                10.0 * nominal_ohm,
            ),
            covariance=rows,  # type: ignore[arg-type]
        )

    def _resting(self, sample: Sample) -> bool:
        return abs(sample.current_a) < _TRUST.rest_current_a

    def _drain(self, current_a: float, sample: Sample) -> float:
        """Return the share of the nominal capacity that a current takes per second."""
        pack = self.pack
        cold_c = _REFERENCE_C - self._temperature(sample)
        capacity_ah = pack.capacity_ah * min(max(1.0 - pack.capacity_per_c * cold_c, 0.5), 1.0)
        hardness = 1.0
        if current_a > 0.0:
            hardness = (current_a / pack.capacity_ah) ** (pack.peukert - 1.0)
        return current_a * hardness / (capacity_ah * _HOUR_S)

    def _resistance_factor(self, sample: Sample) -> float:
        cold_c = _REFERENCE_C - self._temperature(sample)
        return min(max(1.0 + self.pack.resistance_per_c * cold_c, 0.5), 3.0)

    @staticmethod
    def _temperature(sample: Sample) -> float:
        return _REFERENCE_C if sample.temperature_c is None else sample.temperature_c
