# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The link of flights in a closed loop, beside the model that goes datagram by datagram."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from pqc_learning.closed_loop.air_record import AirRecord
from pqc_learning.closed_loop.link_views import REPORT_AT_S, LinkViews
from pqc_learning.closed_loop.traffic_counts import TrafficCounts
from pqc_sim.physics.air import Air, Spell
from pqc_sim.physics.radio import PACKETS_PER_S, Radio
from pqc_sim.tunnel.quiet import Quiet

SECONDS = 40
AIRS = {
    "clean": Air(loss=0.001),
    "lossy": Air(loss=0.3, delay_s=0.03, jitter_s=0.01),
    "bursts": Air(loss=0.01, burst_every_s=3.0, burst_s=0.5),
    "outages": Air(loss=0.01, out_every_s=9.0, out_s=2.5),
}
NONE = Quiet()


def record(air: Air, seed: int, seconds: float = SECONDS) -> AirRecord:
    return AirRecord("up", air, (), seconds, PACKETS_PER_S, f"link/{seed}")


def figures_of_record(air: Air, seeds: range) -> list[tuple[float, ...]]:
    found = []
    for seed in seeds:
        views, blackouts = LinkViews(record(air, seed), SECONDS), 0
        for number in range(SECONDS):
            view = views.usual(number)
            blackouts += view.new_blackouts
            if number >= 6:
                found.append(
                    (
                        view.packets_per_s,
                        view.loss,
                        view.gap_p95_s,
                        view.longest_silence_s,
                        float(blackouts + view.silent),
                    )
                )
    return found


def figures_of_radio(air: Air, seeds: range) -> list[tuple[float, ...]]:
    found = []
    for seed in seeds:
        radio = Radio(air, (), f"radio/{seed}")
        for tick in range(1, SECONDS * 20):
            radio.step(tick / 20, True, True)
            # The report is made between two ticks.
            if tick % 20 == 4 and tick > 6 * 20:
                view = radio.up.estimator.view(tick / 20)
                found.append(
                    (
                        view.packets_per_s,
                        view.loss,
                        view.gap_p95_s,
                        view.longest_silence_s,
                        float(view.blackouts),
                    )
                )
    return found


@pytest.mark.parametrize("name", AIRS)
def test_reports_have_the_same_figures_as_datagram_by_datagram(name: str) -> None:
    ours = np.array(figures_of_record(AIRS[name], range(60))).mean(axis=0)
    theirs = np.array(figures_of_radio(AIRS[name], range(30))).mean(axis=0)
    assert ours[0] == pytest.approx(theirs[0], rel=0.06)
    assert ours[1] == pytest.approx(theirs[1], rel=0.25, abs=0.01)
    assert ours[2] == pytest.approx(theirs[2], rel=0.25, abs=0.004)
    assert ours[3] == pytest.approx(theirs[3], rel=0.25, abs=0.01)
    assert ours[4] == pytest.approx(theirs[4], rel=0.25, abs=0.15)


def test_a_time_without_sending_is_silence_but_no_loss() -> None:
    air = record(Air(loss=0.0), 1)
    views, quiet = LinkViews(air, SECONDS), Quiet()
    quiet.add(20.0, 23.0)
    during, after = views.after(22, quiet, NONE), views.after(24, quiet, NONE)
    assert during.silent and during.longest_silence_s == pytest.approx(2.17, abs=0.06)
    assert after.longest_silence_s == pytest.approx(3.0, abs=0.06)
    assert after.loss == 0.0
    assert sum(views.after(k, quiet, NONE).new_blackouts for k in range(19, 30)) == 1


def test_what_an_adversary_drops_is_loss() -> None:
    views, dropped = LinkViews(record(Air(loss=0.0), 2), SECONDS), Quiet()
    dropped.add(20.0, 22.0)
    view = views.after(23, NONE, dropped)
    assert view.loss == pytest.approx(0.4, abs=0.03)


def test_a_report_that_no_quiet_touches_is_the_usual_one() -> None:
    views, quiet = LinkViews(record(AIRS["bursts"], 3), SECONDS), Quiet()
    quiet.add(10.0, 13.0)
    assert views.after(9, quiet, NONE) == views.usual(9)
    assert views.after(25, quiet, NONE) == views.usual(25)


def test_counters_leave_out_what_was_not_sent() -> None:
    up, down, quiet = record(Air(loss=0.0), 4), record(Air(loss=0.2), 5), Quiet()
    counts = TrafficCounts(up, down, quiet, quiet)
    before = counts.sent(10.0)
    quiet.add(10.0, 15.0)
    assert counts.sent(15.0) == before
    quiet.add(20.0, 21.0)
    assert counts.sent(30.0) - before == pytest.approx(14.0 * PACKETS_PER_S, rel=0.05)
    received, lost = counts.received(30.0)
    assert lost / (received + lost) == pytest.approx(0.2, abs=0.04)


def test_a_receiver_misses_a_datagram_when_a_later_one_arrives() -> None:
    outage = Spell(10.0, 16.0, Air(loss=1.0), Air(loss=1.0))
    usual = Air(loss=0.0)
    up = AirRecord("up", usual, (outage,), SECONDS, PACKETS_PER_S, "link/7")
    down = AirRecord("down", usual, (outage,), SECONDS, PACKETS_PER_S, "link/7")
    stopped = Quiet()
    counts = TrafficCounts(up, down, Quiet(), stopped)
    assert counts.received(9.0)[1] == 0
    before = counts.received(10.5)
    for now_s in (12.0, 15.0, 15.9):
        assert counts.received(now_s) == before
    received, lost = counts.received(17.0)
    assert received > before[0]
    assert lost == pytest.approx(6.0 * PACKETS_PER_S, rel=0.05)
    # A datagram that the ground never sent is not lost.
    stopped.add(20.0, 25.0)
    assert counts.received(24.0)[1] == lost
    assert counts.received(26.0)[1] == lost


def test_the_luck_of_control_messages_does_not_depend_on_the_data() -> None:
    thin = AirRecord("up", AIRS["lossy"], (), SECONDS, 20.0, "link/6")
    fast = AirRecord("up", AIRS["lossy"], (), SECONDS, PACKETS_PER_S, "link/6")
    assert thin.luck == fast.luck
    assert fmean(thin.luck) == pytest.approx(0.5, abs=0.05)
    assert 0.0 < REPORT_AT_S < 1.0
