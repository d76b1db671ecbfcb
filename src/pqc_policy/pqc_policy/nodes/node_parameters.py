# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Declares the parameters of a settings class at a node, and applies changes in flight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from builtin_interfaces.msg import Time
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterEvent,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from pqc_policy.nodes import parameter_files
from pqc_policy.parameters import (
    Parameter,
    ParameterFault,
    Value,
    from_values,
    table,
    to_values,
    unknown,
)

T = TypeVar("T")
_DECLARED_LATER = ("diagnostic_updater.", "qos_overrides.")


def declare(node: Node, kind: type[T]) -> T:
    """Declare every parameter of a settings class and return the settings.

    Raises ParameterFault for a value of a wrong type, out of its range, or that doesn't fit, for a
    given parameter that the node doesn't have, and for a file that has nothing for the node.
    """
    parameter_files.check(node)
    given = node._parameter_overrides  # rclpy has no public access to undeclared ones
    values = {entry.name: _declared(node, entry, given) for entry in table(kind)}
    for name in given:
        if not node.has_parameter(name) and not name.startswith(_DECLARED_LATER):
            raise ParameterFault(unknown(name, values))
    return from_values(kind, values)


def watch(node: Node, settings: T, apply: Callable[[T], None]) -> None:
    """Call `apply` with the new settings on every change; a ParameterFault rejects the change."""
    current = to_values(settings)

    def converted(parameters: list[RosParameter]) -> list[RosParameter]:
        return [
            RosParameter(p.name, value=float(p.value))
            if type(p.value) is int and type(current.get(p.name)) is float
            else p
            for p in parameters
        ]

    def changed(parameters: list[RosParameter]) -> SetParametersResult:
        new = current | {p.name: p.value for p in parameters if p.name in current}
        try:
            if new != current:
                apply(from_values(type(settings), new))
        except ParameterFault as fault:
            return SetParametersResult(successful=False, reason=str(fault))
        current.update(new)
        return SetParametersResult(successful=True)

    node.add_pre_set_parameters_callback(converted)
    node.add_on_set_parameters_callback(changed)


def parameter_event(node: Node, settings: object, stamp: Time) -> ParameterEvent:
    """Return a message with every parameter of a settings object, as if all were new."""
    return ParameterEvent(
        stamp=stamp,
        node=node.get_fully_qualified_name(),
        new_parameters=[
            # ROS has no empty list.
            RosParameter(name, value=[""] if value == [] else value).to_parameter_msg()
            for name, value in to_values(settings).items()
        ],
    )


def _declared(node: Node, entry: Parameter, given: Mapping[str, RosParameter]) -> Value:
    override = given.get(entry.name)
    value = entry.default
    if override is not None and override.value is not None:
        value = entry.checked(override.value)
    # ROS has no empty list.
    described = [""] if value == [] else value
    # The override itself may be a whole number for one with a decimal point, which ROS rejects.
    node.declare_parameter(entry.name, described, _descriptor(entry), ignore_override=True)
    return value


def _descriptor(entry: Parameter) -> ParameterDescriptor:
    unit = f" [{entry.unit}]" if entry.unit else ""
    described = ParameterDescriptor(
        description=entry.description + unit,
        read_only=not entry.live,
        additional_constraints=entry.constraint if entry.choices else "",
    )
    if entry.low is not None and entry.high is not None:
        if entry.type == "double":
            described.floating_point_range = [
                FloatingPointRange(from_value=float(entry.low), to_value=float(entry.high))
            ]
        else:
            described.integer_range = [
                IntegerRange(from_value=int(entry.low), to_value=int(entry.high), step=1)
            ]
    return described
