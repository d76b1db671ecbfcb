# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The physics of the flights."""

from __future__ import annotations

from random import Random

import pytest
from pqc_sim.physics.air import Air, RadioPath, both
from pqc_sim.physics.computer import Computer, ComputerType
from pqc_sim.physics.link_estimator import LinkEstimator
from pqc_sim.physics.timeline import line

STEP_S = 0.05


def test_a_computer_settles_where_its_power_and_the_air_put_it() -> None:
    kind = ComputerType()
    computer = Computer(kind, 20.0, 0.0, 0.0)
    for _ in range(round(2000 / STEP_S)):
        computer.step(1.0, 20.0, 0.5, True, STEP_S)
    expected_c = 20.0 + 0.5 * kind.sun_k + kind.flying_k_per_w * (kind.idle_w + kind.busy_w)
    assert computer.temperature_c == pytest.approx(expected_c, abs=0.1)


def test_a_timeline_is_straight_between_its_points_and_level_beyond_them() -> None:
    timeline = line((10, 1.0), (20, 3.0))
    assert [timeline.at(s) for s in (0, 10, 15, 20, 99)] == [1.0, 1.0, 2.0, 3.0, 3.0]


def test_the_path_loses_the_configured_share_and_everything_in_an_outage() -> None:
    path = RadioPath(
        "up", Air(loss=0.3), (both(100.0, 200.0, Air(out_every_s=10.0, out_s=4.0)),), Random(1)
    )
    lost = []
    for tick in range(4000):
        path.step(tick / 20)
        lost.append(path.delivered(tick / 20) is None)
    assert sum(lost[:2000]) / 2000 == pytest.approx(0.3, abs=0.03)
    assert sum(lost[2000:]) / 2000 == pytest.approx(0.4, abs=0.01)


def test_the_link_estimator_reports_loss_gaps_and_blackouts_over_five_seconds() -> None:
    estimator = LinkEstimator(0.0)
    for number in range(1000):
        if number % 4 and not 500 <= number < 650:
            estimator.note(number / 100, number, 96)
    view = estimator.view(10.0)
    assert view.blackouts == 1
    assert view.longest_silence_s == pytest.approx(1.51)
    assert view.gap_p95_s == pytest.approx(0.02)
    assert view.loss == pytest.approx(1 - 262 / 499, abs=0.01)
    assert view.packets_per_s == pytest.approx(262 / 5, abs=1.0)
    assert estimator.view(12.0).blackouts == 2
