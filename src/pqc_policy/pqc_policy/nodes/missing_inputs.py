# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Advice on what to do when rules can't act because an input is missing."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import INPUTS

_EFFECT = "the rules that need it don't act"
WAIT_S = 5.0  # for nodes that start later, and for short gaps
_SENSING = "See /diagnostics of the sensing node."
# Inputs of the tunnel, without which no drone can fly, and how to get them.
_REMEDIES = {
    "session": "Start the tunnel in the namespace of the policy, or see its log.",
    "link": "See /diagnostics of the tunnel: the ground station sends this report while it is "
    "connected.",
}


def why_missing(node: Node, name: str) -> str:
    """Return why an input is missing, as a sentence without its full stop."""
    topic = node.resolve_topic_name(INPUTS[name].topic)
    if not node.count_publishers(topic):
        return f"Input {name} is missing, because nothing publishes {topic}"
    if name == "link":
        return "Input link is missing, because no report of the ground station arrives"
    return f"Input {name} is missing, because no usable message arrives on {topic}"


class MissingInputAdvice:
    """Takes every decision; times are those of the decisions, in s."""

    def __init__(self, reason: Callable[[str], str]) -> None:
        """`reason` returns why an input is missing, as a sentence without its full stop."""
        self._reason = reason
        self.reset()

    def reset(self) -> None:
        self._since_s: dict[str, float] = {}
        self._names: tuple[str, ...] = ()
        self._decides = False  # whether the decision names one of them
        self.advice = ""  # what to do; empty: nothing

    def take(self, decision: Decision, config: PolicyConfig) -> str | None:
        """Take a decision; return the advice if it is new."""
        missing = decision.missing
        self._since_s = {name: self._since_s.get(name, decision.t) for name in missing}
        names = tuple(
            name
            # Without a session nothing else helps.
            for name in sorted(INPUTS, key=lambda name: name != "session")
            if name in missing and decision.t - self._since_s[name] >= WAIT_S
        )
        decides = bool(names) and missing[0] in names
        new = bool(names) and (names != self._names or (decides and not self._decides))
        self._names, self._decides = names, decides
        self.advice = self._advice(config) if names else ""
        return self.advice if new else None

    def _advice(self, config: PolicyConfig) -> str:
        why = ". ".join(self._reason(name) for name in self._names)
        sentences = [f"{why}: {_EFFECT}."]
        sentences += [_REMEDIES[name] for name in self._names if name in _REMEDIES][:1]
        optional = [name for name in self._names if name not in _REMEDIES]
        if optional:
            sentences.append(_SENSING)
            left = ", ".join(name for name in config.required_inputs if name not in optional)
            without = " and ".join([", ".join(optional[:-1]), optional[-1]][len(optional) == 1 :])
            sentences.append(f"Set required_inputs to [{left}] to fly without {without}.")
        return " ".join(sentences)
