# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Time that goes on evenly while the clock is set."""

from __future__ import annotations

import pytest
from pqc_policy.policy.flight_time import LONGEST_SILENCE_NS, FlightTime
from pqc_policy.policy.telemetry import Telemetry
from recorded import MLKEM768, SECOND, made, part, stamp, status

DAY = 86400
STEPS = (-DAY, -60, 60, DAY, 56 * 365 * DAY)
START = 3 * DAY

each_step = pytest.mark.parametrize("by_s", STEPS)


def ns(seconds: float) -> int:
    return round(seconds * SECOND)


class Clocks:
    """A clock that is set, and a steady one; as in a node, or in a recording without a steady."""

    def __init__(self, steady: bool) -> None:
        self._steady = steady
        self.time = FlightTime()
        self.passed_s = self.set_s = 0.0
        self.wait(0.0)

    @property
    def clock_s(self) -> float:
        return START + self.set_s + self.passed_s

    def wait(self, seconds: float) -> float:
        self.passed_s += seconds
        steady_ns = ns(7.0 + self.passed_s) if self._steady else None
        return self.time.advance(ns(self.clock_s), steady_ns) / SECOND

    def age_s(self, stamp_s: float) -> float:
        assert self.time.now_ns is not None
        return (self.time.now_ns - self.time.of_stamp(ns(stamp_s))) / SECOND


@each_step
@pytest.mark.parametrize("steady", [True, False])
def test_time_goes_on_when_the_clock_is_set(by_s: float, steady: bool) -> None:
    clocks = Clocks(steady)
    assert clocks.wait(1.0) == START + 1.0
    clocks.set_s = by_s
    at_s = clocks.wait(1.0)
    # Without a steady clock nobody knows how much has passed.
    assert at_s == (START + 2.0 if steady else START + 1.0)
    assert clocks.wait(1.5) == at_s + 1.5


@each_step
def test_stamps_from_before_and_after_the_clock_was_set_have_their_true_age(by_s: float) -> None:
    clocks = Clocks(steady=True)
    before_s = clocks.clock_s
    clocks.wait(0.5)
    clocks.set_s = by_s
    clocks.wait(0.0)
    after_s = clocks.clock_s
    clocks.wait(0.5)
    assert clocks.age_s(before_s) == 1.0
    assert clocks.age_s(after_s) == 0.5
    # Later a stamp of that kind is a very old one, or one from the future.
    clocks.wait(LONGEST_SILENCE_NS / SECOND)
    clocks.wait(1.0)
    assert clocks.age_s(clocks.clock_s - 0.25) == pytest.approx(0.25, abs=1e-6)
    late = clocks.time.of_stamp(ns(clocks.clock_s - by_s))
    assert late is None if by_s < 0 else clocks.age_s(clocks.clock_s - by_s) > 0.0


def test_a_stamp_from_the_future_of_every_clock_of_the_last_seconds_is_refused() -> None:
    clocks = Clocks(steady=True)
    assert clocks.time.of_stamp(ns(START + 1.9)) == ns(START + 1.9), "the clocks differ a little"
    assert clocks.time.of_stamp(ns(START + DAY)) is None
    clocks.set_s = -DAY
    clocks.wait(1.0)
    assert clocks.age_s(START + 0.5) == 0.5, "from before the clock was set back"
    assert clocks.time.of_stamp(ns(START + DAY)) is None


@pytest.mark.parametrize("ahead_s", [12 * 365.25 * DAY, 3.0])
def test_statuses_from_the_future_do_not_displace_the_real_one(ahead_s: float) -> None:
    clocks = Clocks(steady=True)
    telemetry = Telemetry(clocks.time.of_stamp)
    for _ in range(20):
        at_ns = ns(clocks.wait(1.0))
        assert telemetry.take("status", status(clocks.clock_s - 0.1, epoch=3))
        for part_s in range(500):
            forged = status(clocks.clock_s + ahead_s + part_s / 1000, epoch=9)
            assert not telemetry.take("status", forged)
        session = telemetry.inputs(at_ns).session
        assert session.value.epoch == 3


def test_a_small_error_of_the_clock_and_a_late_message_are_no_change_of_it() -> None:
    clocks = Clocks(steady=True)
    clocks.set_s = 0.4
    clocks.wait(1.0)
    assert clocks.time.ahead_ns == 0
    assert clocks.age_s(clocks.clock_s - 0.4 - 30.0) == 30.0


def test_a_silence_in_a_recording_is_time_that_has_passed() -> None:
    clocks = Clocks(steady=False)
    assert clocks.wait(9.0) == START + 9.0
    assert clocks.wait(-0.5) == START + 9.0
    assert clocks.wait(1.0) == START + 9.5


@each_step
def test_a_hold_and_a_blacklisted_suite_end_in_time_whatever_the_clock_is_set_to(
    by_s: float,
) -> None:
    clocks = Clocks(steady=True)
    telemetry = Telemetry(clocks.time.of_stamp)
    telemetry.take("held_suite", made("held_suite", START, suite=MLKEM768, seconds=20.0))
    barred = part("SuiteInfo", id="a", available=True, allowed=True)
    clocks.set_s = by_s
    for passed_s in range(1, 31):
        at_ns = ns(clocks.wait(1.0))
        if passed_s == 1:
            barred.blacklisted_until = stamp(START + by_s + 20.0)
            telemetry.take("suites", made("suites", clocks.clock_s, suites=[barred]))
        telemetry.take("status", status(clocks.clock_s))
        inputs = telemetry.inputs(at_ns)
        assert (inputs.held is not None) is (passed_s < 20)
        assert inputs.session.value is not None
        assert inputs.session.age_s < 1e-6
        assert bool(inputs.session.value.blacklisted) is (passed_s < 20)
