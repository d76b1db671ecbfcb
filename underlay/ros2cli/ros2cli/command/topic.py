# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 topic echo."""

from __future__ import annotations

import argparse
from typing import Any

import rclpy
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.qos import QoSPresetProfiles
from rclpy.task import Future

from ..cli import CommandError
from ..graph import discover, ros_node
from ..messages import get_message, message_to_yaml
from ..qos import match_publishers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb of `ros2 topic`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("echo", help="print the messages on a topic")
    verb.add_argument("topic_name")
    verb.add_argument("--once", action="store_true", help="end after the first message")
    verb.set_defaults(main=echo)


def _types_of(node: Node, topic: str) -> list[str]:
    full_name = expand_topic_name(topic, node.get_name(), node.get_namespace())
    return dict(node.get_topic_names_and_types()).get(full_name, [])


def _message_class(node: Node, topic: str) -> Any:
    """Return the class of a topic's messages; CommandError if it is not known or not one."""
    types = _types_of(node, topic)
    if not types:
        print(f"WARNING: topic [{topic}] does not appear to be published yet")
        raise CommandError("Could not determine the type for the passed topic")
    if len(types) > 1:
        raise CommandError(
            f"Cannot echo topic '{topic}', as it contains more than one type: [{', '.join(types)}]"
        )
    return get_message(types[0])


def echo(args: argparse.Namespace) -> None:
    """Print messages until interrupted; long texts and arrays are cut."""
    with ros_node() as node:
        discover(node, until=lambda: _types_of(node, args.topic_name))
        message_type = _message_class(node, args.topic_name)
        profile = QoSPresetProfiles.get_from_short_key("sensor_data")
        for warning in match_publishers(node, args.topic_name, profile):
            print(warning)
        done = Future()

        def on_message(message: Any) -> None:
            print(f"{message_to_yaml(message)}---", flush=True)
            if args.once and not done.done():
                done.set_result(None)

        node.create_subscription(message_type, args.topic_name, on_message, profile)
        rclpy.spin_until_future_complete(node, done)
