# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the policy says, and why."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pqc_policy.policy.inputs import DecisionInput


class Action(StrEnum):
    """What is to be done with the session."""

    HOLD = "HOLD"
    DOWN = "DOWN"
    DOWN_TO_LIGHTEST = "DOWN_TO_LIGHTEST"
    UPGRADE = "UPGRADE"
    REKEY = "REKEY"
    ROLLBACK = "ROLLBACK"


@dataclass(frozen=True, slots=True)
class Removal:
    """A guard that fired, and how many suites it took out of the choice."""

    guard: str
    count: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one row of a strategy wants; without a target it is a HOLD."""

    action: Action
    guard: str
    reason: str
    target: str | None = None
    blacklist: str | None = None  # a suite to keep from for a while
    removed: tuple[Removal, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, whole: with the guard that made it and the inputs it saw."""

    t: float
    strategy: str
    action: Action
    guard: str
    from_suite: str | None
    to_suite: str | None
    reason: str
    blacklisted: tuple[str, ...]  # put on the blacklist by this decision
    removed: tuple[Removal, ...]
    inputs: DecisionInput
    hindered: str | None = None  # what kept a wanted change from being made

    def summary(self) -> dict[str, Any]:
        """Return the line of a decision log: t, action, guard, from, to, reason."""
        return {
            "t": self.t,
            "action": self.action.value,
            "guard": self.guard,
            "from": self.from_suite,
            "to": self.to_suite,
            "reason": self.reason,
        }

    def to_json(self) -> str:
        """Return everything as one line of JSON, always spelt the same way."""
        everything = asdict(self)
        session = everything["inputs"]["session"]["value"]
        if session is not None:
            session["blacklisted"] = sorted(session["blacklisted"])
        return json.dumps(everything, sort_keys=True)
