# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Attacks between network namespaces: the places, and the verdicts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Self

import pytest
from pqc_bench.flood import addresses, restarts
from pqc_bench.harness import live_pair, places
from pqc_bench.harness.places import ATTACKER, DRONE, GROUND, Namespaces, Places, make_places
from pqc_sim.processes.run_fault import RunFault

AT = {"machine": "2 cores", "network": "namespaces"}


@pytest.fixture
def made() -> Iterator[Places]:
    with contextlib.ExitStack() as stack:
        yield make_places(stack)


def test_whoever_is_anywhere_reaches_the_ground_station(made: Places) -> None:
    with contextlib.ExitStack() as stack:
        ground = stack.enter_context(made.udp(GROUND))
        ground.settimeout(20.0)
        for place, host in (
            (DRONE, made.at(DRONE)),
            (DRONE, made.elsewhere),
            (ATTACKER, made.at(ATTACKER)),
            (ATTACKER, made.strangers),
        ):
            sender = stack.enter_context(made.udp(place, host=host))
            sender.settimeout(20.0)
            sender.sendto(place.encode(), ground.getsockname())
            datagram, source = ground.recvfrom(100)
            assert (datagram, source) == (place.encode(), sender.getsockname())
            ground.sendto(b"answer", source)
            assert sender.recv(100) == b"answer"


def test_places_are_namespaces_wherever_that_is_allowed(made: Places) -> None:
    if not isinstance(made, Namespaces):
        pytest.skip("this process may not make network namespaces")
    namespaces = set()
    for place in (DRONE, GROUND, ATTACKER):
        with made.inside(place):
            namespaces.add(os.readlink("/proc/thread-self/ns/net"))
    assert len(namespaces - {os.readlink("/proc/thread-self/ns/net")}) == 3


def test_without_the_right_to_namespaces_all_is_on_the_loopback_interface(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refused(places.Network):
        def __enter__(self) -> Self:
            raise RunFault("a network namespace can't be used: Operation not permitted")

    monkeypatch.setattr(places, "Network", Refused)
    with contextlib.ExitStack() as stack:
        assert make_places(stack).network == "loopback"
    assert "loopback" in places.sentence("loopback")
    assert "loopback" not in places.sentence("namespaces")


def test_the_time_of_a_new_session_includes_attempts_that_failed() -> None:
    log = """2026-01-01T10:00:00.900Z INFO handshake started [x]
2026-01-01T10:00:01.500Z WARN all session keys are wiped: on request
2026-01-01T10:00:01.500Z INFO handshake started [x]
"""
    assert live_pair._tried_s(log) == 0.0
    assert live_pair._tried_s(f"{log}2026-01-01T10:00:02.000Z INFO handshake started [x]") == 0.5


def stretch(**changes: Any) -> dict[str, Any]:
    rates = {"rate": 30_000.0, "least_rate": 22_000.0, "most_rate": 31_000.0}
    return {"commands": 400, "lost": 1, "others": 900, **rates, **changes}


def found(**changes: Any) -> dict[str, Any]:
    both = {"quiet": stretch(), "flood": stretch(**changes)}
    return {"floods": [], "reflection": {}, "found": both, **AT}


def test_a_found_rate_that_stays_passes() -> None:
    assert addresses.judge(found(lost=0, rate=24_100.0, least_rate=1000.0)) == []
    assert "30,000 bytes/s (22,000 to 31,000)" in "\n".join(addresses.lines(found()))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"lost": 2},
            "found rate: 2 of 400 commands got lost, 1 without the flood",
        ),
        (
            {"rate": 1000.0},
            "found rate: it fell to 1,000 bytes/s, 30,000 without the flood (medians)",
        ),
    ],
)
def test_a_found_rate_that_falls_or_commands_that_get_lost_are_faults(
    changes: dict[str, Any], fault: str
) -> None:
    assert addresses.judge(found(**changes)) == [fault]


def test_the_loopback_interface_has_no_narrow_link() -> None:
    result = {**found(), "found": None}
    assert addresses.judge(result) == []
    assert "left out" in "\n".join(addresses.lines(result))


def course(**changes: Any) -> dict[str, Any]:
    times = {"rekeys_ms": [1.0, 2.0], "ratchets_ms": [0.5], "restarts_ms": [300.0, 310.0]}
    return {"failures": [], "sent": 0, "discarded": 7, **times, **changes}


def attacked(**changes: Any) -> dict[str, Any]:
    both = {"quiet": course(), "attack": course(**{"sent": 400, **changes})}
    return {"attacks": {"a leaked PSK": both}, **AT}


def test_prompt_rekeys_ratchets_and_restarts_pass() -> None:
    assert restarts.judge(attacked(restarts_ms=[990.0])) == []
    text = "\n".join(restarts.lines(attacked()))
    assert "300 310" in text
    assert "400 sent, 7 left out" in text


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"restarts_ms": [300.0, 35_800.0]},
            "a restart took 35,800 ms, at most 310 ms without the attack",
        ),
        ({"failures": ["a rekey failed: later"]}, "a rekey failed: later"),
        ({"sent": 0}, "there was no attack"),
    ],
)
def test_what_an_attack_delays_or_prevents_is_a_fault(changes: dict[str, Any], fault: str) -> None:
    assert restarts.judge(attacked(**changes)) == [f"a leaked PSK: {fault}"]
