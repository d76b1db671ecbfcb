# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The search for the rate that a tunnel sustains, on modelled tunnels and on a plain relay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pqc_bench.harness.blaster import DIRECTIONS
from pqc_bench.harness.rate_search import Outcome, Plan, search
from pqc_bench.harness.rate_step import (
    CAP,
    GENERATOR,
    LOSS,
    RATIO,
    SPIKE,
    Limits,
    Step,
    invalid_because,
    stop_signals,
)
from pqc_bench.harness.saturate import attempt, outcome_record
from pqc_bench.peers.peer import cpu_of, wait_until_through
from pqc_bench.peers.plain import Direct, Relay
from pqc_bench.saturation import search_text

_LIMITS = Limits()
_QUIET_MS = 0.1


def _report(rate: int = 1000, seconds: float = 2.0, **changes: Any) -> dict[str, Any]:
    sent = int(rate * seconds)
    way = {
        "sent": sent,
        "received": sent,
        "lost": 0,
        "refused": 0,
        "receiver_drops": 0,
        "slips": 0,
        "skipped": 0,
        "latest_ms": 0.1,
        "latency_ms": {"p50": 0.05, "p95": _QUIET_MS, "p99": 0.2, "p999": 0.3},
        **changes,
    }
    directions = dict.fromkeys(DIRECTIONS, way)
    return {"rate": rate, "seconds": seconds, "real_time": True, "directions": directions}


def _step(rate: int = 1000, **changes: Any) -> Step:
    return Step.of(_report(rate, **changes))


def _delayed(p95_ms: float) -> dict[str, Any]:
    return {"latency_ms": {"p50": 0.05, "p95": p95_ms, "p99": p95_ms, "p999": p95_ms}}


@pytest.mark.parametrize(
    ("changes", "signals"),
    [
        ({}, []),
        ({"received": 1910, "lost": 90}, []),
        ({"received": 1880, "lost": 120}, [LOSS]),
        ({"received": 1600, "lost": 400}, [LOSS, RATIO]),
        (_delayed(4.05), []),  # many times as much, but only a wait for a core
        (_delayed(4.2), [SPIKE]),
        (_delayed(10.5), [CAP, SPIKE]),
    ],
)
def test_each_signal_has_its_limit(changes: dict[str, Any], signals: list[str]) -> None:
    assert stop_signals(_step(**changes), _QUIET_MS, _LIMITS) == signals


def test_a_spike_is_one_against_the_quiet_machine() -> None:
    assert stop_signals(_step(**_delayed(8.0)), 2.0, _LIMITS) == []
    assert stop_signals(_step(**_delayed(8.0)), 1.0, _LIMITS) == [SPIKE]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"skipped": 1}, "offered only"),
        ({"sent": 1900, "received": 1900}, "offered only 95.0 %"),
        ({"slips": 21}, "42 of 4000 datagrams late"),
        ({"receiver_drops": 3}, "own receive buffer"),
        ({"refused": 2}, "refused 4"),
    ],
)
def test_a_step_in_which_the_generator_fell_short_is_invalid(
    changes: dict[str, Any], word: str
) -> None:
    assert word in invalid_because(_step(**changes))


def test_a_few_late_datagrams_do_not_spoil_a_step() -> None:
    assert invalid_because(_step(slips=20)) == ""


class _Tunnel:
    """A tunnel that sustains a rate per second and loses the excess."""

    def __init__(self, capacity: int, generator: int = 10**9) -> None:
        self.capacity = capacity
        self.generator = generator
        self.rates: list[int] = []
        self.bad_luck = 0

    def attempt(self, rate: int) -> Step:
        self.rates.append(rate)
        step = _step(rate)
        if rate > self.generator:
            return replace(step, slips=step.sent)
        if self.bad_luck:
            self.bad_luck -= 1
            return replace(step, owd_p95_ms=50.0)
        lost = max(1.0 - self.capacity / rate, 0.0)
        return replace(step, loss_percent=100.0 * lost, delivered_ratio=1.0 - lost)


@pytest.mark.parametrize("capacity", [1500, 7_777, 64_000])
def test_the_search_ends_close_to_what_is_sustained(capacity: int) -> None:
    outcome = search(_Tunnel(capacity).attempt, Plan(), _LIMITS)
    assert outcome.stopped_at is not None
    # 5 % may be lost before it is too much, and the result is within 5 %.
    assert capacity * 0.94 <= outcome.sustained.rate <= capacity / 0.95
    assert outcome.sustained.rate < outcome.stopped_at <= outcome.sustained.rate * 1.06
    assert outcome.stopped_by == [LOSS]


def test_no_rate_above_the_ceiling_is_tried() -> None:
    tunnel = _Tunnel(10**6)
    outcome = search(tunnel.attempt, Plan(ceiling=5000), _LIMITS)
    assert max(tunnel.rates) == 5000
    assert (outcome.sustained.rate, outcome.stopped_by) == (5000, [])
    assert outcome_record(outcome, 256)["lower_bound"]


def test_a_generator_that_falls_behind_gives_a_lower_bound() -> None:
    outcome = search(_Tunnel(10**6, generator=20_000).attempt, Plan(), _LIMITS)
    assert 18_900 <= outcome.sustained.rate <= 20_000
    assert outcome.stopped_by == [GENERATOR]
    record = outcome_record(outcome, 64)
    assert record["lower_bound"]
    assert record["invalid_steps"] >= 3


def test_one_unlucky_step_does_not_end_the_search() -> None:
    tunnel = _Tunnel(50_000)
    tunnel.bad_luck = 1
    outcome = search(tunnel.attempt, Plan(), _LIMITS)
    assert outcome.sustained.rate > 45_000


def test_a_tunnel_that_sustains_nothing_is_told() -> None:
    outcome = search(_Tunnel(10).attempt, Plan(), _LIMITS)
    assert outcome.sustained is None
    record = outcome_record(outcome, 256)
    assert (record["sustained_per_s"], record["stopped_at_per_s"]) == (0, 1000)


def test_the_summary_tells_rate_and_reason() -> None:
    outcome = Outcome(_step(2000), [SPIKE, CAP], 2100, [], 0.1)
    text = "\n".join(search_text.summary(outcome_record(outcome, 1200)))
    assert "2,000 datagrams/s each way of 1200 B (19.2 Mb/s)" in text
    assert "p95 spiked and the one-way delay's p95 went over its cap, at 2,100" in text


@pytest.mark.parametrize("peer", [Direct(), Relay(), Relay("--unbatched")])
def test_a_real_step_is_counted(peer: Direct | Relay) -> None:
    with peer:
        wait_until_through(peer)
        before = cpu_of(peer)
        step = attempt(peer.applications, 500, 64, 2.0, peer.check)
        after = cpu_of(peer)
    assert step.sent > 0
    assert 0 < step.received <= step.sent
    assert 0.0 < step.owd_p50_ms <= step.owd_p95_ms <= step.owd_p999_ms
    assert all((after[end] > before[end]) == isinstance(peer, Relay) for end in after)
