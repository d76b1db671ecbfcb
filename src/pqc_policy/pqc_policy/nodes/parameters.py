# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node's parameters as a table: declared from it, and live changes checked against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterUninitializedException,
)
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

Value = bool | int | float | str | list[str]
_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number with a decimal point",
    str: "a text",
    list: "a list of texts",
}


class ParameterFault(Exception):
    """What is wrong with a parameter, in one sentence."""


@dataclass(frozen=True)
class Parameter:
    """One parameter; its type is that of its default."""

    name: str
    default: Value
    description: str
    low: float | None = None  # inclusive, as is high; for numbers
    high: float | None = None
    choices: tuple[str, ...] = ()  # for texts; empty: any
    read_only: bool = False

    def check(self, value: Any) -> None:
        """Raise ParameterFault if a value of the right type makes no sense."""
        if isinstance(value, float) and not isfinite(value):
            raise ParameterFault(f"{self.name} is {value}, but must be a finite number.")
        if self.choices and value not in self.choices:
            known = ", ".join(self.choices)
            raise ParameterFault(f"{self.name} is {value!r}, but must be one of {known}.")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        if self.low is not None and value < self.low:
            raise ParameterFault(f"{self.name} is {value}, but must be at least {self.low}.")
        if self.high is not None and value > self.high:
            raise ParameterFault(f"{self.name} is {value}, but must be at most {self.high}.")

    def descriptor(self) -> ParameterDescriptor:
        """Return what ROS tells of it."""
        described = ParameterDescriptor(description=self.description, read_only=self.read_only)
        if self.choices:
            described.additional_constraints = "one of " + ", ".join(self.choices)
        if self.low is None or self.high is None:
            return described
        if isinstance(self.default, float):
            described.floating_point_range = [
                FloatingPointRange(from_value=float(self.low), to_value=float(self.high))
            ]
        else:
            described.integer_range = [
                IntegerRange(from_value=int(self.low), to_value=int(self.high), step=1)
            ]
        return described


def declare(node: Node, table: Sequence[Parameter]) -> dict[str, Any]:
    """Declare every parameter of a table; return their values.

    Raises ParameterFault for a value of a wrong type or beyond its range.
    """
    values: dict[str, Any] = {}
    for entry in table:
        try:
            # An empty list has no type of its own.
            default = (
                RosParameter.Type.STRING_ARRAY
                if isinstance(entry.default, list) and not entry.default
                else entry.default
            )
            declared = node.declare_parameter(entry.name, default, entry.descriptor())
            value = declared.value if declared.value is not None else entry.default
        except InvalidParameterTypeException:
            raise ParameterFault(f"{entry.name} must be {_KINDS[type(entry.default)]}.") from None
        except InvalidParameterValueException:
            raise ParameterFault(
                f"{entry.name} must be from {entry.low} to {entry.high}."
            ) from None
        except ParameterUninitializedException:
            value = entry.default
        entry.check(value)
        values[entry.name] = list(value) if isinstance(entry.default, list) else value
    return values


def watch(
    node: Node,
    table: Sequence[Parameter],
    values: Mapping[str, Any],
    apply: Callable[[dict[str, Any]], None],
) -> None:
    """Have live changes applied: all values with those changed; ParameterFault refuses them."""
    entries = {entry.name: entry for entry in table}
    current = dict(values)

    def changed(parameters: list[RosParameter]) -> SetParametersResult:
        new = dict(current)
        try:
            for parameter in parameters:
                entry = entries.get(parameter.name)
                if entry is not None:
                    entry.check(parameter.value)
                    new[entry.name] = parameter.value
            if new != current:
                apply(new)
        except ParameterFault as fault:
            return SetParametersResult(successful=False, reason=str(fault))
        current.update(new)
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(changed)
