# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which rules can never act with given parameters, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pqc_policy.policy import expert, renewals, rules
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.rules import Rule
from pqc_policy.policy.suite_order import grade_of
from pqc_policy.policy.suites import SUITES, find_suite

_NOTHING: frozenset[str] = frozenset()
# A blackout is a silence of more than a second, and a report of the link covers five seconds.
_BLACKOUT_S, _REPORT_S = 1.0, 5.0
# No input gets beyond these.
_MOST_C, _LEAST_V, _MOST_LOSS, _MOST_RTT_S = 150.0, 0.0, 1.0, 60.0


@dataclass(frozen=True)
class Inert:
    """A rule that can never act."""

    rule: str
    why: str


def inert_rules(policy: Policy) -> list[Inert]:
    """Return the rules of the policy's strategy that can never act with its parameters."""
    found = [
        Inert(rule.__name__, why)
        for rule in policy.strategy.rules
        if (why := next(_CHECKS.get(rule, _nothing)(policy), None)) is not None
    ]
    if expert.choose in policy.strategy.rules:
        found += _of_expert(policy)
    return found


def _nothing(_: Policy) -> Iterator[str]:
    yield from ()


def _no_lighter(policy: Policy) -> Iterator[str]:
    if len(policy.order.usable) == 1:
        yield f"{policy.order.usable[0].id} is the only suite that may be chosen"


def _emergency(policy: Policy) -> Iterator[str]:
    yield from _no_lighter(policy)
    config = policy.config
    if config.emergency_voltage_v <= _LEAST_V and config.emergency_temperature_c >= _MOST_C:
        yield "no voltage is below emergency_voltage_v, nothing hotter than emergency_temperature_c"


def _blackout(policy: Policy) -> Iterator[str]:
    yield from _no_lighter(policy)
    config = policy.config
    if config.blackout_count * _BLACKOUT_S >= config.blackout_window_s:
        yield (
            f"each blackout lasts for more than {_BLACKOUT_S:g} s, so that there are never more "
            f"than {config.blackout_count} in {config.blackout_window_s:g} s"
        )


def _cooldown(policy: Policy) -> Iterator[str]:
    if policy.config.cooldown_s == 0.0:
        yield "cooldown_s is 0"


def _link(policy: Policy) -> Iterator[str]:
    yield from _no_lighter(policy)
    config = policy.config
    if (
        config.link_gap_s >= _REPORT_S
        and config.link_loss >= _MOST_LOSS
        and config.link_rtt_s >= _MOST_RTT_S
    ):
        yield (
            f"no gap in a report of {_REPORT_S:g} s is above link_gap_s, and nothing is above "
            "link_loss and link_rtt_s"
        )


def _attack(policy: Policy) -> Iterator[str]:
    yield from _no_lighter(policy)
    if len({suite.kem for suite in policy.order.usable}) == 1:
        yield f"{policy.order.usable[0].kem} is the only KEM that may be chosen"


def _rekey(policy: Policy) -> Iterator[str]:
    intervals = policy.config.rekey_interval_s
    families = sorted({suite.family for suite in policy.order.usable})
    if not any(intervals.of(family) for family in families):
        yield f"rekey_interval_s is 0 for every family that may be chosen ({', '.join(families)})"


def _upgrade(policy: Policy) -> Iterator[str]:
    yield from _no_lighter(policy)
    ceiling = find_suite(policy.config.ceiling)
    if ceiling is None:
        return
    starts = (suite for suite in SUITES if policy.order.lighter(suite, ceiling))
    if not any(policy.order.up(start, ceiling, _NOTHING) for start in starts):
        yield f"no suite that may be chosen is as heavy as the ceiling, {ceiling.id}, or lighter"
    elif not any(grade_of(suite) < grade_of(ceiling) for suite in policy.order.usable):
        yield f"no suite that may be chosen is lighter than the ceiling, {ceiling.id}"


_CHECKS: Mapping[Rule, Callable[[Policy], Iterator[str]]] = {
    rules.emergency: _emergency,
    rules.blackout: _blackout,
    rules.cooldown: _cooldown,
    rules.link: _link,
    rules.attack: _attack,
    rules.stress: _no_lighter,
    renewals.rekey: _rekey,
    rules.upgrade: _upgrade,
}


def _of_expert(policy: Policy) -> Iterator[Inert]:
    config, usable = policy.config, policy.order.usable
    limits, ids = config.expert, {suite.id for suite in usable}
    if len(usable) == 1:
        yield Inert("choose", f"{usable[0].id} is the only suite that may be chosen")
        return
    drone = [policy.profile.cost(suite).drone_s for suite in usable]
    both = [policy.profile.cost(suite).handshake_s for suite in usable]
    fast_s = limits.fast_handshake_s
    if limits.warm_c >= config.emergency_temperature_c:
        yield Inert(
            "thermal", "warm_c is not below emergency_temperature_c, whose rule comes first"
        )
    elif limits.hot_suite not in ids:
        yield Inert("thermal", f"hot_suite, {limits.hot_suite}, may not be chosen")
    if max(drone) <= fast_s and all(policy.profile.cost(s).power_w is None for s in usable):
        yield Inert(
            "battery",
            f"every suite takes at most {fast_s:g} s of the drone's time, and the profile "
            f"{policy.profile.name} has no power of any suite",
        )
    if max(both) <= fast_s:
        yield Inert("link", f"every handshake takes at most fast_handshake_s, {fast_s:g} s")
    if limits.balanced_suite not in ids:
        yield Inert("balanced", f"balanced_suite, {limits.balanced_suite}, may not be chosen")
