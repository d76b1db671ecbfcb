# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pqc_policy.policy.schedule import CATCH_UP, Schedule
from recorded import SECOND

SETTLE_NS = 150_000_000


@pytest.fixture
def schedule() -> Schedule:
    return Schedule()


def due(schedule: Schedule, now_s: float) -> list[float]:
    return [at_ns / SECOND for at_ns in schedule.due(round(now_s * SECOND), SETTLE_NS)]


def test_nothing_is_due_while_the_clock_is_zero(schedule: Schedule) -> None:
    assert due(schedule, 0.0) == []


def test_the_first_decision_is_due_at_the_next_whole_second(schedule: Schedule) -> None:
    assert due(schedule, 1000.4) == []
    assert due(schedule, 1001.2) == [1001]


def test_a_start_at_a_whole_second_makes_that_second_due(schedule: Schedule) -> None:
    assert due(schedule, 1000.0) == []
    assert due(schedule, 1000.25) == [1000]


def test_a_second_is_due_once_messages_have_settled(schedule: Schedule) -> None:
    due(schedule, 1000.5)
    assert due(schedule, 1001.149) == []
    assert due(schedule, 1001.15) == [1001]
    assert due(schedule, 1001.4) == []


def test_missed_seconds_are_decided_later(schedule: Schedule) -> None:
    due(schedule, 1000.5)
    assert due(schedule, 1003.6) == [1001, 1002, 1003]


def test_after_a_jump_forward_only_the_newest_second_is_due(schedule: Schedule) -> None:
    due(schedule, 1000.5)
    assert due(schedule, 1001.5 + CATCH_UP) == [1001 + CATCH_UP]
    assert due(schedule, 1002.5 + CATCH_UP) == [1002 + CATCH_UP]


def test_a_clock_set_back_resets_the_schedule(schedule: Schedule) -> None:
    assert not schedule.set_back(5 * SECOND)
    due(schedule, 1000.5)
    assert due(schedule, 1001.2) == [1001]
    assert schedule.set_back(500 * SECOND)
    assert not schedule.set_back(500 * SECOND)
    due(schedule, 500.3)
    assert due(schedule, 501.3) == [501]


def test_a_correction_of_the_clock_decides_no_second_twice(schedule: Schedule) -> None:
    due(schedule, 1000.5)
    assert due(schedule, 1001.3) == [1001]
    assert not schedule.set_back(round(1000.6 * SECOND))
    assert due(schedule, 1000.6) == []
    assert due(schedule, 1002.2) == [1002]


def test_the_schedule_returns_the_wait_for_the_next_second(schedule: Schedule) -> None:
    assert schedule.wait_ns(5 * SECOND, SETTLE_NS) == SECOND
    due(schedule, 1000.5)
    assert schedule.wait_ns(round(1000.5 * SECOND), SETTLE_NS) == round(0.65 * SECOND)
    assert schedule.wait_ns(1002 * SECOND, SETTLE_NS) == 0
    assert schedule.wait_ns(900 * SECOND, SETTLE_NS) == SECOND
