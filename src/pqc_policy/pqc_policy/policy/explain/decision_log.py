# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The log of decisions: a line each; a run of HOLD by one rule is a single line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pqc_policy.policy.decision import Action, Decision

Line = dict[str, Any]  # t, action, rule, from, to, reason


class DecisionLog:
    """Takes one decision at a time.

    A HOLD adds a line only if the line before is not a HOLD by the same rule; the numbers in its
    reason are those of its first second. `t` is in seconds from the first decision, or from
    `origin_s`.
    """

    def __init__(self, origin_s: float | None = None) -> None:
        self._origin_s = origin_s
        self._lines: list[Line] = []

    @property
    def lines(self) -> list[Line]:
        return list(self._lines)

    def add(self, summary: Line) -> bool:
        """Take the summary of a decision; return whether it made a new line."""
        if self._origin_s is None:
            self._origin_s = summary["t"]
        if self._lines and continues(self._lines[-1], summary):
            return False
        self._lines.append({**summary, "t": summary["t"] - self._origin_s})
        return True


def continues(line: Line, summary: Line) -> bool:
    """Return whether a decision belongs to the run of HOLD that a line stands for."""
    hold = Action.HOLD.value
    return line["action"] == summary["action"] == hold and line["rule"] == summary["rule"]


def to_json(lines: Iterable[Line]) -> str:
    """Return a log as a JSON list with one decision per line of text."""
    text = ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    return f"[\n{text}\n]\n"


def fold(decisions: Iterable[Decision], origin_s: float | None = None) -> list[Line]:
    log = DecisionLog(origin_s)
    for decision in decisions:
        log.add(decision.summary())
    return log.lines


def summary_of(message: Any) -> Line:
    """Return what Decision.summary() gives, from a PolicyDecision message."""
    return {
        "t": message.stamp.sec + message.stamp.nanosec / 1e9,
        "action": str(message.action),
        "rule": str(message.rule),
        "from": str(message.from_suite) or None,
        "to": str(message.to_suite) or None,
        "reason": str(message.reason),
    }
