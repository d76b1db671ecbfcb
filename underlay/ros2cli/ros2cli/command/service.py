# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 service call."""

from __future__ import annotations

import argparse

import rclpy

from ..cli import CommandError
from ..graph import ros_node
from ..messages import fill_message, get_service, parse_values

_PATIENCE_S = 1.0  # discovery takes a moment; the wait is reported only after that


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 service`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("call", help="call a service")
    verb.add_argument("service_name", help="such as '/add_two_ints'")
    verb.add_argument("service_type", help="such as 'std_srvs/srv/Empty'")
    verb.add_argument("values", nargs="?", default="{}", help="request in YAML, such as '{a: 1}'")
    verb.set_defaults(main=call)


def call(args: argparse.Namespace) -> None:
    service = get_service(args.service_type)
    request = service.Request()
    values = parse_values(args.values)
    with ros_node("_requester") as node:
        fill_message(request, values)
        client = node.create_client(service, args.service_name)
        if not client.wait_for_service(_PATIENCE_S):
            print("waiting for service to become available...", flush=True)
            client.wait_for_service()
        print(f"requester: making request: {request!r}\n", flush=True)
        future = client.call_async(request)
        rclpy.spin_until_future_complete(node, future)
        if future.result() is None:
            raise CommandError(f"Exception while calling service: {future.exception()!r}")
        print(f"response:\n{future.result()!r}\n", flush=True)
