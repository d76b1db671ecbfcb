# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of a decision, made directly instead of from messages.

The times are those of the messages of a real flight: each topic has its moment of the second, and
the policy decides on what was stamped until the whole second. A topic that is silent keeps its
newest value, which ages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pqc_policy.policy.inputs import (
    DecisionInput,
    Reading,
    Verdict,
)

# How old the newest message of a topic is at a whole second.
THERMAL_AGE_S, BATTERY_AGE_S, VEHICLE_AGE_S, POWER_AGE_S = 0.95, 0.90, 0.85, 0.75
COMPUTER_AGE_S = 0.70
LINK_AGE_S, ADVISOR_AGE_S, STATUS_AGE_S = 0.60, 0.55, 0.50
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass
class SensedInputs:
    """The newest value of each topic and its time in s."""

    _values: dict[str, tuple[float, object]] = field(default_factory=dict)

    def put(self, topic: str, stamp_s: float, value: object) -> None:
        """Take a value under the name that DecisionInput has for it; None is none."""
        if value is not None:
            self._values[topic] = (stamp_s, value)

    def put_verdict(self, stamp_s: float, judged: tuple[Verdict, str] | None) -> None:
        """Take a verdict with the class of the attack, empty if it names none; None is none."""
        if judged is None:
            return
        verdict, attack_class = judged
        self._values["advisor"] = (stamp_s, verdict)
        if attack_class:
            self._values["attack_class"] = (stamp_s, attack_class)
        else:
            self._values.pop("attack_class", None)

    def readings(self, now_s: float) -> dict[str, Any]:
        return {
            topic: Reading(value, now_s - stamp_s)
            for topic, (stamp_s, value) in self._values.items()
        }

    def inputs(self, at_ns: int, others: Mapping[str, Any] = _NONE) -> DecisionInput:
        """Return the inputs at a time, with other readings than those that were put."""
        now_s = at_ns / 1e9
        return DecisionInput(now_s=now_s, **others, **self.readings(now_s))
