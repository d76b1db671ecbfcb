# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Generated histories of hours: stretches of stress and calm, with noise and faults."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from flight import Flight
from hypothesis import strategies as st
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import Computer, Held, Phase, Verdict
from pqc_policy.policy.responses import RESPONSES
from pqc_policy.policy.suites import SUITES

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
    """Some time with constant mean values."""

    seconds: int
    gap_s: float
    loss: float
    rtt_s: float
    temperature_c: float
    c_per_min: float
    voltage_v: float
    mv_per_min: float
    charge: float
    armed: bool
    advisor: Verdict | None
    blackouts_per_min: float
    lost_input: str | None
    refusals: float  # share of rekeys that fail
    silence_s: float = 0.03  # the longest
    work_s: float | None = None  # of the drone for a handshake
    power_w: float | None = None
    phase: Phase | None = None
    computer: Computer | None = None
    endurance_s: float | None = None
    held: str | None = None  # by the operator, for the stretch
    attack_class: str | None = None
    warned: float = 0.0  # share of the seconds in which a warning of the fleet is new


@dataclass(frozen=True)
class Plan:
    """Describes a whole history; the same plan always gives the same history."""

    stretches: tuple[Stretch, ...]
    suite: str
    seed: int

    def fly(self, policy: Policy) -> Flight:
        """Fly the whole history; return the flight."""
        chance = Random(self.seed)
        flight = Flight(policy, suite=self.suite)
        for stretch in self.stretches:
            _set_values(flight, stretch)
            for _ in range(stretch.seconds):
                flight.gap_s = stretch.gap_s * chance.uniform(0.7, 1.3)
                flight.c_per_min = stretch.c_per_min + chance.uniform(-0.5, 0.5)
                flight.temperature_c = stretch.temperature_c + chance.uniform(-1, 1)
                flight.blackouts += chance.random() < stretch.blackouts_per_min / 60
                failing = chance.random() < stretch.refusals
                flight.refused = _EVERY_SUITE if failing else frozenset()
                flight.authenticated = chance.random() < 0.5
                flight.warned = chance.random() < stretch.warned
                if chance.random() < 0.0005:
                    flight.blackouts, flight.epoch = 0, 0
                flight.step()
        return flight


_AS_THEY_ARE = (
    *("loss", "rtt_s", "voltage_v", "mv_per_min", "charge", "armed", "advisor", "silence_s"),
    *("work_s", "power_w", "phase", "computer", "endurance_s", "attack_class"),
)
_EVERY_SUITE = frozenset(suite.id for suite in SUITES)


def _set_values(flight: Flight, stretch: Stretch) -> None:
    for name in _AS_THEY_ARE:
        setattr(flight, name, getattr(stretch, name))
    end_s = flight.now_s + stretch.seconds
    flight.held = Held(stretch.held, end_s) if stretch.held is not None else None
    lost = stretch.lost_input
    flight.ages_s = {lost: 30.0} if lost is not None else {}


_stretches = st.builds(
    Stretch,
    seconds=st.integers(5, 600),
    gap_s=st.sampled_from([0.01, 0.01, 0.3, 0.9, 1.1, 4.0]),
    loss=st.sampled_from([0.0, 0.0, 0.02, 0.3]),
    rtt_s=st.sampled_from([0.02, 0.02, 0.08, 0.4]),
    temperature_c=st.sampled_from([50.0, 50.0, 69.0, 73.0, 79.5, 85.0]),
    c_per_min=st.sampled_from([0.0, 0.0, 0.0, 4.8, 9.0]),
    voltage_v=st.sampled_from([16.0, 15.0, 14.1, 13.9]),
    mv_per_min=st.sampled_from([-40.0, -40.0, -499.0, -900.0]),
    charge=st.floats(0.05, 1.0),
    armed=st.booleans(),
    advisor=st.sampled_from([None, Verdict.CLEAR, Verdict.SUSPICIOUS, Verdict.ATTACK]),
    blackouts_per_min=st.sampled_from([0.0, 0.0, 5.0, 40.0]),
    lost_input=st.sampled_from([None, None, None, None, *INPUTS]),
    refusals=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
    silence_s=st.sampled_from([0.03, 0.03, 3.0, 9.0]),
    work_s=st.sampled_from([None, 0.0001, 0.3]),
    power_w=st.sampled_from([None, 4.0]),
    phase=st.sampled_from([None, None, *Phase]),
    computer=st.sampled_from(
        [None, None, Computer(0.3), Computer(0.99), Computer(0.5, 0.5, throttled=True)]
    ),
    endurance_s=st.sampled_from([None, 60.0, 3000.0]),
    held=st.sampled_from([None, None, None, *_SOME_SUITES]),
    attack_class=st.sampled_from([None, "something else", *RESPONSES]),
    warned=st.sampled_from([0.0, 0.0, 0.1, 1.0]),
)


_calm = st.builds(
    Stretch,
    seconds=st.integers(60, 600),
    gap_s=st.just(0.05),
    loss=st.just(0.0),
    rtt_s=st.just(0.02),
    temperature_c=st.just(50.0),
    c_per_min=st.just(0.0),
    voltage_v=st.just(15.5),
    mv_per_min=st.just(-40.0),
    charge=st.just(0.8),
    armed=st.booleans(),
    advisor=st.none(),
    blackouts_per_min=st.just(0.0),
    lost_input=st.none(),
    refusals=st.sampled_from([0.0, 1.0]),
)


def plans(stretches: int = 16) -> st.SearchStrategy[Plan]:
    """Generate histories of up to so many stretches of at most ten minutes."""
    return st.builds(
        Plan,
        stretches=st.lists(
            st.one_of(_stretches, _calm), min_size=stretches // 2, max_size=stretches
        ).map(tuple),
        suite=st.sampled_from(sorted(suite.id for suite in SUITES)),
        seed=st.integers(0, 2**32),
    )
