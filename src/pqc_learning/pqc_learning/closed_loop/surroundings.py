# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What every strategy meets alike in each second of a flight: vehicle, weather, noise, silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pqc_policy.policy.inputs import Battery, Phase
from pqc_policy.sensing import mission_phase
from pqc_policy.sensing.mission_phase import Observation, PhaseState
from pqc_sim.flights.script import Script

from pqc_learning.closed_loop.sensed import (
    BATTERY_AGE_S,
    LINK_AGE_S,
    POWER_AGE_S,
    THERMAL_AGE_S,
    VEHICLE_AGE_S,
    SensedInputs,
)

_PHASE_CONFIG = mission_phase.PhaseConfig()
_PHASES: Mapping[mission_phase.Phase, Phase] = {
    phase: Phase[phase.name]
    for phase in mission_phase.Phase
    if phase is not mission_phase.Phase.UNKNOWN
}
_FLYING_W = 100.0  # of the motors
_THERMAL_NOISE_C, _POWER_NOISE_W = 0.2, 0.05
_SILENT_AT_S = {
    "thermal": THERMAL_AGE_S,
    "power": POWER_AGE_S,
    "link": LINK_AGE_S,
    "advisor": LINK_AGE_S,
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Those at the end of a second."""

    readings: Mapping[str, Any]  # of battery, armed state and phase
    phase: Phase | None  # as last sensed
    silent: frozenset[str]  # of the other topics
    thermal_noise_c: float
    power_noise_w: float
    busy: float  # load of the computer, 0 to 1
    ambient_c: float
    sun: float  # 0 to 1
    flying: bool


def surroundings(script: Script, battery: Sequence[Battery]) -> list[Surroundings]:
    """Return those of each second of a flight, with the battery at its end."""
    seed = f"{script.name}/{script.seed}"
    thermal, power = Random(f"{seed}/thermal").gauss, Random(f"{seed}/power").gauss
    sensed, state, track = SensedInputs(), PhaseState(), []
    for second, pack in enumerate(battery, start=1):
        now_s = float(second)
        silent = frozenset(
            topic for topic, age_s in _SILENT_AT_S.items() if script.silent(topic, now_s - age_s)
        )
        battery_s, vehicle_s = now_s - BATTERY_AGE_S, now_s - VEHICLE_AGE_S
        mavros = script.silent("mavros", battery_s)
        if not mavros and not script.silent("battery", battery_s):
            sensed.put("battery", battery_s, pack)
        if not mavros and not script.silent("vehicle", vehicle_s):
            leg = script.leg(vehicle_s)
            observed = Observation(now_s - THERMAL_AGE_S, leg.armed, leg.mode)
            state = mission_phase.observed(_PHASE_CONFIG, state, observed)
            sensed.put("armed", vehicle_s, leg.armed)
            sensed.put("phase", vehicle_s, _PHASES.get(state.phase))
        track.append(
            Surroundings(
                readings=sensed.readings(now_s),
                phase=_PHASES.get(state.phase),
                silent=silent,
                thermal_noise_c=thermal(0.0, _THERMAL_NOISE_C),
                power_noise_w=0.0 if "power" in silent else power(0.0, _POWER_NOISE_W),
                busy=script.busy.at(now_s),
                ambient_c=script.ambient_c.at(now_s),
                sun=script.sun.at(now_s),
                flying=script.leg(now_s).power_w > _FLYING_W,
            )
        )
    return track
