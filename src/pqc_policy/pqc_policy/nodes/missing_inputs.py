# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Advice on what to do when rules can't act because an input is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.subscription import Subscription

from pqc_policy.nodes.missing_input_status import reasons_in
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import INPUTS

_EFFECT = "the rules that need it don't act"
WAIT_S = 5.0  # for nodes that start later, and for short gaps
_LISTEN_S = 2.0  # long enough before the advice to hear every status, which comes each second
# Inputs of the tunnel, without which no drone can fly, and how to get them.
_REMEDIES = {
    "session": "Start the tunnel in the namespace of the policy, or see its log.",
    "link": "See /diagnostics of the tunnel: the ground station sends this report while it is "
    "connected.",
}


class MissingInputReasons:
    """Why inputs are missing; reads /diagnostics of the sensing node in the same namespace.

    It listens only while something is missing: every node of the drone publishes there, and each
    message costs a wake-up.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._of_sensing: Mapping[str, str] = {}
        self._subscription: Subscription[DiagnosticArray] | None = None

    def listen(self, wanted: bool) -> None:
        """Begin or end to listen."""
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                DiagnosticArray, "/diagnostics", self._take, 10
            )
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
            self._of_sensing = {}

    def of(self, name: str) -> str:
        """Return why an input is missing, as a sentence without its full stop."""
        topic = self._node.resolve_topic_name(INPUTS[name].topic)
        if not self._node.count_publishers(topic):
            return f"Input {name} is missing, because nothing publishes {topic}"
        if name == "link":
            return "Input link is missing, because no report of the ground station arrives"
        return self._of_sensing.get(
            name, f"Input {name} is missing, because no usable message arrives on {topic}"
        )

    def _take(self, array: DiagnosticArray) -> None:
        reasons = reasons_in(array, self._node.get_namespace())
        if reasons is not None:
            self._of_sensing = reasons


class MissingInputAdvice:
    """Takes every decision; times are those of the decisions, in s."""

    def __init__(self, reason: Callable[[str], str], listen: Callable[[bool], None]) -> None:
        """Take the sources.

        `reason` returns why an input is missing, as a sentence without its full stop; `listen` is
        told whether that may be asked soon.
        """
        self._reason = reason
        self._listen = listen
        self.reset()

    def reset(self) -> None:
        """Forget the decisions so far."""
        self._since_s: dict[str, float] = {}
        self._names: tuple[str, ...] = ()
        self._decides = False  # whether the decision names one of them
        self.advice = ""  # what to do; empty: nothing

    def take(self, decision: Decision, config: PolicyConfig) -> str | None:
        """Take a decision; return the advice if it is new."""
        missing = decision.missing
        self._since_s = {name: self._since_s.get(name, decision.t) for name in missing}
        self._listen(any(decision.t - since >= _LISTEN_S for since in self._since_s.values()))
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
            left = ", ".join(name for name in config.required_inputs if name not in optional)
            without = " and ".join([", ".join(optional[:-1]), optional[-1]][len(optional) == 1 :])
            sentences.append(f"Set required_inputs to [{left}] to fly without {without}.")
        return " ".join(sentences)
