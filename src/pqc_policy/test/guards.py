# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What presses in each second of a flight, and which of it a strategy must heed.

It follows from docs/policy.md and the inputs of the decisions alone, not from the policy's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flight import Flight
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action, Decision
from pqc_policy.policy.inputs import DecisionInput, Link, Reading, Verdict
from pqc_policy.policy.suites import find_suite

STALE_S = 2.0
PERSISTENCE_S = 5.0
REQUIRED = ("link", "battery", "thermal", "armed", "session")

_STRESS = {"heating", "sagging"}
_EMERGENCY = {"empty", "hot"}
UPGRADE = frozenset(
    {"gap", "loss", "rtt", *_EMERGENCY, "attack", "required", "nearly empty", "nearly hot"}
)
EXPERT = frozenset({"warm", "low charge", "bad link", "attacked"})
# It keeps an episode from its end, too.
ROLLBACK = UPGRADE | EXPERT | {"lost"}
# A layer's suite does not stay: what is near its limit or unknown does not press.
LAYER = frozenset({"gap", "loss", "rtt", *_EMERGENCY, "attack"})
PUBLISHED = frozenset({"gap", *_STRESS, *_EMERGENCY, "required"})


def heeded(config: PolicyConfig, decision: Decision) -> frozenset[str]:
    """Return what must not press while a decision leads to a heavier suite."""
    if config.strategy == "paper_2025":
        return PUBLISHED
    if decision.action is Action.ROLLBACK or decision.rule == "operator":
        return ROLLBACK
    if decision.action is Action.LAYER:
        return LAYER
    return UPGRADE | EXPERT if config.strategy == "expert" else UPGRADE


def leads_to_heavier(flight: Flight, decision: Decision) -> bool:
    before, after = find_suite(decision.from_suite or ""), find_suite(decision.to_suite or "")
    return before is not None and after is not None and flight.policy.order.lighter(before, after)


def leads_to_lighter(flight: Flight, decision: Decision) -> bool:
    other = decision.to_suite not in (None, decision.from_suite)
    return other and not leads_to_heavier(flight, decision)


@dataclass
class _Lasting:
    """What the inputs of one second don't tell."""

    link_since_s: float | None = None
    warm: bool = False
    low_charge: bool = False
    bad_link: bool = False
    attacked: bool = False


def pressing(flight: Flight) -> Iterator[frozenset[str]]:
    lasting = _Lasting()
    for decision in flight.decisions:
        seen = decision.inputs
        now = frozenset(_at_once(seen))
        yield now | frozenset(_in_time(seen, lasting))


def _at_once(seen: DecisionInput) -> Iterator[str]:
    yield from _of_link(seen.link.fresh(STALE_S))
    thermal, battery = seen.thermal.fresh(STALE_S), seen.battery.fresh(STALE_S)
    if thermal is not None:
        beyond = {
            "heating": thermal.rate_c_per_min > 5.0,
            "hot": thermal.temperature_c > 80.0,
            "nearly hot": thermal.temperature_c > 75.0,
        }
        yield from (name for name, presses in beyond.items() if presses)
    if battery is not None:
        of_four, rate = (
            value * 4 / battery.cells for value in (battery.voltage_v, battery.rate_mv_per_min)
        )
        below = {"sagging": rate < -500.0, "empty": of_four < 14.0, "nearly empty": of_four < 14.2}
        yield from (name for name, presses in below.items() if presses)
    if seen.advisor.fresh(STALE_S) is Verdict.ATTACK:
        yield "attack"
    if any(_unknown(getattr(seen, name)) for name in REQUIRED):
        yield "required"
    if seen.advisor.value is not None and _unknown(seen.advisor):
        yield "lost"


def _unknown(reading: Reading[object]) -> bool:
    return reading.fresh(STALE_S) is None


def _of_link(link: Link | None) -> Iterator[str]:
    if link is None:
        return
    beyond = {"gap": link.gap_p95_s > 1.0, "loss": link.loss > 0.25, "rtt": link.rtt_s > 1.0}
    yield from (name for name, presses in beyond.items() if presses)


def _in_time(seen: DecisionInput, lasting: _Lasting) -> Iterator[str]:
    """Yield what depends on the seconds before: the levels of `expert`."""
    battery = seen.battery.fresh(STALE_S)
    thermal, link = seen.thermal.fresh(STALE_S), seen.link.fresh(STALE_S)
    if thermal is not None:
        lasting.warm = thermal.temperature_c > (65.0 if lasting.warm else 70.0)
    if battery is not None:
        lasting.low_charge = battery.charge < (0.33 if lasting.low_charge else 0.30)
    if link is not None:
        lasting.bad_link = _bad_link(seen.now_s, link, lasting)
    verdict = seen.advisor.fresh(STALE_S)
    if verdict is not None:
        lasting.attacked = verdict is Verdict.ATTACK
    levels = {
        "warm": lasting.warm,
        "low charge": lasting.low_charge,
        "bad link": lasting.bad_link,
        "attacked": lasting.attacked,
    }
    yield from (name for name, active in levels.items() if active)


def _bad_link(now_s: float, link: Link, lasting: _Lasting) -> bool:
    """Return whether the link is bad for `expert`: for 5 s, and until it is clearly good."""
    if not (link.gap_p95_s > 1.0 or link.loss > 0.03 or link.rtt_s > 0.1):
        lasting.link_since_s = None
        return lasting.bad_link and (link.loss > 0.01 or link.rtt_s > 0.06)
    if lasting.link_since_s is None:
        lasting.link_since_s = now_s
    return lasting.bad_link or now_s - lasting.link_since_s >= PERSISTENCE_S
