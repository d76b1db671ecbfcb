# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What to set when the policy holds for the lack of something that this drone may not sense."""

from __future__ import annotations

from collections.abc import Callable

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import known

WAIT_S = 5.0  # for nodes that start later, and for what is silent for a moment
_SENSED = ("battery", "thermal", "armed")
_CONTENT = {"battery": "voltage_v", "thermal": "temperature_c", "link": "gap_p95_s"}


class MissingInputs:
    """Follows the decisions; times are theirs, in s."""

    def __init__(self, reason: Callable[[str], str]) -> None:
        """`reason` returns why an input is missing, as a sentence without its end."""
        self._reason = reason
        self.forget()

    def forget(self) -> None:
        """Begin afresh."""
        self._since_s: dict[str, float] = {}
        self._names: tuple[str, ...] = ()
        self._decides = False  # whether one of them is what the decision names
        self.advice = ""  # what to set; empty: nothing

    def take(self, decision: Decision, config: PolicyConfig) -> str | None:
        """Follow a decision; return the advice if it is new."""
        lacking = _lacking(decision, config)
        self._since_s = {name: self._since_s.get(name, decision.t) for name in lacking}
        names = tuple(
            name
            for name in _SENSED
            if name in lacking and decision.t - self._since_s[name] >= WAIT_S
        )
        decides = bool(names) and lacking[0] in names
        new = bool(names) and (names != self._names or (decides and not self._decides))
        self._names, self._decides = names, decides
        self.advice = self._advice(config) if names else ""
        return self.advice if new else None

    def _advice(self, config: PolicyConfig) -> str:
        left = ", ".join(name for name in config.required_inputs if name not in self._names)
        why = ". ".join(self._reason(name) for name in self._names)
        them = "it" if len(self._names) == 1 else "them"
        return f"{why}: the policy holds. Set required_inputs to [{left}] to fly without {them}."


def _lacking(decision: Decision, config: PolicyConfig) -> tuple[str, ...]:
    """Return the required inputs that are missing, stale or empty, the one that decides first."""
    silent, empty = [], []
    for name in config.required_inputs:
        value = getattr(decision.inputs, name).fresh(config.stale_s)
        if value is None:
            silent.append(name)
        elif name in _CONTENT and known(getattr(value, _CONTENT[name])) is None:
            empty.append(name)
    return (*silent, *empty)
