# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The wishes for another suite, one step at a time, and the two that hold."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rules.guards import spent
from pqc_policy.policy.rules.needs import needs
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.wording import apart


@needs("session", "link")
def link(s: Situation) -> Proposal | None:
    """Go one step down when the link has been bad for a while."""
    lasted_s = s.lasted_s(s.state.link_bad_since_s)
    if lasted_s is None or lasted_s < s.config.persistence_s:
        return None
    config = s.config
    if s.gap_s is not None and s.gap_s > config.link_gap_s:
        gap, limit = apart(s.gap_s, config.link_gap_s, 2)
        what = f"The gap between datagrams (95th percentile) is {gap} s, and has been more than"
        return step_down(s, "link", f"{what} {limit} s for {lasted_s:.0f} s")
    if s.loss is not None and s.loss > config.link_loss:
        loss, limit = apart(100.0 * s.loss, 100.0 * config.link_loss, 0)
        why = f"The link loses {loss} % of the datagrams, more than {limit} %"
    else:
        rtt, limit = apart(s.rtt_s or 0.0, config.link_rtt_s, 2)
        why = f"The round trip takes {rtt} s, more than {limit} s"
    return step_down(s, "link", f"{why}; the link has been bad for {lasted_s:.0f} s")


@needs("session", "advisor")
def attack(s: Situation) -> Proposal | None:
    """Go one step down when the advisor has seen an attack for a while, if that helps."""
    lasted_s = s.lasted_s(s.state.attack_since_s)
    if lasted_s is None or lasted_s < s.config.persistence_s:
        return None
    why = f"The advisor has seen an attack{s.attack_text} for {lasted_s:.0f} s"
    target = s.order.down(s.current, s.barred) if s.current is not None else None
    if target is not None and s.current is not None and target.kem == s.current.kem:
        # A rekey would cost nearly as much on the air.
        return Proposal(Action.HOLD, "attack", f"{why}; no suite with a lighter KEM is left.")
    return step_down(s, "attack", why)


@needs("session", one_of=("battery", "thermal", "computer"))
def stress(s: Situation) -> Proposal | None:
    """Go one step down when temperature or voltage change too fast, or the computer is busy."""
    lasted_s = s.lasted_s(s.state.stress_since_s)
    if lasted_s is None or lasted_s < s.config.persistence_s:
        return None
    heating = s.thermal.rate_c_per_min if s.thermal is not None else None
    if heating is not None and heating > s.config.stress_c_per_min:
        rate, limit = apart(heating, s.config.stress_c_per_min, 1)
        why = f"The temperature rises by {rate} °C/min, more than {limit} °C/min"
    elif s.overloaded is not None:
        why = s.overloaded
    else:
        sagging = (s.battery.rate_mv_per_min if s.battery is not None else None) or 0.0
        rate, limit = apart(-sagging, -s.pack.stress_mv_per_min, 0)
        why = f"The voltage falls by {rate} mV/min, more than {limit} mV/min"
    return step_down(s, "stress", f"{why}; there has been stress for {lasted_s:.0f} s")


def step_down(s: Situation, rule: str, why: str) -> Proposal:
    """Propose one step down, or to hold where none is left in this episode."""
    target = s.order.down(s.current, s.barred) if s.current is not None else None
    if target is None:
        return Proposal(Action.HOLD, rule, f"{why}; no lighter suite is left.", step=True)
    if used_up := spent(s):
        return Proposal(Action.HOLD, rule, f"{why}; {used_up}", step=True)
    return Proposal(Action.DOWN, rule, f"{why}: one step down.", target=target.id, step=True)


@needs("session", "armed", required=True)
def upgrade(s: Situation) -> Proposal | None:
    """Go one step up, at most to the ceiling, when it has been calm on the ground for a while."""
    calm_s = s.since_switch_s(s.state.calm_since_s)
    if s.current is None or not s.disarmed or calm_s is None:
        return None
    ceiling = find_suite(s.config.ceiling)
    if calm_s < s.config.upgrade_stable_s or ceiling is None:
        return None
    target = s.order.up(s.current, ceiling, s.barred)
    if target is None:
        return None
    return Proposal(
        Action.UPGRADE,
        "upgrade",
        f"Disarmed and calm for {calm_s:.0f} s: one step up.",
        target=target.id,
    )


@needs("session")
def endure(s: Situation) -> Proposal | None:
    """Hold while an attack lasts against which no other suite helps."""
    if s.response is None or s.response.lighter:
        return None
    return Proposal(
        Action.HOLD,
        "endure",
        f"Under attack{s.attack_text}: the suite stays, for {s.response.why}.",
    )


@needs()
def nominal(s: Situation) -> Proposal | None:
    """Hold."""
    return Proposal(Action.HOLD, "nominal", "No rule proposes a change.")
