# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of an agent: each one in a bin, and some of them in pairs.

Beside the state that the papers name (load of the computer, charge, latency, loss, frequency of
rekeys) these are the phase, the advisor's verdict, the temperature, and what a rekey costs now. An
agent adds up a weight for each bin, so that it can tell which input counted for what.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from pqc_policy.policy.inputs import Phase, Verdict, known
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import LEVELS
from pqc_policy.policy.wishes.renewal import interval_s

View = tuple[int, ...]  # the number of the bin in each column
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Column:
    """One input, or a pair of them."""

    name: str
    bins: tuple[str, ...]


@dataclass(frozen=True)
class _Input:
    name: str
    bins: tuple[str, ...]
    of: Callable[[Situation], int]


def _number(name: str, edges: tuple[float, ...], of: Callable[[Situation], float | None]) -> _Input:
    """Return an input of bins between edges; an edge belongs to the bin above it."""
    between = (f"{low:g} to {high:g}" for low, high in pairwise(edges))
    bins = (UNKNOWN, f"below {edges[0]:g}", *between, f"{edges[-1]:g} or more")

    def bin_of(s: Situation) -> int:
        value = known(of(s))
        return 0 if value is None else 1 + bisect_right(edges, value)

    return _Input(name, bins, bin_of)


def _member(name: str, members: tuple[str, ...], of: Callable[[Situation], object]) -> _Input:
    def bin_of(s: Situation) -> int:
        value = of(s)
        return 0 if value is None else 1 + members.index(str(value))

    return _Input(name, (UNKNOWN, *members), bin_of)


def _load(s: Situation) -> float | None:
    return s.computer.load if s.computer is not None else None


def _charge(s: Situation) -> float | None:
    return s.battery.charge if s.battery is not None else None


def _keys(s: Situation) -> float | None:
    """Return the age of the keys in intervals of their family."""
    age_s = s.age_s(s.state.keys_since_s)
    limit_s = interval_s(s.config, s.current) if s.current is not None else None
    return None if age_s is None or limit_s is None else age_s / limit_s


def _cost(s: Situation) -> float | None:
    """Return for how long a full rekey of the suite in use is predicted to keep the link busy."""
    if s.current is None:
        return None
    cost = s.cost(s.current)
    rate = known(s.link.rate_bytes_s) if s.link is not None else None
    return cost.rekey_s + cost.interruption_s + (cost.rekey_bytes / rate if rate else 0.0)


def _failures(s: Situation) -> int:
    failed = s.state.failed
    return failed.in_a_row if failed is not None else 0


INPUTS = (
    _member("phase", tuple(Phase), lambda s: s.inputs.phase.fresh(s.config.stale_s)),
    _number("keys (intervals)", (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75), _keys),
    _number("rekeys in the window", (1, 2, 3, 4), lambda s: float(len(s.state.rekeys_s))),
    _number("cost of a rekey (s)", (0.05, 0.5, 2.0), _cost),
    _number("ratchets in a row", (1, 4, 16), lambda s: float(s.state.ratchets_in_a_row)),
    _number("loss", (0.01, 0.03, 0.25), lambda s: s.loss),
    _number("round trip (s)", (0.06, 0.2, 1.0), lambda s: s.rtt_s),
    _number("gap (s)", (0.2, 1.0), lambda s: s.gap_s),
    _number("load", (0.5, 0.8, 0.95), _load),
    _number("charge", (0.15, 0.3), _charge),
    _number("temperature (°C)", (60, 70, 75, 80), lambda s: s.temperature_c),
    _member("verdict", tuple(Verdict), lambda s: s.inputs.advisor.fresh(s.config.stale_s)),
    _member("level", tuple(map(str, LEVELS)), lambda s: s.current and s.current.level),
    _number("failures in a row", (1, 2), lambda s: float(_failures(s))),
    _member("pressed", ("no", "yes"), lambda s: "yes" if s.pressed else "no"),
)
_PAIRS = (
    ("keys (intervals)", "rekeys in the window"),
    ("keys (intervals)", "cost of a rekey (s)"),
    ("keys (intervals)", "phase"),
    ("loss", "round trip (s)"),
)
_NUMBER = {one.name: number for number, one in enumerate(INPUTS)}
_PAIR_NUMBERS = tuple(
    (_NUMBER[one], _NUMBER[other], len(INPUTS[_NUMBER[other]].bins)) for one, other in _PAIRS
)
COLUMNS = (
    *(Column(one.name, one.bins) for one in INPUTS),
    *(
        Column(
            f"{one} and {other}",
            tuple(
                f"{first} and {second}"
                for first in INPUTS[_NUMBER[one]].bins
                for second in INPUTS[_NUMBER[other]].bins
            ),
        )
        for one, other in _PAIRS
    ),
)


def view(s: Situation) -> View:
    bins = tuple(one.of(s) for one in INPUTS)
    return (*bins, *(bins[one] * count + bins[other] for one, other, count in _PAIR_NUMBERS))
