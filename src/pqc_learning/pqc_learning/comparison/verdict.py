# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Judges where adapting wins, does nothing or hurts, and what the default should be.

A strategy wins in a measure if the whole interval of its difference to `static_default` is beyond
the measure's margin on the good side of zero, hurts if it is on the other, else does nothing. There
is no verdict from so few flights that all of them may agree by chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_policy.policy.wording import listed

from pqc_learning.closed_loop.contestants import BASELINE_NAMES, LAYERED
from pqc_learning.comparison.differences import (
    BASELINE,
    LESS,
    MEASURES,
    Difference,
    differences,
    three_digits,
)

NO_VERDICT = f"There is no verdict without {BASELINE} and an adaptive strategy."
_JUDGED = {name: measure for name, measure in MEASURES.items() if measure.better}
_STATIC = {*BASELINE_NAMES}
_DECISIVE = "exposed_a4"
# The largest share that a thief of live keys may read after the theft where `layered` is to become
# the default, by link.
GOALS = {"wifi": 0.1, "lte": 0.1, "thin_radio": 0.4}
_GOOD, _BAD = 1, -1
_CHANCE = 0.05
Differences = Mapping[str, Difference]


@dataclass(frozen=True)
class Judged:
    """Names and means of what wins, does nothing and hurts in a measure with a set of costs."""

    costs: str
    measure: str
    wins: str
    nothing: str
    hurts: str


def judged(result: Mapping[str, Any]) -> list[Judged]:
    """Return the verdict on each measure of each cost set; empty if there is none."""
    rows: list[Judged] = []
    if no_verdict(result):
        return rows
    for name, costs in result["costs"].items():
        found = _adaptive(costs)
        for key, measure in _JUDGED.items():
            own = {strategy: one[key] for strategy, one in found.items()}
            wins, nothing, hurts = (_who(own, measure.better * way) for way in (_GOOD, 0, _BAD))
            rows.append(Judged(name, measure.heading, wins, nothing, hurts))
    return rows


def conclusions(result: Mapping[str, Any]) -> list[str]:
    """Return what adapting does with each cost set, and at the end what the default should be."""
    if why := no_verdict(result):
        return [why]
    compared = {name: costs for name, costs in result["costs"].items() if _adaptive(costs)}
    lines = [f"{name}: {_effect(costs, result['flights'])}" for name, costs in compared.items()]
    # The first is this tunnel as it is shipped.
    name, shipped = next(iter(compared.items()))
    return [*lines, *_goals(shipped), f"The default, by {name}: {_default(shipped)}"]


def no_verdict(result: Mapping[str, Any]) -> str:
    """Return why there is no verdict; empty if there is one.

    All n differences of a comparison have one sign by chance with a probability of 2^(1-n), and
    then no interval by the bootstrap holds zero. Over all comparisons that must stay below 5 %.
    """
    compared = sum(len(_JUDGED) * len(_adaptive(costs)) for costs in result["costs"].values())
    if not compared:
        return NO_VERDICT
    fewest = 1 + math.ceil(math.log2(compared / _CHANCE))
    if result["flights"] >= fewest:
        return ""
    return (
        f"There is no verdict from {result['flights']} flights: in one of {compared} comparisons "
        f"they may all agree by chance. --flights {fewest} or more can tell."
    )


def _adaptive(costs: Mapping[str, Any]) -> dict[str, dict[str, Difference]]:
    found = differences(costs["pairs"], BASELINE)
    return {name: own for name, own in found.items() if name not in _STATIC}


def _who(own: Differences, side: int) -> str:
    means = {name: one.mean for name, one in own.items() if one.side == side}
    if len(means) == len(own) > 1:
        least, most = (three_digits(of(means.values()), "+") for of in (min, max))
        ends = f" ({least} to {most})"
        return f"all {len(own)}{ends if side else ''}"
    words = (
        f"{name} ({three_digits(mean, '+')})" if side else name for name, mean in means.items()
    )
    return ", ".join(words) or "none"


def _measures(own: Differences, way: int) -> list[str]:
    """Return in which measures a strategy wins or hurts."""
    return [
        measure.heading
        for name, measure in _JUDGED.items()
        if own[name].side == way * measure.better
    ]


def _clear(found: Mapping[str, Differences]) -> list[str]:
    """Return who wins somewhere and hurts nowhere."""
    return [
        name for name, own in found.items() if _measures(own, _GOOD) and not _measures(own, _BAD)
    ]


def _changed(costs: Mapping[str, Any]) -> list[str]:
    strategies = costs["strategies"]
    return [name for name in _adaptive(costs) if strategies[name]["rekeys"]["switches"]]


def _effect(costs: Mapping[str, Any], flights: int) -> str:
    found = _adaptive(costs)
    if not _changed(costs):
        most = max(abs(own["lost_to_rekeys"].mean) for own in found.values())
        return (
            f"no adaptive strategy changed the suite in {flights:,} flights. They renew keys at "
            f"other times; the difference is {three_digits(most)} datagrams a flight at most."
        )
    words = f"the suite was changed in flight by {listed(_changed(costs))}. "
    if clear := _clear(found):
        return f"{words}Wins without hurting: {listed(clear)}."
    wins, hurts = (any(_measures(own, way) for own in found.values()) for way in (_GOOD, _BAD))
    if wins and hurts:
        return f"{words}Each that wins in one measure hurts in another."
    return f"{words}None wins, and some hurt." if hurts else f"{words}None wins or hurts."


def _beyond(costs: Mapping[str, Any]) -> list[str]:
    """Return on which links `layered` misses its goal, with the figures."""
    links = costs.get("links", {})
    judged_on = (name for name in GOALS if LAYERED in links.get(name, ()))
    figures = ((name, links[name][LAYERED]["A4"]) for name in judged_on)
    return [
        f"{name.replace('_', ' ')} ({100.0 * share:.1f} %, not {100.0 * GOALS[name]:.0f})"
        for name, share in figures
        if share > GOALS[name]
    ]


def _goals(costs: Mapping[str, Any]) -> list[str]:
    if LAYERED not in costs["strategies"]:
        return []
    missed = _beyond(costs)
    what = f"misses its goal on {listed(missed)}" if missed else "meets its goals"
    return [f"{LAYERED} {what} for what is read after a theft."]


def _default(costs: Mapping[str, Any]) -> str:
    """Return what follows for suite and strategy: the one that protects more and hurts nowhere."""
    shipped, found = PolicyConfig().strategy, _adaptive(costs)
    suite = f"the suite stays {DEFAULT_SUITE}, with floor {costs['min_level']}"
    if shipped not in found:
        return f"{suite}. The strategy {shipped} was not compared."
    better = [name for name in _clear(found) if found[name][_DECISIVE].side == LESS]
    missed = _beyond(costs)
    able = [name for name in better if name != LAYERED or not missed]
    if shipped in able:
        return f"{suite}. The strategy stays {shipped}, which wins without hurting."
    if able:
        return f"{suite}. Better than the strategy {shipped}, and nowhere worse: {listed(able)}."
    if better:
        return f"{suite}. The strategy stays {shipped}: {LAYERED} is better, but misses a goal."
    return f"{suite}. The strategy stays {shipped}: none is better without being worse."
