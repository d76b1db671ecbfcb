# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 param list | set."""

from __future__ import annotations

import argparse
from typing import Any

import rclpy
from rcl_interfaces.msg import Parameter
from rclpy.node import Node
from rclpy.parameter import get_parameter_value
from rclpy.parameter_client import AsyncParameterClient

from ..cli import CommandError
from ..graph import require_node, ros_node

_NODE_TIMEOUT_S = 3.0
_SERVICE_TIMEOUT_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 param`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("list", help="list the parameters of a node")
    verb.add_argument("node_name", help="name of the node")
    verb.set_defaults(main=list_parameters)
    verb = verbs.add_parser("set", help="set a parameter")
    verb.add_argument("node_name", help="name of the node")
    verb.add_argument("parameter_name")
    verb.add_argument("value", help="value in YAML")
    verb.set_defaults(main=set_parameter)


def _ask(node: Node, node_name: str, request: str, *args: Any) -> Any:
    """Send a request about parameters to a node and return its response."""
    name = require_node(node, node_name, _NODE_TIMEOUT_S)
    client = AsyncParameterClient(node, name)
    if not client.wait_for_services(timeout_sec=_SERVICE_TIMEOUT_S):
        raise CommandError(
            f"Wait for service timed out waiting for parameter services for node {name}"
        )
    future = getattr(client, request)(*args)
    rclpy.spin_until_future_complete(node, future)
    if future.result() is None:
        raise CommandError(
            f"Exception while calling service of node {name}: {future.exception()}"
        )
    return future.result()


def list_parameters(args: argparse.Namespace) -> None:
    """Print the names of the parameters of one node."""
    with ros_node() as node:
        result = _ask(node, args.node_name, "list_parameters").result
    for name in sorted(result.names):
        print(f"  {name}")


def set_parameter(args: argparse.Namespace) -> str | None:
    """Set one parameter."""
    parameter = Parameter(name=args.parameter_name, value=get_parameter_value(args.value))
    with ros_node() as node:
        result = _ask(node, args.node_name, "set_parameters", [parameter]).results[0]
    reason = f": {result.reason}" if result.reason else ""
    if not result.successful:
        return f"Setting parameter failed{reason}"
    print(f"Set parameter successful{reason}")
    return None
