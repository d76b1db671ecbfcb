# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 node list | info."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.node import Node

from ..graph import (
    NodeName,
    add_discovery_arguments,
    discover,
    is_hidden,
    node_names,
    parse_node_name,
    ros_node,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 node`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("list", help="list the nodes")
    verb.add_argument("-a", "--all", action="store_true", help="list hidden nodes as well")
    verb.add_argument("-c", "--count-nodes", action="store_true", help="print only the number")
    add_discovery_arguments(verb)
    verb.set_defaults(main=list_nodes)
    verb = verbs.add_parser("info", help="print what a node publishes, offers and uses")
    verb.add_argument("node_name", help="full name of the node")
    verb.add_argument("--include-hidden", action="store_true", help="print hidden names as well")
    add_discovery_arguments(verb)
    verb.set_defaults(main=info)


def list_nodes(args: argparse.Namespace) -> None:
    """Print the names of the nodes."""
    with ros_node() as node:
        discover(node, args.spin_time)
        names = sorted(name.full_name for name in node_names(node, include_hidden=args.all))
    if args.count_nodes:
        print(len(names))
        return
    if len(set(names)) < len(names):
        print(
            "WARNING: Be aware that there are nodes in the graph that share an exact name, "
            "which can have unintended side effects.",
            file=sys.stderr,
        )
    for name in names:
        print(name)


def info(args: argparse.Namespace) -> str | None:
    """Print topics, services and actions of one node."""
    with ros_node() as node:
        wanted = parse_node_name(args.node_name)

        def names() -> list[str]:
            return [name.full_name for name in node_names(node, include_hidden=True)]

        discover(node, args.spin_time, until=lambda: wanted.full_name in names())
        count = names().count(wanted.full_name)
        if count == 0:
            return f"Unable to find node '{args.node_name}'"
        if count > 1:
            print(
                f'There are {count} nodes in the graph with the exact name "{args.node_name}". '
                "You are seeing information about only one of them.",
                file=sys.stderr,
            )
        print(args.node_name)
        _print_all(node, wanted, args.include_hidden)
    return None


def _print_all(node: Node, name: NodeName, include_hidden: bool) -> None:
    queries: list[tuple[str, Callable]] = [
        ("Subscribers", node.get_subscriber_names_and_types_by_node),
        ("Publishers", node.get_publisher_names_and_types_by_node),
        ("Service Servers", node.get_service_names_and_types_by_node),
        ("Service Clients", node.get_client_names_and_types_by_node),
        ("Action Servers", partial(get_action_server_names_and_types_by_node, node)),
        ("Action Clients", partial(get_action_client_names_and_types_by_node, node)),
    ]
    for title, query in queries:
        print(f"  {title}:")
        found = query(name.name, name.namespace)
        lines = [
            f"    {item}: {', '.join(types)}"
            for item, types in found
            if include_hidden or not is_hidden(item)
        ]
        print("\n".join(lines))
