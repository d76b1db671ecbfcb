# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Declares the parameters of a settings class at a node, and applies changes in flight."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from builtin_interfaces.msg import Time
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterEvent,
    SetParametersResult,
)
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterUninitializedException,
)
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from pqc_policy.parameters import (
    EXPECTED,
    Parameter,
    ParameterFault,
    from_values,
    table,
    to_values,
    unknown,
)

T = TypeVar("T")
_DECLARED_LATER = ("diagnostic_updater.", "qos_overrides.")
# ROS does not take a whole number for one with a decimal point.
_EXPECTED = EXPECTED | {"double": "a number with a decimal point"}


def declare(node: Node, kind: type[T]) -> T:
    """Declare every parameter of a settings class and return the settings.

    Raises ParameterFault for a value of a wrong type, out of its range, or that doesn't fit, and
    for a given parameter that the node doesn't have.
    """
    values = {entry.name: _declared(node, entry) for entry in table(kind)}
    for name in node._parameter_overrides:  # rclpy has no public access to undeclared ones
        if not node.has_parameter(name) and not name.startswith(_DECLARED_LATER):
            raise ParameterFault(unknown(name, values))
    return from_values(kind, values)


def watch(node: Node, settings: T, apply: Callable[[T], None]) -> None:
    """Call `apply` with the new settings on every change; a ParameterFault rejects the change."""
    current = to_values(settings)

    def changed(parameters: list[RosParameter]) -> SetParametersResult:
        new = current | {p.name: p.value for p in parameters if p.name in current}
        try:
            if new != current:
                apply(from_values(type(settings), new))
        except ParameterFault as fault:
            return SetParametersResult(successful=False, reason=str(fault))
        current.update(new)
        return SetParametersResult(successful=True)

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


def _declared(node: Node, entry: Parameter) -> object:
    # ROS has no empty list.
    default = [""] if entry.default == [] else entry.default
    try:
        value = node.declare_parameter(entry.name, default, _descriptor(entry)).value
    except InvalidParameterTypeException:
        raise ParameterFault(f"{entry.name} must be {_EXPECTED[entry.type]}.") from None
    except InvalidParameterValueException:
        raise ParameterFault(f"{entry.name} must be {entry.constraint}.") from None
    except ParameterUninitializedException:
        return entry.default
    return entry.default if value is None else value


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
