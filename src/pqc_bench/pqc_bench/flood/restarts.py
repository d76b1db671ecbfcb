# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures rekeys, ratchets and restarts of a drone under attacks on its sessions."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop

from pqc_bench.flood.result import MAX_DELAY
from pqc_bench.flood.strangers import Attack, Strangers, may_spoof
from pqc_bench.harness.live_pair import LivePair
from pqc_bench.harness.places import ATTACKER, DRONE, GROUND
from pqc_bench.harness.text import columns

_ROUNDS = 3
_STEPS = ("rekey", "ratchet", "restart")
# The second rekey finds no prekey in stock, and has to ask for one.
_ROUND = ("rekey", "rekey", "ratchet", "restart")
# A time up to this is prompt, however short it was without the attack.
_PROMPT_MS = 1000.0
_TIMES = 3  # as many as otherwise use up what hellos may take of the packet thread's time
_LEAST_PAUSE_S = 1.1  # the ground station makes a session and a prekey a second

# Runs an attack on a live drone at an address; what it yields tells afterwards how much was sent.
Attacker = Callable[[LivePair, Endpoint], contextlib.AbstractContextManager[list[int]]]


@dataclass(frozen=True)
class _Phase:
    name: str
    attack: Attacker
    elsewhere: bool  # whether the drone restarts behind another address


def measure(folder: Path, datagrams: int, seconds: int) -> dict[str, Any]:
    """Have a drone rekey, ratchet and restart, without and with each attack."""
    hellos = folder / "hellos"
    phases = [
        _Phase("a leaked PSK, every 15 s", lambda pair, _: _thief(pair, 1 / 15), False),
        _Phase("a leaked PSK, 20/s", lambda pair, _: _thief(pair, 20.0), False),
        _Phase("the same, drone elsewhere", lambda pair, _: _thief(pair, 20.0), True),
        _Phase(
            "hellos from the live address",
            lambda pair, live: _strangers(pair, live, hellos, _TIMES * datagrams),
            True,
        ),
    ]
    with contextlib.ExitStack() as stack:
        pair = LivePair(folder, stack, {"drone_signature": True})
        pair.start(hellos=hellos)
        attacks = {
            phase.name: {
                "quiet": _course(pair, _nobody, phase.elsewhere, seconds),
                "attack": _course(pair, phase.attack, phase.elsewhere, seconds),
            }
            for phase in phases
        }
    return {
        "network": pair.places.network,
        "attacks": attacks,
    }


def judge(result: dict[str, Any]) -> list[str]:
    faults = []
    for name, one in result["attacks"].items():
        faults += [f"{name}: {fault}" for course in one.values() for fault in course["failures"]]
        if not one["attack"]["sent"]:
            faults.append(f"{name}: there was no attack")
        for step in _STEPS:
            quiet, attack = (one[course][f"{step}s_ms"] for course in ("quiet", "attack"))
            limit = max(_PROMPT_MS, MAX_DELAY * max(quiet, default=0.0))
            if attack and max(attack) > limit:
                faults.append(
                    f"{name}: a {step} took {max(attack):,.0f} ms, at most"
                    f" {max(quiet, default=0.0):,.0f} ms without the attack"
                )
    return faults


def lines(result: dict[str, Any]) -> list[str]:
    rows = [("", "rekeys, ms", "ratchets, ms", "restarts, ms")]
    for name, one in result["attacks"].items():
        attack = f"{one['attack']['sent']:,} sent"
        if one["attack"]["discarded"]:
            attack += f", {one['attack']['discarded']:,} left out"
        for course, title in (("quiet", name), ("attack", f"  {attack}")):
            times = (one[course][f"{step}s_ms"] for step in _STEPS)
            rekeys, ratchets, restarts = (
                " ".join(f"{ms:.0f}" for ms in of) or "none" for of in times
            )
            rows.append((title, rekeys, ratchets, restarts))
    return ["", *columns(rows)]


def _course(pair: LivePair, attack: Attacker, elsewhere: bool, seconds: int) -> dict[str, Any]:
    course: dict[str, Any] = {"failures": [], "sent": 0, **{f"{step}s_ms": [] for step in _STEPS}}
    before = pair.tunnels.ask(GROUND, "status")["hellos_discarded"]
    hosts = [pair.places.at(DRONE), pair.places.elsewhere]
    pause_s = max(_LEAST_PAUSE_S, seconds / _ROUNDS / len(_ROUND))
    for _ in range(_ROUNDS):
        live = Endpoint(hosts[0], pair.link(DRONE).port)
        if elsewhere:
            hosts.reverse()
        with attack(pair, live) as sent:
            for step in _ROUND:
                time.sleep(pause_s)
                try:
                    took_ms = _restart(pair, hosts[0]) if step == "restart" else pair.rekey_ms(step)
                    course[f"{step}s_ms"].append(took_ms)
                except RunFault as fault:
                    course["failures"].append(str(fault))
        course["sent"] += sum(sent)
        pair.tunnels.wait_encrypted(DRONE)
    discarded = pair.tunnels.ask(GROUND, "status")["hellos_discarded"] - before
    course["discarded"] = discarded  # the ground station had no time for them
    if elsewhere:  # back to its own address
        _restart(pair, pair.places.at(DRONE))
    return course


def _restart(pair: LivePair, host: str) -> float:
    stop(pair.processes[DRONE])
    begun = time.monotonic()
    pair.start_drone(host)
    pair.tunnels.wait_encrypted(DRONE)
    return round(1e3 * (time.monotonic() - begun), 1)


@contextlib.contextmanager
def _nobody(_pair: LivePair, _live: Endpoint) -> Iterator[list[int]]:
    yield []


@contextlib.contextmanager
def _thief(pair: LivePair, rate: float) -> Iterator[list[int]]:
    sent: list[int] = []
    words = [pair.tunnels.keys / DRONE, pair.places.at(ATTACKER), *pair.link(GROUND), rate, 1e6]
    thief = pair.start_attacker("flood.psk_thief", *words)
    try:
        assert thief.stdout is not None
        thief.stdout.readline()  # it has proved the first one
        yield sent
    finally:
        stop(thief)
        sent.append(1 + thief.communicate()[0].count("proved"))


@contextlib.contextmanager
def _strangers(pair: LivePair, live: Endpoint, hellos: Path, datagrams: int) -> Iterator[list[int]]:
    sent: list[int] = []
    attack = Attack("hellos", GROUND, hellos=hellos, spoofed=may_spoof())
    with Strangers.at(pair, attack, 1000, datagrams, live) as strangers:
        yield sent
    sent.append(strangers.report()["sent"])
