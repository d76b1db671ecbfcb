# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorState
from pqc_policy.sensing.traffic.bins import REASONS, Bin, TrafficBins, Way
from pqc_policy.sensing.traffic.link_now import Pace

PER_S = 50


def at(time_s: float) -> Any:
    whole = int(time_s)
    return SimpleNamespace(sec=whole, nanosec=round((time_s - whole) * 1e9))


def view(packets: float, lost: float = 0, duplicates: int = 0) -> Any:
    return SimpleNamespace(
        packets=int(packets), lost=int(lost), duplicates=duplicates, reordered=0, window_s=0.0
    )


def link(
    time_s: float, up: Any, down: Any, age_s: float = 0.25, valid: bool = True, paths: int = 1
) -> Any:
    return SimpleNamespace(
        stamp=at(time_s),
        local=down,
        remote_valid=valid,
        remote_age_s=age_s,
        remote=up,
        clock_valid=False,
        paths=[SimpleNamespace(link="one", state="up", carries=True, rtt_s=0.0, loss=0.0)] * paths,
    )


def status(time_s: float, sent: float, encrypted: bool = True, **drops: int) -> Any:
    return SimpleNamespace(
        stamp=at(time_s),
        encrypted=encrypted,
        since_heard_s=0.1,
        traffic=SimpleNamespace(cipher_out_packets=int(sent)),
        drops=SimpleNamespace(
            **{reason: drops.get(reason, 0) for reason in (*REASONS, "queue_full")}
        ),
    )


class Flight:
    """Reports once a second, of an end that sends PER_S datagrams a second."""

    def __init__(self) -> None:
        self.bins = TrafficBins()
        self.done: list[Bin] = []
        self.now_s = 1000.0
        self.up, self.lost_up = 0.0, 0.0
        self.down, self.lost_down = 0.0, 0.0
        self.sent = 0.0
        self.drops: dict[str, int] = {}

    def fly(
        self,
        seconds: int,
        up: float = 1.0,
        down: float = 1.0,
        reports: bool = True,
        lumps: bool = False,
        keyed: bool = True,
    ) -> list[Bin]:
        """Fly with shares that arrive; with lumps a loss shows only when something arrives."""
        new: list[Bin] = []
        for _ in range(seconds):
            self.now_s += 1.0
            self.sent += PER_S if keyed else 0
            self.up += PER_S * up
            self.lost_up += 0 if lumps and not up else PER_S * (1.0 - up)
            self.down += PER_S * down
            self.lost_down += 0 if lumps and not down else PER_S * (1.0 - down)
            if reports:
                self.reported = (view(self.up, self.lost_up), self.now_s - 0.25)
            there, sent_s = self.reported
            report = link(
                self.now_s, there, view(self.down, self.lost_down), age_s=self.now_s - sent_s
            )
            new += self.bins.take_link(report)
            new += self.bins.take_status(status(self.now_s + 0.1, self.sent, keyed, **self.drops))
        self.done += new
        return new


def judged(bins: list[Bin]) -> Verdict:
    advisor, state = Advisor(), AdvisorState()
    worst = Verdict.CLEAR
    order = list(Verdict)
    for newest in bins:
        state = advisor.judged(state, newest)
        worst = max(worst, state.verdict, key=order.index)
    return worst


def test_both_directions_are_counted_in_bins_of_600_ms() -> None:
    for each in Flight().fly(20)[3:]:
        assert each.down is not None
        assert (each.up.received, each.up.sent) == pytest.approx((30.0, 30.0))
        assert (each.down.received, each.down.sent) == pytest.approx((30.0, 30.0))


def test_packets_are_counted_whenever_the_reports_come() -> None:
    for period_s in (0.1, 0.25, 1.0, 3.7):
        bins, done = TrafficBins(), []
        for step in range(1, int(60 / period_s)):
            time_s = step * period_s
            done += bins.take_link(link(time_s, view(time_s * 100), view(time_s * 100), 0.0))
            done += bins.take_status(status(time_s, time_s * 100))
        assert len(done) > 80
        for each in done[10:]:
            assert each.up.received == pytest.approx(60.0, abs=3.0)


def test_losses_are_those_that_the_receiver_sees_in_the_sequence_numbers() -> None:
    flight = Flight()
    flight.fly(10)
    for each in flight.fly(10, up=0.6, down=0.4)[5:]:
        assert each.down is not None
        assert (each.up.received, each.up.sent) == pytest.approx((18.0, 30.0))
        assert (each.down.received, each.down.sent) == pytest.approx((12.0, 30.0))


def test_datagrams_that_all_get_lost_are_known_from_our_own_count() -> None:
    flight = Flight()
    flight.fly(10)
    for each in flight.fly(10, up=0.0, lumps=True)[5:]:
        assert (each.up.received, each.up.sent) == pytest.approx((0.0, 30.0), abs=0.1)
    assert judged(flight.done) is Verdict.ATTACK


def test_a_restarted_tunnel_is_not_an_attack() -> None:
    flight = Flight()
    flight.fly(40)
    flight.up = flight.down = flight.sent = flight.lost_up = flight.lost_down = 0.0
    flight.fly(3, up=0.0, down=0.0, lumps=True, keyed=False)
    flight.fly(40)
    assert judged(flight.done) is Verdict.CLEAR


def test_a_time_without_keys_of_our_own_is_not_an_attack() -> None:
    flight = Flight()
    flight.fly(40)
    silent = flight.fly(15, up=0.0, down=0.0, lumps=True, keyed=False)
    assert all(each.up is None and each.down is None for each in silent[5:])
    flight.fly(40)
    assert judged(flight.done) is Verdict.CLEAR


def test_a_link_that_is_silent_for_10_s_in_both_directions_is_not_an_attack() -> None:
    flight = Flight()
    flight.fly(40)
    flight.fly(10, up=0.0, down=0.0, reports=False, lumps=True)
    flight.lost_up += 10 * PER_S
    flight.lost_down += 10 * PER_S
    flight.fly(40)
    assert judged(flight.done) is Verdict.CLEAR


def test_bins_wait_for_the_peers_report_but_not_for_long() -> None:
    flight = Flight()
    flight.fly(10)
    late = flight.fly(6, reports=False)
    assert late[-1].up is None
    assert late[-1].down is not None


def test_dropped_datagrams_are_counted_by_reason() -> None:
    flight = Flight()
    flight.fly(5)
    flight.drops = {"auth_fail": 0}
    for _ in range(10):
        flight.drops = {"auth_fail": flight.drops["auth_fail"] + 20}
        flight.fly(1)
    assert flight.done[-1].dropped["auth_fail"] == pytest.approx(12.0)
    assert flight.done[-1].dropped["replay"] == 0.0
    assert judged(flight.done) is Verdict.ATTACK


def test_copies_by_several_links_are_no_replays() -> None:
    bins, done = TrafficBins(), []
    for second in range(1, 20):
        both = view(50 * second, 0, duplicates=50 * second)
        done += bins.take_link(link(float(second), both, both, paths=2))
        done += bins.take_status(status(float(second), 50 * second))
    assert judged(done) is Verdict.CLEAR


def test_repeats_at_the_peer_are_replays_with_one_link() -> None:
    bins, done = TrafficBins(), []
    for second in range(1, 20):
        both = view(50 * second, 0, duplicates=50 * second)
        done += bins.take_link(link(float(second), both, both))
        done += bins.take_status(status(float(second), 50 * second))
    assert judged(done) is Verdict.ATTACK


def test_a_clock_that_is_set_back_starts_the_count_again() -> None:
    flight = Flight()
    flight.fly(10)
    flight.now_s -= 3600.0
    again = flight.fly(10)
    assert len(again) > 8
    assert again[-1].up == Way(pytest.approx(30.0), pytest.approx(30.0))  # type: ignore[arg-type]


def test_a_bin_has_the_newest_pace_round_trip_and_links() -> None:
    bins, done = TrafficBins(), []
    for second in range(1, 9):
        both = view(50 * second)
        both.window_s, both.packets_per_s, both.bytes_per_s = 5.0, 50.0, 5000.0
        both.gap_p95_s, both.longest_silence_s, both.jitter_s = 0.04, 0.5, 0.01
        report = link(float(second), both, both)
        report.clock_valid, report.rtt_s = True, 0.01 * second
        done += bins.take_link(report)
        done += bins.take_status(status(second + 0.1, 50 * second, queue_full=10 * second))
    newest = done[-1]
    assert newest.up.pace == Pace(0.04, 0.5, 0.01, 100.0)
    assert newest.down.pace == newest.up.pace
    assert (newest.rtt_s, newest.heard_s) == (0.08, 0.1)
    assert newest.report_s == pytest.approx(0.35)
    assert newest.unsent == pytest.approx(6.0)
    assert [path.name for path in newest.paths] == ["one"]
