# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_policy.sensing.mission_phase import (
    Landed,
    Motion,
    Observation,
    Phase,
    PhaseConfig,
    PhaseState,
    observed,
)
from pqc_policy.sensing.phase_tracker import PhaseTracker

CONFIG = PhaseConfig()
GROUND = Motion(0.0, 0.0, 0.12)
CLIMB = Motion(2.5, 0.5, 0.5)
TRANSIT = Motion(0.1, 9.0, 0.42)
HOVER = Motion(0.0, 0.3, 0.4)
DESCENT = Motion(-1.2, 0.3, 0.3)
UNKNOWN = Motion()


def flown(*legs: tuple[float, Observation]) -> list[Phase]:
    """Return the phase at each half second of legs with their lengths in s."""
    state, now_s, phases = PhaseState(), 0.0, []
    for seconds, seen in legs:
        for _ in range(round(2 * seconds)):
            at = Observation(now_s, seen.armed, seen.mode, seen.landed, seen.motion)
            state = observed(CONFIG, state, at)
            phases.append(state.phase)
            now_s += 0.5
    return phases


def leg(
    motion: Motion, mode: str = "AUTO", landed: Landed = Landed.UNDEFINED, armed: bool = True
) -> Observation:
    return Observation(0.0, armed, mode, landed, motion)


def order(phases: list[Phase]) -> list[Phase]:
    return [phases[0], *(b for a, b in pairwise(phases) if b is not a)]


EVERY = [
    Phase.ON_GROUND,
    Phase.TAKE_OFF,
    Phase.CLIMB,
    Phase.TRANSIT,
    Phase.HOVER,
    Phase.LANDING,
    Phase.ON_GROUND,
]


def test_a_flight_with_landed_states_goes_through_every_phase() -> None:
    assert (
        order(
            flown(
                (5, leg(GROUND, "STABILIZE", Landed.ON_GROUND, armed=False)),
                (5, leg(GROUND, "GUIDED", Landed.ON_GROUND)),
                (4, leg(CLIMB, "GUIDED", Landed.TAKE_OFF)),
                (8, leg(CLIMB, "GUIDED", Landed.IN_AIR)),
                (20, leg(TRANSIT, "AUTO", Landed.IN_AIR)),
                (20, leg(HOVER, "LOITER", Landed.IN_AIR)),
                (9, leg(DESCENT, "LAND", Landed.LANDING)),
                (5, leg(GROUND, "LAND", Landed.ON_GROUND)),
            )
        )
        == EVERY
    )


def test_a_flight_without_landed_states_goes_through_every_phase() -> None:
    assert (
        order(
            flown(
                (5, leg(GROUND, "STABILIZE", armed=False)),
                (5, leg(GROUND, "STABILIZE")),
                (14, leg(CLIMB, "AUTO")),
                (20, leg(TRANSIT, "AUTO")),
                (20, leg(HOVER, "LOITER")),
                (9, leg(DESCENT, "RTL")),
                (5, leg(GROUND, "RTL")),
            )
        )
        == EVERY
    )


def test_the_modes_of_px4_name_take_off_and_landing() -> None:
    assert order(
        flown(
            (3, leg(UNKNOWN, "AUTO.LOITER", armed=False)),
            (4, leg(UNKNOWN, "AUTO.TAKEOFF")),
            (9, leg(UNKNOWN, "AUTO.MISSION")),
            (9, leg(UNKNOWN, "AUTO.LOITER")),
            (9, leg(UNKNOWN, "AUTO.LAND")),
            (3, leg(UNKNOWN, "AUTO.LAND", armed=False)),
        )
    ) == [
        Phase.ON_GROUND,
        Phase.TAKE_OFF,
        Phase.TRANSIT,
        Phase.HOVER,
        Phase.LANDING,
        Phase.ON_GROUND,
    ]


def test_take_off_and_landing_count_at_once() -> None:
    before = (5, leg(HOVER, "LOITER", Landed.IN_AIR))
    phases = flown(before, (0.5, leg(DESCENT, "LAND", Landed.LANDING)))
    assert phases[-1] is Phase.LANDING
    ground = (5, leg(GROUND, "GUIDED", Landed.ON_GROUND))
    assert flown(ground, (0.5, leg(CLIMB, "GUIDED", Landed.TAKE_OFF)))[-1] is Phase.TAKE_OFF


def test_a_gust_changes_nothing() -> None:
    calm = leg(HOVER, "LOITER", Landed.IN_AIR)
    gust = leg(Motion(1.4, 2.5, 0.6), "LOITER", Landed.IN_AIR)
    phases = flown((5, calm), *((1.0, each) for each in (gust, calm) * 10))
    assert set(phases) == {Phase.HOVER}


def test_a_speed_near_the_threshold_does_not_flap() -> None:
    fast, slow = (leg(Motion(0.0, v, 0.4), "AUTO", Landed.IN_AIR) for v in (2.1, 1.9))
    phases = flown((5, fast), *((3.0, each) for each in (slow, fast) * 10))
    assert set(phases) == {Phase.TRANSIT}


def test_an_idle_throttle_in_the_air_is_not_the_ground() -> None:
    phases = flown((5, leg(TRANSIT, "AUTO")), (10, leg(Motion(0.0, 0.2, 0.1), "LOITER")))
    assert phases[-1] is Phase.HOVER


def test_without_motion_and_landed_state_a_manual_mode_tells_nothing() -> None:
    assert flown((5, leg(UNKNOWN, "STABILIZE")))[-1] is Phase.UNKNOWN


def test_a_clock_that_is_set_back_starts_again() -> None:
    state = observed(CONFIG, PhaseState(), Observation(100.0, True, "AUTO", motion=TRANSIT))
    state = observed(CONFIG, state, Observation(10.0, False))
    assert state == PhaseState(Phase.ON_GROUND, 10.0)


@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.sampled_from(["AUTO", "LAND", "RTL", "LOITER", "", "Mode(0x123)"]),
            st.sampled_from(list(Landed)),
            st.one_of(st.none(), st.floats(-10.0, 10.0)),
            st.one_of(st.none(), st.floats(0.0, 30.0)),
            st.one_of(st.none(), st.floats(0.0, 1.0)),
        )
    )
)
def test_a_disarmed_vehicle_is_never_in_the_air_for_longer_than_it_settles(
    steps: list[tuple[bool, str, Landed, float | None, float | None, float | None]],
) -> None:
    state, disarmed_s = PhaseState(), 0.0
    for number, (armed, mode, landed, climb, speed, throttle) in enumerate(steps):
        seen = Observation(0.5 * number, armed, mode, landed, Motion(climb, speed, throttle))
        state = observed(CONFIG, state, seen)
        disarmed_s = 0.0 if armed else disarmed_s + 0.5
        if disarmed_s > CONFIG.settle_s + 0.5:
            assert state.phase is Phase.ON_GROUND


def test_an_old_landed_state_is_not_used() -> None:
    tracker = PhaseTracker(CONFIG)
    tracker.note_landed(0.0, Landed.ON_GROUND)
    assert tracker.phase(0.5, True, "AUTO")[0] is Phase.ON_GROUND
    for step in range(1, 14):
        tracker.note_motion(0.5 * step, TRANSIT)
        phase, motion = tracker.phase(0.5 * step, True, "AUTO")
    assert (phase, motion) == (Phase.TRANSIT, TRANSIT)


@pytest.mark.parametrize("number", [0, 9])
def test_an_unknown_landed_state_is_undefined(number: int) -> None:
    tracker = PhaseTracker(CONFIG)
    tracker.note_landed(0.0, number)
    tracker.note_motion(0.0, HOVER)
    assert tracker.phase(0.0, True, "LOITER")[0] is Phase.HOVER
