# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A decision of the policy, and the proposal of a rule that it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from pqc_policy.policy.inputs import DecisionInput


class Action(StrEnum):
    """A change of the session, or none."""

    HOLD = "HOLD"
    DOWN = "DOWN"
    DOWN_TO_LIGHTEST = "DOWN_TO_LIGHTEST"
    UPGRADE = "UPGRADE"
    REKEY = "REKEY"
    ROLLBACK = "ROLLBACK"
    LAYER = "LAYER"  # a rekey to another KEM for its secret, or back from it


@dataclass(frozen=True, slots=True)
class Removal:
    """An active exclusion of the expert strategy, and how many suites it excluded."""

    rule: str
    count: int


@dataclass(frozen=True, slots=True)
class Preference:
    """What a rule of another package preferred; that package's own class says why."""

    def sentences(self) -> Iterator[str]:
        """Yield what an explanation says of it."""
        yield from ()


class Limit(StrEnum):
    """Limits of how often keys are renewed."""

    REKEYS = "rekeys"  # of all requests within rekey_window_s
    EVENTS = "events"  # of one rule within rekey_window_s; counts towards REKEYS, too
    WARNINGS = "warnings"  # of the answers to the fleet's warnings, and of nothing else


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposal of one rule of a strategy; without a target it is a HOLD."""

    action: Action
    reason: str
    target: str | None = None
    rule: str = ""  # that proposes it
    yields: bool = False  # a HOLD that gives way to a later wish for fresh keys
    blacklist: str | None = None  # suite to blacklist
    removed: tuple[Removal, ...] = ()
    ratchet: bool = False  # fresh keys without public-key operations
    one_time_key: bool = False  # with a one-time key of the anchor mixed in
    prefetch: str = ""  # suite whose key to fetch in the background
    limit: Limit = Limit.REKEYS  # that the request counts towards
    preference: Preference | None = None  # of a rule that chooses by values

    def by(self, rule: str) -> Proposal:
        """Return the proposal with the name of its rule, unless it has one."""
        return self if self.rule else replace(self, rule=rule)

    def held(self, because: HoldReason) -> Proposal:
        """Return the HOLD that takes its place."""
        reason = f"{self.reason.rstrip('.')} – held because {because.text}."
        return replace(
            self,
            action=Action.HOLD,
            reason=reason,
            target=None,
            blacklist=None,
            ratchet=False,
            one_time_key=False,
        )


@dataclass(frozen=True, slots=True)
class HoldReason:
    """Why a proposed change is not made now."""

    kind: str  # one of RETRY, LIMIT, INTERRUPTION and UNDER_WAY
    text: str  # the end of a sentence
    until_s: float | None = None  # when it ends at the latest; None: not known


UNDER_WAY = "under_way"
RETRY = "retry"
INTERRUPTION = "interruption"
LIMIT = "limit"

# The cue of a lossy link.
LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision with the rule that made it and its inputs."""

    t: float
    strategy: str
    action: Action
    rule: str
    from_suite: str | None
    to_suite: str | None
    reason: str
    blacklisted: tuple[str, ...]  # by this decision
    removed: tuple[Removal, ...]
    inputs: DecisionInput
    ratchet: bool = False  # whether the fresh keys come by a ratchet
    hold_reason: HoldReason | None = None  # why the proposed change was not made
    asked: bool = False  # whether the tunnel is asked for the change; not if only advice is given
    missing: tuple[str, ...] = ()  # required inputs that are unknown: a degraded mode
    inactive: tuple[str, ...] = ()  # rules that lack an input
    cue: str = ""  # what the operator should do, as a sentence; empty: nothing
    cue_id: str = ""  # a stable id of the cue: LOSS, or that of a response
    preference: Preference | None = None  # of the proposal
    one_time_key: bool = False  # whether the ratchet mixes one of the anchor in
    prefetch: str = ""  # suite whose key the tunnel is asked to fetch; not if only advice is given

    @property
    def event(self) -> str:
        """A stable id: the rule and what became of it, such as link.down or link.held.limit."""
        if self.hold_reason is not None:
            return f"{self.rule}.held.{self.hold_reason.kind}"
        return f"{self.rule}.{self.action.value.lower()}"

    def summary(self) -> dict[str, Any]:
        """Return the line of a decision log: t, action, rule, from, to, reason."""
        return {
            "t": self.t,
            "action": self.action.value,
            "rule": self.rule,
            "from": self.from_suite,
            "to": self.to_suite,
            "reason": self.reason,
        }

    def to_json(self) -> str:
        """Return everything as one line of JSON with sorted keys."""
        everything = asdict(self) | {"event": self.event}
        session = everything["inputs"]["session"]["value"]
        if session is not None:
            session["blacklisted"] = sorted(session["blacklisted"])
        return json.dumps(everything, sort_keys=True)
