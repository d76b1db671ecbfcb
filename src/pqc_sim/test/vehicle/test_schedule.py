# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_sim.vehicle.schedule import Pacer, Share

NS = 1_000_000_000
RATES = st.integers(1, 5000)


@given(RATES, st.lists(st.integers(0, NS // 2), min_size=1, max_size=200))
def test_slots_follow_the_clock_exactly_however_irregular_the_calls(
    rate: int, pauses: list[int]
) -> None:
    start = 12_345
    pacer = Pacer(rate, start)
    now, taken = start, 0
    for pause in pauses:
        now += pause
        taken += pacer.take(now)
        assert taken == (now - start) * rate // NS + 1
    assert pacer.slips == 0


@given(RATES)
def test_waking_at_the_due_time_gives_one_slot_each_time(rate: int) -> None:
    pacer = Pacer(rate, 0)
    for _ in range(1000):
        due = pacer.next_ns()
        assert pacer.take(due - 1) == 0
        assert pacer.take(due) == 1


def test_an_hour_at_320_per_second_is_exact() -> None:
    pacer = Pacer(320, 0)
    taken = sum(pacer.take(tick * 10_000_000) for tick in range(360_001))
    assert taken == 3600 * 320 + 1


def test_a_long_stall_skips_slots_and_counts_them() -> None:
    pacer = Pacer(100, 0, patience_s=1.0)
    assert pacer.take(0) == 1
    taken = pacer.take(10 * NS)
    assert taken == 101
    assert pacer.slips == 1000 - taken
    assert pacer.take(11 * NS) == 100


def test_a_rate_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Pacer(0, 0)


def shares(share: Share, slots: int) -> Counter[str]:
    return Counter(share.next() for _ in range(slots))


def test_every_stream_gets_its_rate() -> None:
    share = Share(100, {"beat": 1.0, "slow": 9.0}, {"fast": 2.0, "faster": 4.0})
    counts = shares(share, 100 * 60)
    wanted = {"beat": 60, "slow": 540, "fast": 1800, "faster": 3600}
    for name, count in wanted.items():
        assert counts[name] == pytest.approx(count, abs=1)


def test_streams_are_spread_evenly() -> None:
    share = Share(100, {"beat": 1.0, "slow": 10.0}, {"fill": 1.0})
    slots = [share.next() for _ in range(1000)]
    places = [place for place, name in enumerate(slots) if name == "slow"]
    gaps = {later - earlier for earlier, later in itertools.pairwise(places)}
    assert gaps <= {9, 10, 11}


def test_the_first_stream_keeps_its_rate_when_the_total_is_too_small() -> None:
    share = Share(5, {"beat": 1.0, "one": 10.0, "two": 10.0}, {"fill": 1.0})
    counts = shares(share, 500)
    assert counts["beat"] == pytest.approx(100, abs=1)
    assert counts["one"] == pytest.approx(200, abs=2)
    assert counts["fill"] == 0


def test_a_new_rate_takes_from_the_filling_streams_only() -> None:
    share = Share(100, {"beat": 1.0, "slow": 9.0}, {"fill": 1.0, "other": 1.0})
    assert share.set_rate("slow", 39.0)
    counts = shares(share, 1000)
    assert counts["slow"] == pytest.approx(390, abs=1)
    assert counts["beat"] == pytest.approx(10, abs=1)
    assert counts["fill"] == pytest.approx(300, abs=1)


def test_a_rate_that_does_not_fit_is_refused_and_changes_nothing() -> None:
    share = Share(100, {"beat": 1.0}, {"fill": 1.0})
    assert not share.set_rate("beat", 101.0)
    assert share.rates == {"beat": 1.0, "fill": 99.0}


def test_a_silenced_stream_comes_back() -> None:
    share = Share(100, {"beat": 1.0}, {"fill": 1.0, "other": 1.0})
    assert share.set_rate("other", 0.0)
    assert shares(share, 200)["other"] == 0
    assert share.fill("other", 1.0)
    assert shares(share, 200)["other"] == pytest.approx(99, abs=1)
