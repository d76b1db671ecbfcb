# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Generated histories of hours: stretches of stress and calm, with noise and faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from flight import Flight, anchored
from hypothesis import strategies as st
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import REFERENCE_CELLS, Computer, Held, Phase, Verdict
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.responses import RESPONSES
from pqc_policy.policy.suites import SUITES, KemFamily

INPUTS = (
    "link",
    "battery",
    "thermal",
    "armed",
    "session",
    "advisor",
    "phase",
    "computer",
    "power_w",
    "warned",
)
_SOME_SUITES = ("cs-mlkem512-aesgcm-mldsa44", "cs-mlkem1024-aesgcm-mldsa87")


@dataclass(frozen=True)
class Stretch:
    """Some time with constant mean values; those of the battery are for four cells."""

    seconds: int
    armed: bool
    gap_s: float = 0.05
    loss: float = 0.0
    rtt_s: float = 0.02
    temperature_c: float = 50.0
    c_per_min: float = 0.0
    voltage_v: float = 15.5
    mv_per_min: float = -40.0
    charge: float = 0.8
    advisor: Verdict | None = None
    blackouts_per_min: float = 0.0
    lost_input: str | None = None
    refusals: float = 0.0  # share of rekeys that fail
    silence_s: float = 0.03  # the longest
    phase: Phase | None = None
    computer: Computer | None = None
    held: str | None = None  # by the operator, for the stretch
    attack_class: str | None = None
    warned: float = 0.0  # share of the seconds in which a warning of the fleet is new
    rate_bytes_s: float | None = None  # of a thin link
    cells: int = REFERENCE_CELLS
    by_tunnel: frozenset[str] = frozenset()  # suites that the tunnel itself has blacklisted
    obedient: bool = True  # the tunnel carries out what is asked for
    stalled: bool = False  # somebody drops what is fetched


@dataclass(frozen=True)
class Plan:
    """Describes a whole history; the same plan always gives the same history."""

    stretches: tuple[Stretch, ...]
    suite: str
    seed: int
    profile: str  # of the costs, a shipped one
    chain: Mapping[str, Any] = field(default_factory=dict)  # what is unusual about it

    def fly(self, policy: Policy) -> Flight:
        """Fly the whole history; return the flight."""
        chance = Random(self.seed)
        flight = Flight(policy, suite=self.suite, chain=anchored(**self.chain))
        for stretch in self.stretches:
            _set_values(flight, stretch)
            for _ in range(stretch.seconds):
                flight.gap_s = stretch.gap_s * chance.uniform(0.7, 1.3)
                flight.c_per_min = stretch.c_per_min + chance.uniform(-0.5, 0.5)
                flight.temperature_c = stretch.temperature_c + chance.uniform(-1, 1)
                flight.blackouts += chance.random() < stretch.blackouts_per_min / 60
                failing = chance.random() < stretch.refusals
                flight.refused = EVERY_SUITE if failing else frozenset()
                flight.authenticated = chance.random() < 0.5
                flight.warned = chance.random() < stretch.warned
                if chance.random() < 0.0005:
                    flight.blackouts, flight.epoch = 0, 0
                flight.step()
        return flight


_AS_THEY_ARE = (
    *("loss", "rtt_s", "charge", "armed", "advisor", "silence_s", "phase"),
    *("computer", "attack_class", "rate_bytes_s", "cells", "obedient"),
)
EVERY_SUITE = frozenset(suite.id for suite in SUITES)
_ML_KEM = frozenset(suite.id for suite in SUITES if suite.family is KemFamily.ML_KEM)
_Kind = tuple[dict[str, Any], ...]


def _set_values(flight: Flight, stretch: Stretch) -> None:
    for name in _AS_THEY_ARE:
        setattr(flight, name, getattr(stretch, name))
    flight.voltage_v = stretch.voltage_v * stretch.cells / REFERENCE_CELLS
    flight.mv_per_min = stretch.mv_per_min * stretch.cells / REFERENCE_CELLS
    flight.blacklisted = stretch.by_tunnel
    flight.chain.stalled = stretch.stalled
    end_s = flight.now_s + stretch.seconds
    flight.held = Held(stretch.held, end_s) if stretch.held is not None else None
    lost = stretch.lost_input
    flight.ages_s = {lost: 30.0} if lost is not None else {}


def _each(name: str, *values: Any) -> _Kind:
    return tuple({name: value} for value in values)


# What may differ from calm, each of a kind at a time: below, at and beyond each threshold.
_KINDS: tuple[_Kind, ...] = (
    _each("gap_s", 0.3, 0.9, 1.5, 4.0),
    _each("loss", 0.02, 0.05, 0.3),
    _each("rtt_s", 0.08, 0.4, 0.99, 2.5),
    _each("temperature_c", 69.0, 73.0, 79.5, 85.0),
    _each("c_per_min", 4.8, 9.0),
    _each("voltage_v", 14.1, 13.9),
    _each("mv_per_min", -499.0, -900.0),
    _each("charge", 0.31, 0.29, 0.1),
    (
        {"advisor": Verdict.SUSPICIOUS},
        *(
            {"advisor": Verdict.ATTACK, "attack_class": name}
            for name in (None, "something else", *RESPONSES)
        ),
    ),
    _each("blackouts_per_min", 5.0, 40.0, 60.0),
    _each("lost_input", *INPUTS),
    _each("refusals", 0.3, 1.0),
    _each("silence_s", 3.0, 9.0),
    _each("phase", *Phase),
    _each("computer", Computer(0.99), Computer(0.5, 0.5, throttled=True)),
    _each("held", *_SOME_SUITES),
    _each("warned", 0.1, 1.0),
    _each("rate_bytes_s", 720.0, 5760.0, 125_000.0),
    _each("by_tunnel", frozenset(_SOME_SUITES), _ML_KEM),
    _each("obedient", False),
    _each("stalled", True),
)
_CHAINS: tuple[dict[str, Any], ...] = (
    {},
    {"one_time_keys": 0},
    {"anchor": "last_resort", "mixed": {}},
    {"anchor": "", "mixed": {}},
    {"told": False},
    {"rekey_s": 50.0},
)
# Of the inputs that a drone need not have.
_SENSORS: tuple[dict[str, Any], ...] = (
    {"computer": Computer(0.3)},
    {"advisor": Verdict.CLEAR},
)
_MOST_KINDS = 4


def _stretch(chance: Random, drone: dict[str, Any]) -> Stretch:
    lengths_s = chance.choice(((5, 20), (60, 600)))
    values = {**drone, "armed": chance.random() < 0.5}
    for kind in chance.sample(_KINDS, chance.randint(0, _MOST_KINDS)):
        values |= chance.choice(kind)
    return Stretch(chance.randint(*lengths_s), **values)


def _plan(seed: int, most: int) -> Plan:
    chance = Random(seed)
    drone: dict[str, Any] = {"cells": chance.choice((3, 4, 6))}
    for sensor in _SENSORS:
        drone |= sensor if chance.random() < 0.7 else {}
    number = chance.randint(most // 2, most)
    return Plan(
        stretches=tuple(_stretch(chance, drone) for _ in range(number)),
        suite=chance.choice(SUITES).id,
        seed=seed,
        profile=chance.choice(SHIPPED),
        chain=chance.choice(_CHAINS),
    )


def plans(stretches: int = 16) -> st.SearchStrategy[Plan]:
    """Generate histories of up to so many stretches of at most ten minutes.

    Each comes from a seed, since what is drawn value by value is mostly alike and mostly troubled,
    and then nothing gets heavier.
    """
    return st.integers(0, 2**32 - 1).map(lambda seed: _plan(seed, stretches))
