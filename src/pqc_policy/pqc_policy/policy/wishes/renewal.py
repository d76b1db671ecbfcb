# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A renewal of the keys of the suite in use: by a full rekey, or by a ratchet of 341 bytes."""

from __future__ import annotations

from hashlib import sha256

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action, Limit, Proposal
from pqc_policy.policy.inputs import known
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite

_LAST_EPOCH = 255  # of a session: a full rekey begins the next one


def interval_s(config: PolicyConfig, suite: Suite) -> float | None:
    """Return the interval of a suite's routine renewals; None for never.

    The drones of one ground station differ by up to rekey_stagger_s, each always by the same time.
    """
    own_s = config.rekey_interval_s.of(suite.family)
    return None if own_s is None else own_s + stagger_s(config)


def stagger_s(config: PolicyConfig) -> float:
    """Return by how much this drone's renewals differ from another one's."""
    if not config.identity:
        return 0.0
    share = int.from_bytes(sha256(config.identity.encode()).digest()[:4]) / 2**32
    return share * config.rekey_stagger_s


def last_epoch(s: Situation) -> bool:
    """Return whether only a full rekey may follow, which begins another session."""
    return s.session is not None and s.session.epoch >= _LAST_EPOCH


def renewable(s: Situation) -> Suite | None:
    """Return the suite in use if its keys may be renewed."""
    suite = s.current
    return suite if suite is not None and s.order.may_choose(suite, s.barred) else None


def renewal(
    s: Situation, suite: Suite, why: str, *, ratchet: bool = False, limit: Limit = Limit.REKEYS
) -> Proposal:
    """Return a renewal by a ratchet if that is wanted, or full rekeys cost too much of the air."""
    # Without a routine there is at most one renewal in rekey_window_s.
    every_s = interval_s(s.config, suite) or s.config.rekey_window_s
    share = _airtime(s, suite, every_s)
    if share > s.config.rekey_airtime:
        most = 100.0 * s.config.rekey_airtime
        why += f"; full rekeys would take {100.0 * share:.1f} % of the link's rate, more than "
        why += f"{most:g} %: by a ratchet"
        ratchet = True
    elif not ratchet and (hard := trouble(s)):
        why += f"; {hard}: by a ratchet"
        ratchet = True
    return Proposal(
        Action.REKEY, f"{why}.", target=suite.id, ratchet=ratchet and not last_epoch(s), limit=limit
    )


def trouble(s: Situation) -> str:
    """Return why a full rekey would hardly get through now, as a clause; empty if it would."""
    if s.state.levels.link:
        return "the link is bad"
    under_attack = s.response is not None and s.response.ratchets
    return f"under attack{s.attack_text}" if under_attack else ""


def _airtime(s: Situation, suite: Suite, every_s: float) -> float:
    """Return the share of a thin link's rate that full rekeys take; 0 if no link is thin."""
    rate = known(s.link.rate_bytes_s) if s.link is not None else None
    return s.cost(suite).rekey_bytes / (rate * every_s) if rate else 0.0
