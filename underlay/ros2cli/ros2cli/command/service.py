# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 service list | type | call."""

from __future__ import annotations

import argparse
import sys
import time

import rclpy
from rclpy.node import Node

from ..cli import CommandError
from ..graph import add_discovery_arguments, discover, is_hidden, ros_node
from ..messages import fill_message, get_service, parse_values

_PATIENCE_S = 1.0  # discovery takes a moment; the wait is reported only after that


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 service`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("list", help="list the services")
    verb.add_argument("-t", "--show-types", action="store_true", help="print the types as well")
    verb.add_argument("-c", "--count-services", action="store_true", help="print only the number")
    verb.add_argument("--include-hidden-services", action="store_true")
    add_discovery_arguments(verb)
    verb.set_defaults(main=list_services)
    verb = verbs.add_parser("type", help="print the type of a service")
    verb.add_argument("service_name")
    add_discovery_arguments(verb)
    verb.set_defaults(main=print_type)
    verb = verbs.add_parser("call", help="call a service")
    verb.add_argument("service_name", help="such as '/add_two_ints'")
    verb.add_argument("service_type", help="such as 'std_srvs/srv/Empty'")
    values = verb.add_mutually_exclusive_group()
    values.add_argument("values", nargs="?", default="{}", help="request in YAML, such as '{a: 1}'")
    values.add_argument("--stdin", action="store_true", help="read the request from standard input")
    verb.add_argument("-r", "--rate", metavar="N", type=float, help="repeat the call, N per second")
    verb.set_defaults(main=call)


def services(node: Node, *, include_hidden: bool = True) -> list[tuple[str, list[str]]]:
    """Return names and types of the services in the graph."""
    found = node.get_service_names_and_types()
    return [(name, types) for name, types in found if include_hidden or not is_hidden(name)]


def list_services(args: argparse.Namespace) -> None:
    """Print the services."""
    with ros_node() as node:
        discover(node, args.spin_time)
        found = services(node, include_hidden=args.include_hidden_services)
    if args.count_services:
        print(len(found))
        return
    for name, types in found:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)


def print_type(args: argparse.Namespace) -> int:
    """Print the types of one service; the exit code is 1 if it was not found."""
    with ros_node() as node:
        discover(node, args.spin_time, until=lambda: args.service_name in dict(services(node)))
        types = dict(services(node)).get(args.service_name, [])
    for name in types:
        print(name)
    return 0 if types else 1


def call(args: argparse.Namespace) -> None:
    """Call a service once or repeatedly."""
    if args.rate is not None and args.rate <= 0:
        raise CommandError("rate must be greater than zero")
    service = get_service(args.service_type)
    request = service.Request()
    values = parse_values(sys.stdin.read() if args.stdin else args.values)
    with ros_node("_requester") as node:
        fill_message(request, values, node.get_clock().now().to_msg())
        client = node.create_client(service, args.service_name)
        if not client.wait_for_service(_PATIENCE_S):
            print("waiting for service to become available...", flush=True)
            client.wait_for_service()
        while True:
            start = time.monotonic()
            print(f"requester: making request: {request!r}\n", flush=True)
            future = client.call_async(request)
            rclpy.spin_until_future_complete(node, future)
            if future.result() is None:
                raise CommandError(f"Exception while calling service: {future.exception()!r}")
            print(f"response:\n{future.result()!r}\n", flush=True)
            if args.rate is None or not rclpy.ok():
                return
            time.sleep(max(0.0, start + 1.0 / args.rate - time.monotonic()))
