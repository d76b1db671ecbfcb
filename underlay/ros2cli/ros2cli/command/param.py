# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 param list | get | set."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rcl_interfaces.msg import Parameter, ParameterType
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

from ..cli import CommandError
from ..graph import NodeName, require_node, ros_node

_SERVICE_TIMEOUT_S = 5.0
_LABELS = {
    ParameterType.PARAMETER_NOT_SET: "Parameter not set.",
    ParameterType.PARAMETER_BOOL: "Boolean value is:",
    ParameterType.PARAMETER_INTEGER: "Integer value is:",
    ParameterType.PARAMETER_DOUBLE: "Double value is:",
    ParameterType.PARAMETER_STRING: "String value is:",
    ParameterType.PARAMETER_BYTE_ARRAY: "Byte values are:",
    ParameterType.PARAMETER_BOOL_ARRAY: "Boolean values are:",
    ParameterType.PARAMETER_INTEGER_ARRAY: "Integer values are:",
    ParameterType.PARAMETER_DOUBLE_ARRAY: "Double values are:",
    ParameterType.PARAMETER_STRING_ARRAY: "String values are:",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 param`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)

    def add(name: str, main: Callable, text: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("--timeout", metavar="N", type=int, default=3)
        verb.add_argument("node_name", help="name of the node")
        verb.set_defaults(main=main)
        return verb

    add("list", list_parameters, "list parameters")
    verb = add("get", get, "print a parameter")
    verb.add_argument("parameter_name")
    verb = add("set", set_parameter, "set a parameter")
    verb.add_argument("parameter_name")
    verb.add_argument("value", help="value in YAML")


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
    with _client(args) as client:
        for name in sorted(client.list_parameters().result.names):
            print(f"  {name}")


def get(args: argparse.Namespace) -> str | None:
    with _client(args) as client:
        values = client.get_parameters([args.parameter_name]).values
    if not values:
        return "Parameter not set"
    label = _LABELS[values[0].type]
    if values[0].type == ParameterType.PARAMETER_NOT_SET:
        print(label)
        return None
    print(label, parameter_value_to_python(values[0]))
    return None


def set_parameter(args: argparse.Namespace) -> str | None:
    parameter = Parameter(name=args.parameter_name, value=get_parameter_value(args.value))
    with _client(args) as client:
        result = client.set_parameters([parameter]).results[0]
    reason = f": {result.reason}" if result.reason else ""
    if not result.successful:
        return f"Setting parameter failed{reason}"
    print(f"Set parameter successful{reason}")
    return None
