# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 param list | get | set | describe | dump."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
import yaml
from rcl_interfaces.msg import Parameter, ParameterType
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

from ..cli import CommandError
from ..graph import (
    NodeName,
    add_discovery_arguments,
    discover,
    node_names,
    require_node,
    ros_node,
)

_SERVICE_TIMEOUT_S = 5.0
_TYPES = {
    ParameterType.PARAMETER_NOT_SET: ("not set", "Parameter not set."),
    ParameterType.PARAMETER_BOOL: ("boolean", "Boolean value is:"),
    ParameterType.PARAMETER_INTEGER: ("integer", "Integer value is:"),
    ParameterType.PARAMETER_DOUBLE: ("double", "Double value is:"),
    ParameterType.PARAMETER_STRING: ("string", "String value is:"),
    ParameterType.PARAMETER_BYTE_ARRAY: ("byte array", "Byte values are:"),
    ParameterType.PARAMETER_BOOL_ARRAY: ("boolean array", "Boolean values are:"),
    ParameterType.PARAMETER_INTEGER_ARRAY: ("integer array", "Integer values are:"),
    ParameterType.PARAMETER_DOUBLE_ARRAY: ("double array", "Double values are:"),
    ParameterType.PARAMETER_STRING_ARRAY: ("string array", "String values are:"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 param`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)

    def add(name: str, main: Callable, text: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("--include-hidden-nodes", action="store_true")
        verb.set_defaults(main=main)
        return verb

    def add_for_node(name: str, main: Callable, text: str) -> argparse.ArgumentParser:
        verb = add(name, main, text)
        verb.add_argument("--timeout", metavar="N", type=int, default=3)
        verb.add_argument("node_name", help="name of the node")
        return verb

    verb = add("list", list_parameters, "list parameters")
    verb.add_argument("node_name", nargs="?", help="name of the node (default: all nodes)")
    verb.add_argument("--filter", help="regular expression for the names")
    verb.add_argument("--param-prefixes", nargs="+", default=[], help="only below these prefixes")
    verb.add_argument("--param-type", action="store_true", help="print the types as well")
    add_discovery_arguments(verb)
    verb = add_for_node("get", get, "print a parameter")
    verb.add_argument("parameter_name")
    verb.add_argument("--hide-type", action="store_true", help="print nothing but the value")
    verb = add_for_node("set", set_parameter, "set a parameter")
    verb.add_argument("parameter_name")
    verb.add_argument("value", help="value in YAML")
    verb = add_for_node("describe", describe, "print what parameters mean and allow")
    verb.add_argument("parameter_names", nargs="+")
    add_for_node("dump", dump, "print all parameters of a node as a parameter file")


class _Client:
    """Asks one node about its parameters."""

    def __init__(self, node: Node, name: NodeName) -> None:
        self.name = name
        self._node = node
        self._client = AsyncParameterClient(node, name.full_name)

    def __getattr__(self, request: str) -> Callable[..., Any]:
        """Return a function that sends the request of this name and waits for the response."""

        def ask(*args: Any, **kwargs: Any) -> Any:
            if not self._client.wait_for_services(timeout_sec=_SERVICE_TIMEOUT_S):
                raise CommandError(
                    "Wait for service timed out waiting for parameter services for node "
                    f"{self.name.full_name}"
                )
            future = getattr(self._client, request)(*args, **kwargs)
            rclpy.spin_until_future_complete(self._node, future)
            if future.result() is None:
                raise CommandError(
                    f"Exception while calling service of node {self.name.full_name}: "
                    f"{future.exception()}"
                )
            return future.result()

        return ask


@contextmanager
def _client(args: argparse.Namespace) -> Iterator[_Client]:
    with ros_node() as node:
        yield _Client(node, require_node(node, args.node_name, args.timeout))


def list_parameters(args: argparse.Namespace) -> None:
    """Print the parameters of one node, or of all nodes."""
    with ros_node() as node:
        if args.node_name is not None:
            names = [require_node(node, args.node_name, max(3.0, args.spin_time))]
        else:
            discover(node, args.spin_time)
            names = sorted(node_names(node, include_hidden=args.include_hidden_nodes))
        for name in names:
            _print_names(_Client(node, name), args)


def _print_names(client: _Client, args: argparse.Namespace) -> None:
    found = sorted(client.list_parameters(prefixes=args.param_prefixes).result.names)
    names = [name for name in found if args.filter is None or re.match(args.filter, name)]
    if args.node_name is None and names:
        print(f"{client.name.full_name}:")
    types = {}
    if args.param_type and names:
        descriptors = client.describe_parameters(names).descriptors
        types = {item.name: f" (type: {_TYPES[item.type][0]})" for item in descriptors}
    for name in names:
        print(f"  {name}{types.get(name, '')}")


def get(args: argparse.Namespace) -> str | None:
    """Print one parameter."""
    with _client(args) as client:
        values = client.get_parameters([args.parameter_name]).values
    if not values:
        return "Parameter not set"
    label = _TYPES[values[0].type][1]
    if values[0].type == ParameterType.PARAMETER_NOT_SET:
        print(label)
        return None
    value = parameter_value_to_python(values[0])
    print(value) if args.hide_type else print(label, value)
    return None


def set_parameter(args: argparse.Namespace) -> str | None:
    """Set one parameter."""
    parameter = Parameter(name=args.parameter_name, value=get_parameter_value(args.value))
    with _client(args) as client:
        result = client.set_parameters([parameter]).results[0]
    reason = f": {result.reason}" if result.reason else ""
    if not result.successful:
        return f"Setting parameter failed{reason}"
    print(f"Set parameter successful{reason}")
    return None


def describe(args: argparse.Namespace) -> None:
    """Print the descriptors of parameters."""
    with _client(args) as client:
        descriptors = client.describe_parameters(args.parameter_names).descriptors
    for item in descriptors:
        print("Parameter name:", item.name)
        print("  Type:", _TYPES[item.type][0])
        if item.description:
            print("  Description:", item.description)
        print("  Constraints:")
        if item.read_only:
            print("    Read only: true")
        for range_ in [*item.floating_point_range, *item.integer_range]:
            print("    Min value:", range_.from_value)
            print("    Max value:", range_.to_value)
            if range_.step:
                print("    Step:", range_.step)
        if item.additional_constraints:
            print("    Additional constraints:", item.additional_constraints)


def dump(args: argparse.Namespace) -> None:
    """Print a parameter file."""
    with _client(args) as client:
        names = sorted(client.list_parameters().result.names)
        values = client.get_parameters(names).values
    tree: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        *path, last = name.split(".")
        branch = tree
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = _plain(parameter_value_to_python(value))
    print(yaml.safe_dump({client.name.full_name: {"ros__parameters": tree}}))


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else list(value)
