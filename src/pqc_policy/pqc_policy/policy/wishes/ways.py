# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ways to a layer, which is another KEM's secret in the chain of keys, on the present link."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from pqc_policy.policy import airtime
from pqc_policy.policy.protection import FORMS, ONE_TIME, ONE_TIME_BYTES, age_of
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite
from pqc_policy.policy.wishes.home import alike, home
from pqc_policy.policy.wishes.renewal import last_epoch

_NO_STOCK_S = 300.0  # without one-time keys after one was refused
_LONG_WORK_S = 1.0  # of the drone for one rekey


@dataclass(frozen=True)
class Way:
    """One way to the secret of a form."""

    form: str
    suite: Suite
    seconds: float  # until it is in the keys
    whole_s: float  # that the whole fetch of the key takes; 0 where nobody knows
    one_time: bool = False
    ready: bool = False  # whether the key is there


def strained(s: Situation) -> str:
    """Return what postpones rekeys to other KEMs, as a clause; empty: nothing does."""
    reasons = (
        (s.link_bad, "the link is bad"),
        (s.under_attack, f"under attack{s.attack_text}"),
        (s.emergency or s.stressed, "battery or temperature is beyond its limit"),
        (bool(s.computer is not None and s.computer.throttled), "the computer is throttled"),
    )
    return next((why for applies, why in reasons if applies), "")


def _fetched(s: Situation, form: str) -> Way | None:
    suite = next(iter(alike(s, FORMS[form][1])), None)
    told = airtime.fetch_of(s, suite)
    if suite is None or told is None or s.cost(suite).drone_s > _LONG_WORK_S:
        return None
    whole_s = told.fetch_s or 0.0  # as airtime takes a link of unknown rate
    left_s = 0.0 if told.ready else whole_s * (1.0 - (told.progress or 0.0))
    seconds = left_s + max(told.rekey_s or 0.0, airtime.wait_s(s, told.rekey_bytes))
    if seconds > s.config.layers_max_age_s or not airtime.saves_for(s, told.rekey_bytes):
        return None
    return Way(form, suite, seconds, whole_s, ready=told.ready)


def _one_time(s: Situation, form: str) -> Way | None:
    refused_s = s.age_s(s.state.no_one_time_s)
    session, suite = s.session, home(s)
    if form != "goppa" or session is None or session.anchor != ONE_TIME or last_epoch(s):
        return None
    if suite is None or suite != s.current or (refused_s is not None and refused_s < _NO_STOCK_S):
        return None
    return Way(form, suite, 0.0, 0.0, one_time=True, ready=True)


def missing(s: Situation) -> list[Way]:
    """Return the ways to the forms that the chain lacks, soonest first."""
    lacking = [form for form in s.config.layers if _age_s(s, form) is None]
    return _soonest(s, [way for form in lacking for way in ways_to(s, form)])


def aged(s: Situation) -> list[Way]:
    """Return the ways to the forms whose newest secret will be too old when another is there."""
    found = []
    for form in s.config.layers:
        if _age_s(s, form) is not None:
            found += [way for way in ways_to(s, form) if _is_late(s, way)]
    return _soonest(s, found)


def ways_to(s: Situation, form: str) -> list[Way]:
    """Return the ways to a form that this link affords."""
    return [way for way in (_fetched(s, form), _one_time(s, form)) if way is not None]


def saved_bytes(s: Situation) -> float:
    """Return how much of the credit waits for a layer; 0: there is none to come."""
    ways = [] if strained(s) else [*missing(s), *aged(s)]
    sizes = (ONE_TIME_BYTES if way.one_time else airtime.rekey_bytes(s, way.suite) for way in ways)
    return max(sizes, default=0.0)


def _is_late(s: Situation, way: Way) -> bool:
    """Return whether a form is to be refreshed: codes heal what a thief of live keys reads.

    One-time keys are a stock, for where no fetched key comes in time. A pair that takes long to
    fetch was made long before it serves, so that the thief may have it.
    """
    age_s, config = _age_s(s, way.form) or 0.0, s.config
    if FORMS[way.form][0] != "codes":
        return age_s + way.seconds > config.layers_max_age_s
    if not way.one_time:
        return age_s + way.seconds > config.heal_s
    fetched = _fetched(s, way.form)
    if fetched is None or fetched.whole_s > config.heal_s:
        layers = s.session.layers if s.session is not None else ()
        one_time_s = age_of(layers, way.form, (ONE_TIME,))
        age_s = inf if one_time_s is None else one_time_s
    return age_s > config.one_time_heal_s


def _age_s(s: Situation, form: str) -> float | None:
    return age_of(s.session.layers, form) if s.session is not None else None


def _soonest(s: Situation, ways: list[Way]) -> list[Way]:
    return sorted(ways, key=lambda way: (way.seconds, s.config.layers.index(way.form)))
