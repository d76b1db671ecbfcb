# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The policy's parameters in a flight: as they were recorded, with their changes.

The node publishes all its parameters as one rcl_interfaces/ParameterEvent at its start and after
each change, latched, so that a bag has them from its first second. The stamp is that of the newest
decision: the values apply to every later one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pqc_policy.parameters import Value, from_values, table, to_values
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.settings import PolicySettings
from pqc_policy.policy.state import PolicyState

Values = dict[str, Value]
# The field that has the value, by the type of a rcl_interfaces/ParameterValue.
_FIELDS = {
    1: "bool_value",
    2: "integer_value",
    3: "double_value",
    4: "string_value",
    9: "string_array_value",
}
_KNOWN = frozenset(entry.name for entry in table(PolicySettings))


def values_in(message: Any) -> Values:
    """Return the parameters in a ParameterEvent that this version has."""
    return {
        str(parameter.name): getattr(parameter.value, _FIELDS[int(parameter.value.type)])
        for parameter in message.new_parameters
        if str(parameter.name) in _KNOWN and int(parameter.value.type) in _FIELDS
    }


class FlightSettings:
    """The settings of the policy over a flight: the first ones, and changes with their times."""

    def __init__(
        self, recorded: Sequence[tuple[float, Values]], overrides: Mapping[str, Any]
    ) -> None:
        """Take all values at each time in s, and values that replace them over the whole flight.

        Raises ParameterFault for values or a profile that can't be used.
        """
        recorded = recorded or [(0.0, {})]
        self.overrides = dict(overrides)
        settings = [from_values(PolicySettings, values | self.overrides) for _, values in recorded]
        self.first = settings[0]
        self._times_s: list[float] = []
        self._policies: list[Policy] = []
        for (time_s, _), one, before in zip(recorded, settings, [None, *settings], strict=False):
            if one != before:
                self._times_s.append(time_s)
                self._policies.append(one.make_policy())
        self._recorded = [
            (time_s, to_values(from_values(PolicySettings, values))) for time_s, values in recorded
        ]

    def at(self, time_s: float) -> Policy:
        """Return the policy that decides for a time; the first one for earlier times, too."""
        return self._policies[max(bisect_left(self._times_s, time_s) - 1, 0)]

    def decide(self, state: PolicyState, inputs: DecisionInput) -> tuple[Decision, PolicyState]:
        """Return what Policy.decide() returns, with the settings of that time."""
        return self.at(inputs.now_s).decide(state, inputs)

    def replay(self, history: Iterable[DecisionInput]) -> Iterator[Decision]:
        """Yield the decisions over a sequence of inputs, starting without a state."""
        state = PolicyState()
        for inputs in history:
            decision, state = self.decide(state, inputs)
            yield decision

    def changes(self) -> list[tuple[float, str, Value, Value]]:
        """Return time, name, old and new value of every change in the recording."""
        found = []
        for (_, old), (time_s, new) in zip(self._recorded, self._recorded[1:], strict=False):
            found += [(time_s, n, old[n], new[n]) for n in new if new[n] != old[n]]
        return found

    def replaced(self) -> list[tuple[str, Value, Value]]:
        """Return name, first recorded value and value in use of all that the overrides change."""
        used = to_values(self.first)
        recorded = self._recorded[0][1]
        return [(name, recorded[name], used[name]) for name in used if used[name] != recorded[name]]
