# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Traffic held back: when each tactic lets go, the relay, the verdict, the text."""

from __future__ import annotations

import itertools
import socket
from typing import Any

import pytest
from pqc_bench.harness.places import Places
from pqc_bench.hold.adversary import DOWN, UP, Adversary
from pqc_bench.hold.result import judge, lines
from pqc_bench.hold.tactics import TACTICS, Tactic, burst, hold, stretch, trickle
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_testing.ports import LOOPBACK

# Tenths of a second count time exactly.
_TICK_S = 0.1


def ages(tactic: Tactic, seconds: int) -> list[tuple[int, int]]:
    """Send a number in each tenth of a second; return (number, tenths when it went on)."""
    found = []
    for tick in range(10 * seconds):
        tactic.take(str(tick).encode(), tick * _TICK_S)
        found += [(int(one), tick) for one in tactic.release(tick * _TICK_S + 1e-6)]
    return found


def test_hold_lets_all_go_at_once_and_is_quiet_then() -> None:
    passed = ages(hold(), 7)
    assert {tick for _, tick in passed} == {28, 60}
    assert [number for number, _ in passed] == list(range(61))


def test_trickle_lets_the_oldest_pass_one_at_a_time() -> None:
    assert ages(trickle(), 10) == [(0, 25), (1, 50), (2, 75)]


def test_stretch_delays_in_order_and_up_to_its_limit() -> None:
    passed = ages(stretch(most_s=2.0, over_s=4.0), 12)
    delays = [tick - number for number, tick in passed]
    assert [number for number, _ in passed] == list(range(len(passed)))
    assert all(after >= before for before, after in itertools.pairwise(delays))
    assert delays[0] <= 1
    assert delays[-1] == 20


def test_burst_lets_the_newest_go_first() -> None:
    passed = ages(burst(), 3)
    assert passed[:17] == [(number, 16) for number in range(16, -1, -1)]
    assert passed[17] == (17, 17)


def test_the_relay_passes_both_directions() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ground,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as drone,
    ):
        for port in (ground, drone):
            port.bind((LOOPBACK, 0))
            port.settimeout(20.0)
        with Adversary(Places(), Endpoint(*ground.getsockname())) as adversary:
            drone.sendto(b"telemetry", adversary.endpoint)
            datagram, source = ground.recvfrom(100)
            assert datagram == b"telemetry"
            ground.sendto(b"command", source)
            assert drone.recv(100) == b"command"


def result(**changes: Any) -> dict[str, Any]:
    one = {"oldest_s": 0.9, "bound_s": 1.1, "refused": 40, "named": True, "said": ["old"]}
    link: dict[str, Any] = {tactic: {UP: one, DOWN: one} for tactic in TACTICS}
    link["trickle"] = {UP: one, DOWN: {**one, **changes}}
    refused = {"fresh_refused": changes.get("fresh_refused", 0), "delivered": {UP: 400, DOWN: 399}}
    return {"links": {"lte": {**link, "loss": {"20": refused}}}, "machine": "", "network": ""}


def test_nothing_old_and_nothing_refused_passes() -> None:
    assert judge(result()) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"oldest_s": 59.6},
            "lte, trickle down: a datagram of 59.60 s was delivered, older than 1.10 s",
        ),
        ({"named": False}, "lte, trickle down: neither end said anything"),
        ({"fresh_refused": 3}, "lte, 20 % loss: 3 fresh datagrams were refused"),
    ],
)
def test_each_fault_is_a_sentence(changes: dict[str, Any], fault: str) -> None:
    found = result(**changes)
    assert judge(found) == [fault]
    assert lines(found)
