# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 topic list | echo."""

from __future__ import annotations

import argparse
from copy import copy
from typing import Any

import rclpy
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future

from ..cli import CommandError
from ..graph import add_discovery_arguments, discover, is_hidden, ros_node
from ..messages import get_message, message_to_yaml
from ..qos import match_publishers

_TRUNCATE = 128


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 topic`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)

    def add(name: str, main: Any, text: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=text)
        add_discovery_arguments(verb)
        verb.set_defaults(main=main)
        return verb

    verb = add("list", list_topics, "list the topics")
    verb.add_argument("-t", "--show-types", action="store_true", help="print the types as well")
    verb = add("echo", echo, "print the messages on a topic")
    verb.add_argument("topic_name")
    verb.add_argument("message_type", nargs="?", help="such as 'std_msgs/msg/String'")
    verb.add_argument("--once", action="store_true", help="end after the first message")


def _types_of(node: Node, topic: str) -> list[str]:
    full_name = expand_topic_name(topic, node.get_name(), node.get_namespace())
    return dict(node.get_topic_names_and_types()).get(full_name, [])


def _discover_topic(node: Node, args: argparse.Namespace) -> None:
    discover(node, args.spin_time, until=lambda: _types_of(node, args.topic_name))


def message_class(node: Node, topic: str) -> Any:
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


def list_topics(args: argparse.Namespace) -> None:
    with ros_node() as node:
        discover(node, args.spin_time)
        found = node.get_topic_names_and_types()
    for name, types in found:
        if not is_hidden(name):
            print(f"{name} [{', '.join(types)}]" if args.show_types else name)


def echo(args: argparse.Namespace) -> None:
    """Print messages until interrupted."""
    with ros_node() as node:
        _discover_topic(node, args)
        if args.message_type is None:
            message_type = message_class(node, args.topic_name)
        else:
            message_type = get_message(args.message_type)
        profile = copy(qos_profile_sensor_data)
        for warning in match_publishers(node, args.topic_name, profile):
            print(warning)
        done = Future()

        def on_message(message: Any) -> None:
            print(f"{message_to_yaml(message, _TRUNCATE)}---", flush=True)
            if args.once and not done.done():
                done.set_result(None)

        node.create_subscription(message_type, args.topic_name, on_message, profile)
        rclpy.spin_until_future_complete(node, done)
