# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's sensors with their noise, and the messages that its sensing publishes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from pqc_policy.sensing.battery.monitor import BatteryMonitor
from pqc_policy.sensing.battery.predictor import BatteryPredictor
from pqc_policy.sensing.battery.predictor import Pack as KnownPack
from pqc_policy.sensing.battery.reading import BatteryReading
from pqc_policy.sensing.computer.energy import Energy
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorState
from pqc_policy.sensing.detectors.verdict_fields import verdict_fields
from pqc_policy.sensing.mission_phase import PhaseConfig
from pqc_policy.sensing.phase_tracker import PhaseTracker
from pqc_policy.sensing.traffic.bins import TrafficBins, seconds
from pqc_policy.sensing.trend import Trend

from pqc_sim.flights.messages import made, stamp
from pqc_sim.flights.script import Load
from pqc_sim.physics.battery_pack import Pack
from pqc_sim.physics.computer import Computer

_NAN = float("nan")
_SILENT_S = 3.0  # the advisor is silent so long after the last report
_THERMAL_STEP_C = 0.487  # resolution of the sensor in the processor


class Instruments:
    """Sensors with their noise, and the sensing of pqc_policy behind them."""

    def __init__(self, assumed: KnownPack, seed: str) -> None:
        self._noise = {
            part: Random(f"{seed}/{part}").gauss for part in ("battery", "thermal", "power")
        }
        self._battery = BatteryMonitor(BatteryPredictor(assumed))
        self._temperature = Trend()
        self._energy = Energy()
        self._phases = PhaseTracker(PhaseConfig())
        self._advisor = Advisor()
        self._judged = AdvisorState()
        self._bins = TrafficBins()
        self._reported_s: float | None = None

    def measure(self, pack: Pack) -> BatteryReading:
        noise = self._noise["battery"]
        return BatteryReading(
            voltage_v=round(pack.voltage_v + noise(0.0, 0.012), 3),
            current_a=round(max(1.01 * pack.current_a + noise(0.0, 0.12), 0.0), 2),
            temperature_c=round(pack.temperature_c + noise(0.0, 0.1), 1),
        )

    def battery(self, at_ns: int, read: BatteryReading) -> Any:
        self._battery, report = self._battery.taken(at_ns / 1e9, read)
        assert report is not None and report.prediction is not None
        predicted = report.prediction
        return made(
            "pqc_msgs/msg/BatteryPrediction",
            stamp=stamp(at_ns),
            source="mavros/battery",
            voltage_v=read.voltage_v,
            cells=self._battery.predictor.pack.cells,
            current_a=read.current_a,
            temperature_c=read.temperature_c,
            rate_mv_per_min=_or_nan(report.rate_mv_per_min),
            charge=predicted.charge,
            charge_sigma=predicted.charge_sigma,
            endurance_s=_or_nan(predicted.endurance_s),
            endurance_sigma_s=_or_nan(predicted.endurance_sigma_s),
        )

    def vehicle(self, at_ns: int, load: Load) -> Any:
        now_s = at_ns / 1e9
        self._phases.note_landed(now_s, load.landed)
        self._phases.note_motion(now_s, load.motion)
        phase, motion = self._phases.phase(now_s, load.armed, load.mode)
        return made(
            "pqc_msgs/msg/VehicleState",
            stamp=stamp(at_ns),
            source="mavros/state",
            armed=load.armed,
            mode=load.mode,
            phase=int(phase),
            phase_text=phase.name.lower(),
            climb_m_s=_or_nan(motion.climb_m_s),
            speed_m_s=_or_nan(motion.speed_m_s),
            throttle=_or_nan(motion.throttle),
        )

    def thermal(self, at_ns: int, computer: Computer) -> Any:
        noisy_c = computer.temperature_c + self._noise["thermal"](0.0, 0.2)
        read_c = round(noisy_c / _THERMAL_STEP_C) * _THERMAL_STEP_C
        self._temperature = self._temperature.pushed(at_ns / 1e9, read_c)
        return made(
            "pqc_msgs/msg/ThermalReading",
            stamp=stamp(at_ns),
            zone="cpu-thermal",
            temperature_c=round(read_c, 3),
            rate_c_per_min=_or_nan(self._temperature.per_minute()),
        )

    def power(self, at_ns: int, computer: Computer) -> Any:
        power_w = round(computer.power_w + self._noise["power"](0.0, 0.05), 2)
        self._energy = self._energy.added(at_ns / 1e9, power_w)
        return made(
            "pqc_msgs/msg/PowerReading",
            stamp=stamp(at_ns),
            source="hwmon",
            power_w=power_w,
            energy_j=self._energy.joules,
        )

    def note_link(self, report: Any) -> None:
        self._reported_s = seconds(report.stamp)
        for newest in self._bins.take_link(report):
            self._judged = self._advisor.judged(self._judged, newest)

    def note_status(self, status: Any) -> None:
        for newest in self._bins.take_status(status):
            self._judged = self._advisor.judged(self._judged, newest)

    def advisor(self, at_ns: int) -> Any | None:
        """Return an AdvisorVerdict; None without a recent LinkReport."""
        if self._reported_s is None or at_ns / 1e9 - self._reported_s > _SILENT_S:
            return None
        fields = verdict_fields(self._judged)
        fields["scores"] = np.array(fields["scores"], dtype=np.float64)
        return made("pqc_msgs/msg/AdvisorVerdict", stamp=stamp(at_ns), **fields)


def _or_nan(number: float | None) -> float:
    return number if number is not None else _NAN
