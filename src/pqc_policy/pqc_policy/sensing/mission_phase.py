# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The phase of the mission, from what the autopilot reports.

A report of the landed state decides over take-off, landing and ground; without it the motion and
the mode do. A phase has to last before it replaces another, so that a gust changes nothing; the
beginning of take-off and landing counts at once, since work is put off in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum


class Phase(IntEnum):
    """The constants of VehicleState."""

    UNKNOWN = 0
    ON_GROUND = 1
    TAKE_OFF = 2
    CLIMB = 3
    TRANSIT = 4
    HOVER = 5
    LANDING = 6


class Landed(IntEnum):
    """MAV_LANDED_STATE."""

    UNDEFINED = 0
    ON_GROUND = 1
    IN_AIR = 2
    TAKE_OFF = 3
    LANDING = 4


@dataclass(frozen=True, slots=True)
class Motion:
    """The content of VFR_HUD; None: unknown."""

    climb_m_s: float | None = None  # positive upwards
    speed_m_s: float | None = None  # over ground
    throttle: float | None = None  # 0 to 1


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that is known at one time, in s of any clock that doesn't go back."""

    time_s: float
    armed: bool
    mode: str = ""
    landed: Landed = Landed.UNDEFINED
    motion: Motion = Motion()


@dataclass(frozen=True)
class PhaseConfig:
    """Thresholds; half of one ends a phase that it began."""

    climb_m_s: float = 1.0  # Rate of climb from which the vehicle climbs
    transit_m_s: float = 2.0  # Speed over ground from which the vehicle is in transit
    idle_throttle: float = 0.2  # Throttle below which a vehicle that stands still is on the ground
    take_off_s: float = 8.0  # Longest take-off; where it goes on, the vehicle climbs
    settle_s: float = 1.5  # Time that a phase has to last before it replaces another


@dataclass(frozen=True, slots=True)
class PhaseState:
    phase: Phase = Phase.UNKNOWN
    since_s: float = 0.0
    next_phase: Phase | None = None  # that may replace it
    next_since_s: float = 0.0


_AT_ONCE = (Phase.TAKE_OFF, Phase.LANDING)
# Words in the modes of ArduPilot and PX4, as MAVROS and pymavlink write them.
_TAKE_OFF_WORDS = frozenset({"TAKEOFF"})
_LAND_WORDS = frozenset({"LAND", "PRECLAND", "QLAND", "AUTOLAND"})
_RETURN_WORDS = frozenset({"RTL", "RTGS", "QRTL", "SMART_RTL"})
_HOVER_WORDS = frozenset(
    {"LOITER", "POSHOLD", "BRAKE", "ALT_HOLD", "POSCTL", "ALTCTL", "QHOVER", "QLOITER"}
)
_TRANSIT_WORDS = frozenset({"AUTO", "MISSION", "GUIDED", "OFFBOARD", "CRUISE", *_RETURN_WORDS})


def observed(config: PhaseConfig, state: PhaseState, seen: Observation) -> PhaseState:
    if state.phase is not Phase.UNKNOWN and seen.time_s < state.since_s:
        state = PhaseState()  # the clock was set back
    phase = _momentary(config, state, seen)
    if phase is state.phase:
        return replace(state, next_phase=None)
    if state.phase is Phase.UNKNOWN or phase in _AT_ONCE:
        return PhaseState(phase, seen.time_s)
    if phase is not state.next_phase:
        state = replace(state, next_phase=phase, next_since_s=seen.time_s)
    if seen.time_s - state.next_since_s >= config.settle_s:
        return PhaseState(phase, seen.time_s)
    return state


def _momentary(config: PhaseConfig, state: PhaseState, seen: Observation) -> Phase:
    """Return the phase that an observation shows by itself."""
    if not seen.armed or seen.landed is Landed.ON_GROUND:
        return Phase.ON_GROUND
    words = set(seen.mode.upper().split("."))
    if seen.landed is Landed.LANDING or words & _LAND_WORDS:
        return Phase.LANDING
    if seen.landed is Landed.TAKE_OFF or words & _TAKE_OFF_WORDS:
        return _take_off(config, state, seen)
    climbs = _climbs(config, state, seen)
    if seen.landed is Landed.UNDEFINED and not climbs and _stands(config, state, seen):
        return Phase.ON_GROUND
    if climbs and state.phase is Phase.TAKE_OFF:
        return _take_off(config, state, seen)
    if state.phase is Phase.ON_GROUND and (climbs or seen.landed is Landed.IN_AIR):
        return _take_off(config, state, seen)
    return _in_the_air(config, state, seen, words)


def _take_off(config: PhaseConfig, state: PhaseState, seen: Observation) -> Phase:
    since_s = state.since_s if state.phase is Phase.TAKE_OFF else seen.time_s
    over = state.phase is Phase.CLIMB or seen.time_s - since_s > config.take_off_s
    return Phase.CLIMB if over else Phase.TAKE_OFF


def _stands(config: PhaseConfig, state: PhaseState, seen: Observation) -> bool:
    motion = seen.motion
    if motion.climb_m_s is None or motion.throttle is None:
        return False
    still = abs(motion.climb_m_s) < 0.5 * config.climb_m_s
    still = still and (motion.speed_m_s or 0.0) < 0.5 * config.transit_m_s
    if state.phase is Phase.ON_GROUND:
        return still
    # An idle throttle in the air is a descent: only who lands comes to the ground.
    idle = motion.throttle < config.idle_throttle
    return still and idle and state.phase in (Phase.UNKNOWN, Phase.LANDING)


def _climbs(config: PhaseConfig, state: PhaseState, seen: Observation) -> bool:
    share = 0.5 if state.phase in (Phase.CLIMB, Phase.TAKE_OFF) else 1.0
    climb = seen.motion.climb_m_s
    return climb is not None and climb >= share * config.climb_m_s


def _in_the_air(
    config: PhaseConfig, state: PhaseState, seen: Observation, words: set[str]
) -> Phase:
    climb, speed = seen.motion.climb_m_s, seen.motion.speed_m_s
    if _climbs(config, state, seen):
        return Phase.CLIMB
    if speed is not None:
        share = 0.5 if state.phase is Phase.TRANSIT else 1.0
        if speed >= share * config.transit_m_s:
            return Phase.TRANSIT
        sinks = climb is not None and climb <= -0.5 * config.climb_m_s
        return Phase.LANDING if sinks and words & _RETURN_WORDS else Phase.HOVER
    if words & _HOVER_WORDS:
        return Phase.HOVER
    return Phase.TRANSIT if words & _TRANSIT_WORDS else Phase.UNKNOWN
