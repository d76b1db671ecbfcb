# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which rules can never act with given parameters, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pqc_policy.policy import renewals, rules
from pqc_policy.policy.config import REQUIRED_INPUTS, PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.expert import powers
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.needs import needs_of
from pqc_policy.policy.rules import Rule
from pqc_policy.policy.suite_order import SuiteOrder, grade_of
from pqc_policy.policy.suites import SUITES, Suite, find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor
from pqc_policy.policy.wording import listed

# A blackout is a silence of more than a second, and a report of the link covers five seconds.
_BLACKOUT_S, _REPORT_S = 1.0, 5.0
# No input gets beyond these.
_MOST_C, _LEAST_V, _MOST_LOSS, _MOST_RTT_S = 150.0, 0.0, 1.0, 60.0


@dataclass(frozen=True)
class Inert:
    """A rule that can never act."""

    rule: str
    why: str
    contradicts: bool = False  # another parameter; otherwise that is a choice, or what is known


class _Contradiction(str):
    """Why a rule can never act, where nobody can have meant it so."""

    __slots__ = ()


@dataclass(frozen=True)
class _Reach:
    """What a policy can do in a flight, with what its tunnel leaves it."""

    policy: Policy
    usable: tuple[Suite, ...]
    start: Suite | None  # of the first handshake; None: not known

    @property
    def config(self) -> PolicyConfig:
        return self.policy.config

    @property
    def order(self) -> SuiteOrder:
        return self.policy.order

    @property
    def heaviest(self) -> Suite | None:
        """The heaviest suite that can be in use; None: not known."""
        ceiling = find_suite(self.config.ceiling)
        if self.start is None or ceiling is None:
            return None
        strategy = self.policy.strategy
        rising = rules.upgrade in strategy.rules or bool(strategy.own_rules)
        rises = rising and self.order.lighter(self.start, ceiling)
        return ceiling if rises else self.start


def inert_rules(policy: Policy, tunnel: TunnelFloor | None = None) -> list[Inert]:
    """Return the rules of the policy's strategy that can never act with its parameters.

    `tunnel` is what the parameters of the tunnel leave: its suites and the first of them.
    """
    allows = tunnel.allows if tunnel is not None else _anything
    usable = tuple(suite for suite in policy.order.usable if allows(suite))
    if not usable:
        why = "the tunnel uses none of the suites that may be chosen"
        return [Inert(rule.__name__, why, True) for rule in policy.strategy.rules]
    reach = _Reach(policy, usable, tunnel.start if tunnel is not None else None)
    found = [
        Inert(rule.__name__, why, isinstance(why, _Contradiction))
        for rule in policy.strategy.rules
        if (why := next(_why(rule, reach), None)) is not None
    ]
    if policy.strategy.excludes:
        found += _of_expert(reach)
    return found


def _anything(_: Suite) -> bool:
    return True


def _why(rule: Rule, reach: _Reach) -> Iterator[str]:
    yield from _no_sensor(rule, reach)
    yield from _CHECKS.get(rule, _nothing)(reach)


def _nothing(_: _Reach) -> Iterator[str]:
    yield from ()


def _no_sensor(rule: Rule, reach: _Reach) -> Iterator[str]:
    """Inputs that are left out of required_inputs can't be sensed by this drone."""
    required = reach.config.required_inputs
    present = [name for name in DecisionInput.__dataclass_fields__ if name not in REQUIRED_INPUTS]
    lacking = needs_of(rule).lacking({*present, *required}, ())
    if lacking:
        yield f"it needs {listed(lacking)}, which required_inputs says this drone can't sense"


def _no_lighter(reach: _Reach) -> Iterator[str]:
    if len(reach.usable) == 1:
        yield f"{reach.usable[0].id} is the only suite that may be chosen"
    heaviest = reach.heaviest
    if heaviest is not None and not reach.order.lighter(reach.usable[0], heaviest):
        yield (
            f"{heaviest.id} is the heaviest suite that the tunnel's first suite and the ceiling "
            "lead to, and the tunnel leaves no lighter one"
        )


def _emergency(reach: _Reach) -> Iterator[str]:
    yield from _no_lighter(reach)
    config = reach.config
    if config.emergency_voltage_v <= _LEAST_V and config.emergency_temperature_c >= _MOST_C:
        yield "no voltage is below emergency_voltage_v, nothing hotter than emergency_temperature_c"


def _blackout(reach: _Reach) -> Iterator[str]:
    yield from _no_lighter(reach)
    config = reach.config
    if config.blackout_count * _BLACKOUT_S >= config.blackout_window_s:
        yield _Contradiction(
            f"each blackout lasts for more than {_BLACKOUT_S:g} s, so that there are never more "
            f"than {config.blackout_count} in {config.blackout_window_s:g} s"
        )


def _cooldown(reach: _Reach) -> Iterator[str]:
    if reach.config.cooldown_s == 0.0:
        yield "cooldown_s is 0"


def _link(reach: _Reach) -> Iterator[str]:
    yield from _no_lighter(reach)
    config = reach.config
    if (
        config.link_gap_s >= _REPORT_S
        and config.link_loss >= _MOST_LOSS
        and config.link_rtt_s >= _MOST_RTT_S
    ):
        yield (
            f"no gap in a report of {_REPORT_S:g} s is above link_gap_s, and nothing is above "
            "link_loss and link_rtt_s"
        )


def _attack(reach: _Reach) -> Iterator[str]:
    yield from _no_lighter(reach)
    heaviest = reach.heaviest
    lighter = [s for s in reach.usable if heaviest is None or reach.order.lighter(s, heaviest)]
    if len({suite.kem for suite in (*lighter, *([heaviest] if heaviest else []))}) == 1:
        yield f"{reach.usable[0].kem} is the only KEM that may be chosen"


def _signature(reach: _Reach) -> Iterator[str]:
    barred = {suite.id for suite in SUITES} - {suite.id for suite in reach.usable}
    left = [
        suite
        for suite in reach.usable
        if reach.order.costly(suite) and reach.order.cheaper_signature(suite, barred) is not None
    ]
    if not left:
        yield "no suite that may be chosen has a costly signature and a cheaper one beside it"
    else:
        yield from _no_interval(reach, left, "with a costly signature")


def _fleet(reach: _Reach) -> Iterator[str]:
    if reach.config.warned_s == 0.0:
        yield "warned_s is 0"


def _rekey(reach: _Reach) -> Iterator[str]:
    yield from _no_interval(reach, reach.usable, "that may be chosen")


def _no_interval(reach: _Reach, suites: Iterable[Suite], which: str) -> Iterator[str]:
    families = sorted({suite.family for suite in suites})
    if not any(reach.config.rekey_interval_s.of(family) for family in families):
        yield f"rekey_interval_s is 0 for every family {which} ({', '.join(families)})"


def _upgrade(reach: _Reach) -> Iterator[str]:
    yield from _no_lighter(reach)
    ceiling = find_suite(reach.config.ceiling)
    if ceiling is None:
        return
    starts = (suite for suite in SUITES if reach.order.lighter(suite, ceiling))
    barred = {suite.id for suite in SUITES} - {suite.id for suite in reach.usable}
    if not any(reach.order.up(start, ceiling, barred) for start in starts):
        yield _Contradiction(
            f"no suite that may be chosen is as heavy as the ceiling, {ceiling.id}, or lighter"
        )
    elif not any(grade_of(suite) < grade_of(ceiling) for suite in reach.usable):
        yield f"no suite that may be chosen is lighter than the ceiling, {ceiling.id}"


_CHECKS: Mapping[Rule, Callable[[_Reach], Iterator[str]]] = {
    rules.emergency: _emergency,
    rules.blackout: _blackout,
    rules.cooldown: _cooldown,
    rules.link: _link,
    rules.attack: _attack,
    rules.stress: _no_lighter,
    renewals.signature: _signature,
    renewals.fleet: _fleet,
    renewals.rekey: _rekey,
    renewals.overdue: _rekey,
    rules.upgrade: _upgrade,
}


def _of_expert(reach: _Reach) -> Iterator[Inert]:
    config, usable = reach.config, reach.usable
    limits, ids = config.expert, {suite.id for suite in usable}
    if len(usable) == 1:
        yield Inert("choose", f"{usable[0].id} is the only suite that may be chosen")
        return
    drone = [reach.policy.profile.cost(suite).drone_s for suite in usable]
    both = [reach.policy.profile.cost(suite).handshake_s for suite in usable]
    fast_s = limits.fast_handshake_s
    if limits.warm_c >= config.emergency_temperature_c:
        why = "warm_c is not below emergency_temperature_c, whose rule comes first"
        yield Inert("thermal", why, True)
    elif limits.hot_suite not in ids:
        yield Inert("thermal", f"hot_suite, {limits.hot_suite}, may not be chosen")
    if max(drone) <= fast_s and not powers(reach.policy.profile.cost, config, usable):
        yield Inert(
            "battery",
            f"every suite takes at most {fast_s:g} s of the drone's time, and the profile "
            f"{reach.policy.profile.name} has no power of any suite",
        )
    if max(both) <= fast_s:
        for rule in ("link", "advisor"):
            yield Inert(rule, f"every handshake takes at most fast_handshake_s, {fast_s:g} s")
    if max(drone) <= limits.medium_handshake_s:
        yield Inert(
            "computer",
            f"every suite takes at most {limits.medium_handshake_s:g} s of the drone's time, and a "
            "busy computer excludes longer ones alone",
        )
    if limits.balanced_suite not in ids:
        yield Inert("balanced", f"balanced_suite, {limits.balanced_suite}, may not be chosen")
