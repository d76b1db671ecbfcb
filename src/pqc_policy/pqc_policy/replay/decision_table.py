# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The decision log as a table for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pqc_policy.policy.decision import Action, Decision
from pqc_policy.policy.explain.decision_log import Line

_HEADINGS = ("t", "action", "rule", "from -> to", "reason")


def short(suite: str | None) -> str:
    """Return a suite's id without its common prefix."""
    return suite.removeprefix("cs-") if suite else "no session"


def table(lines: Sequence[Line]) -> str:
    rows = [
        (
            f"{line['t']:.0f} s",
            line["action"],
            line["rule"],
            short(line["from"]) + (f" -> {short(line['to'])}" if line["to"] else ""),
            line["reason"],
        )
        for line in lines
    ]
    widths = [max(len(row[i]) for row in [_HEADINGS, *rows]) for i in range(len(_HEADINGS) - 1)]

    def formatted(row: Sequence[str]) -> str:
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        return "  ".join([first.strip().rjust(widths[0]), *others, row[-1]])

    return "\n".join(formatted(row) for row in [_HEADINGS, *rows])


def summary(decisions: Sequence[Decision]) -> str:
    """Return how often each change was decided, and how many seconds each rule decided."""
    if not decisions:
        return "The recording is too short for a decision."
    actions = Counter(d.action for d in decisions if d.action is not Action.HOLD)
    changes = ", ".join(f"{count} {action}" for action, count in actions.most_common())
    seconds = Counter(decision.rule for decision in decisions).most_common()
    rules = ", ".join(f"{rule} {count}" for rule, count in seconds)
    return f"Changes: {changes or 'none'}. Seconds by rule: {rules}."
