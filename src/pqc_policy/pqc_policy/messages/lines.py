# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lines for the pilot: which change of the suite, and which cue, the ground program shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from pqc_msgs.msg import PolicyDecision
from pqc_policy.messages.content import LONGEST_NAME, MOST_BYTES, Kind, Message
from pqc_policy.messages.names import cue_line, cue_of
from pqc_policy.messages.reports import changes_suite
from pqc_policy.policy.decision import Action

WARNING, INFORMATION = 4, 6  # severities of MAVLink
BETWEEN_LINES_S = 5.0
# A change that was not tried for so long is announced as a new one.
FORGOTTEN_AFTER_S = 60.0
# Between two lines of one cue, however often it ends and begins.
BETWEEN_CUES_S = 60.0
# A line is sent each second at first, and then now and then: each copy may get lost.
OFTEN_S, SELDOM_S, SELDOM_EVERY_S = 20.0, 120.0, 10.0

_PRESSING = (PolicyDecision.DOWN, PolicyDecision.DOWN_TO_LIGHTEST, PolicyDecision.ROLLBACK)
_TRIES = ("under_way", "retry")
_HEADER_BYTES = 2


@dataclass(frozen=True)
class Line:
    severity: int
    text: str


@dataclass
class Announcer:
    """Says in a line to which suite the policy changes and why, and what a cue asks for.

    After a change that no decision told of it says which suite is in use. Renewals, layers,
    repeated tries and mere advice are not announced. Of what waits comes the newest change, else
    the cue.
    """

    _waiting: tuple[str, Line] | None = None  # with the suite to change to; empty: it is done
    _in_use: str = ""  # the newest one that is known
    _target: str = ""  # of the newest line, until the drone has it
    _tried_s: float = 0.0
    _cue: str = ""
    _cue_is_said: bool = False
    _next_cue_s: dict[str, float] = field(default_factory=dict)
    _next_s: float = 0.0

    def line(self, decision: PolicyDecision, now_s: float) -> Line | None:
        """Return a line to show now; to be called for each decision."""
        self._note_suite_in_use(decision.from_suite)
        self._note_change(decision, now_s)
        cue = cue_of(decision.cue_id, decision.cue)
        if cue != self._cue:
            self._cue, self._cue_is_said = cue, False
        if now_s < self._next_s:
            return None
        line = self._next_line(now_s)
        if line is not None:
            self._next_s = now_s + BETWEEN_LINES_S
        return line

    def _note_suite_in_use(self, suite: str) -> None:
        if suite in ("", self._in_use):
            return
        told = suite == self._target or (self._waiting is not None and suite == self._waiting[0])
        if self._in_use and not told:
            self._waiting = "", Line(INFORMATION, _text("now", suite))
        self._in_use = suite

    def _note_change(self, decision: PolicyDecision, now_s: float) -> None:
        done = decision.from_suite == self._target
        if done or now_s - self._tried_s > FORGOTTEN_AFTER_S:
            self._target = ""  # the same change may come again
        changes = changes_suite(decision)
        if changes and decision.to_suite != self._target:
            severity = WARNING if decision.action in _PRESSING else INFORMATION
            rule = decision.rule[:LONGEST_NAME]
            self._waiting = decision.to_suite, Line(severity, _text(rule, decision.to_suite))
        if decision.action == Action.LAYER and decision.asked:
            self._target, self._tried_s = decision.to_suite, now_s
        if changes or decision.hold in _TRIES:
            self._tried_s = now_s

    def _next_line(self, now_s: float) -> Line | None:
        if self._waiting is not None:
            (target, line), self._waiting = self._waiting, None
            self._target = target or self._target
            return line
        if not self._cue or self._cue_is_said or now_s < self._next_cue_s.get(self._cue, 0.0):
            return None
        self._cue_is_said = True
        self._next_cue_s[self._cue] = now_s + BETWEEN_CUES_S
        return Line(WARNING, f"PQC {cue_line(self._cue)}")


class LineSender:
    """Sends the newest line several times; the ground shows each number once."""

    def __init__(self, number: int) -> None:
        """Begin with a random number, so that the first line is not taken for one before."""
        self._number = number
        self._line: Line | None = None
        self._since_s = self._next_s = 0.0

    def tell(self, line: Line, now_s: float) -> None:
        self._number = (self._number + 1) % 256
        self._line = line
        self._since_s = self._next_s = now_s

    def message(self, now_s: float) -> Message | None:
        """Return the message to send now; to be called each second."""
        age_s = now_s - self._since_s
        if self._line is None or now_s < self._next_s or age_s > SELDOM_S:
            return None
        self._next_s = now_s if age_s < OFTEN_S else now_s + SELDOM_EVERY_S
        text = self._line.text.encode("ascii", "replace")[: MOST_BYTES - _HEADER_BYTES]
        return Message(Kind.LINE, bytes((self._number, self._line.severity)) + text)


def _text(what: str, suite: str) -> str:
    """Return a line, with the suite without the prefix that all have, so that it fits."""
    return f"PQC {what}: {suite.removeprefix('cs-')}"
