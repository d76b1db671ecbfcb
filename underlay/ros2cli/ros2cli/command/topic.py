# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 topic list | info | type | echo | hz | pub."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import deque
from itertools import pairwise
from typing import Any

import rclpy
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future

from ..cli import CommandError
from ..graph import add_discovery_arguments, discover, is_hidden, ros_node, wait_for
from ..messages import fill_message, get_message, message_to_yaml, parse_values
from ..qos import add_qos_arguments, match_publishers, profile_from

_TRUNCATE = 128
_HZ_PERIOD_S = 1.0


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
    verb.add_argument("-c", "--count-topics", action="store_true", help="print only the number")
    verb.add_argument("--include-hidden-topics", action="store_true")
    verb = add("info", info, "print type, publishers and subscriptions of a topic")
    verb.add_argument("topic_name")
    verb.add_argument("-v", "--verbose", action="store_true", help="print each endpoint")
    verb = add("type", print_type, "print the type of a topic")
    verb.add_argument("topic_name")
    _add_echo_arguments(add("echo", echo, "print the messages on a topic"))
    verb = add("hz", hz, "print the rate of the messages on a topic")
    verb.add_argument("topic_name")
    verb.add_argument("-w", "--window", dest="window_size", type=int, default=10000, metavar="N")
    verb = add("pub", pub, "publish messages")
    verb.add_argument("topic_name")
    verb.add_argument("message_type", help="such as 'std_msgs/msg/String'")
    values = verb.add_mutually_exclusive_group()
    values.add_argument("values", nargs="?", default="{}", help="message in YAML")
    values.add_argument("--stdin", action="store_true", help="read the message from standard input")
    verb.add_argument("-r", "--rate", metavar="N", type=float, default=1.0)
    verb.add_argument("-p", "--print", metavar="N", type=int, default=1, help="print each N-th")
    times = verb.add_mutually_exclusive_group()
    times.add_argument("-1", "--once", action="store_true", help="publish one message")
    times.add_argument("-t", "--times", type=int, default=0, help="publish this many messages")
    verb.add_argument("-w", "--wait-matching-subscriptions", type=int, default=None)
    verb.add_argument("--max-wait-time-secs", type=float, default=None)
    verb.add_argument("--keep-alive", metavar="N", type=float, default=0.1)
    add_qos_arguments(verb, "default")


def _add_echo_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("topic_name")
    verb.add_argument("message_type", nargs="?", help="such as 'std_msgs/msg/String'")
    add_qos_arguments(verb, "sensor_data")
    verb.add_argument("--field", help="print only this field, such as 'pose.pose.position'")
    verb.add_argument("-f", "--full-length", action="store_true", help="do not cut anything off")
    verb.add_argument("-l", "--truncate-length", type=int, default=_TRUNCATE, metavar="N")
    verb.add_argument("--flow-style", action="store_true", help="print on one line")
    verb.add_argument("--raw", action="store_true", help="print the serialized bytes")
    verb.add_argument("--filter", dest="filter_expr", help="Python expression over the message m")
    verb.add_argument("--once", action="store_true", help="end after the first message")
    verb.add_argument("--timeout", metavar="N", type=float, help="end after N seconds")


def topics(node: Node, *, include_hidden: bool = True) -> list[tuple[str, list[str]]]:
    """Return names and types of the topics in the graph."""
    found = node.get_topic_names_and_types()
    return [(name, types) for name, types in found if include_hidden or not is_hidden(name)]


def _types_of(node: Node, topic: str) -> list[str]:
    full_name = expand_topic_name(topic, node.get_name(), node.get_namespace())
    return dict(topics(node)).get(full_name, [])


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
    """Print the topics."""
    with ros_node() as node:
        discover(node, args.spin_time)
        found = topics(node, include_hidden=args.include_hidden_topics)
    if args.count_topics:
        print(len(found))
        return
    for name, types in found:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)


def info(args: argparse.Namespace) -> str | None:
    """Print type, publishers and subscriptions of one topic."""
    with ros_node() as node:
        _discover_topic(node, args)
        types = _types_of(node, args.topic_name)
        if not types:
            return f"Unknown topic '{args.topic_name}'"
        end = "\n\n" if args.verbose else "\n"
        print(f"Type: {types[0] if len(types) == 1 else types}", end=end)
        for title, endpoints in (
            ("Publisher", node.get_publishers_info_by_topic(args.topic_name)),
            ("Subscription", node.get_subscriptions_info_by_topic(args.topic_name)),
        ):
            print(f"{title} count: {len(endpoints)}", end=end)
            if args.verbose:
                for endpoint in endpoints:
                    print(endpoint, end=end)
    return None


def print_type(args: argparse.Namespace) -> int:
    """Print the types of one topic; the exit code is 1 if it was not found."""
    with ros_node() as node:
        _discover_topic(node, args)
        types = _types_of(node, args.topic_name)
    for name in types:
        print(name)
    return 0 if types else 1


def echo(args: argparse.Namespace) -> None:
    """Print messages until interrupted."""
    if args.field is not None and not args.field.strip("."):
        raise CommandError(f"Invalid field value '{args.field}'")
    with ros_node() as node:
        _discover_topic(node, args)
        if args.message_type is None:
            message_type = message_class(node, args.topic_name)
        else:
            message_type = get_message(args.message_type)
        profile, named = profile_from(args)
        if not named:
            for warning in match_publishers(node, args.topic_name, profile):
                print(warning)
        done = Future()

        def on_message(message: Any) -> None:
            if _print_message(message, args) and args.once and not done.done():
                done.set_result(None)

        node.create_subscription(message_type, args.topic_name, on_message, profile, raw=args.raw)
        rclpy.spin_until_future_complete(node, done, timeout_sec=args.timeout)


def _print_message(message: Any, args: argparse.Namespace) -> bool:
    """Print a message or the requested part of it; return whether it passed the filter."""
    for name in filter(None, (args.field or "").split(".")):
        if not hasattr(message, name):
            raise CommandError(f"Invalid field '{args.field}': there is no '{name}'")
        message = getattr(message, name)
    if args.filter_expr and not eval(args.filter_expr, {"m": message}):
        return False
    if hasattr(message, "get_fields_and_field_types"):
        length = None if args.full_length else args.truncate_length
        text = message_to_yaml(message, length, flow_style=args.flow_style)
    else:
        text = f"{message}\n"
    print(f"{text}---", flush=True)
    return True


def hz(args: argparse.Namespace) -> None:
    """Print rates until interrupted."""
    arrivals: deque[float] = deque(maxlen=args.window_size + 1)
    printed = 0.0
    with ros_node() as node:
        _discover_topic(node, args)
        if not _types_of(node, args.topic_name):
            print(f"WARNING: topic [{args.topic_name}] does not appear to be published yet")
            wait_for(lambda: _types_of(node, args.topic_name), None)
        message_type = message_class(node, args.topic_name)
        node.create_subscription(
            message_type,
            args.topic_name,
            lambda _: arrivals.append(time.monotonic()),
            qos_profile_sensor_data,
            raw=True,
        )

        def print_rate() -> None:
            nonlocal printed
            if len(arrivals) > 1 and arrivals[-1] != printed:
                printed = arrivals[-1]
                print(rate_text(list(arrivals)), flush=True)

        node.create_timer(_HZ_PERIOD_S, print_rate)
        rclpy.spin(node)


def rate_text(arrivals: list[float]) -> str:
    """Return mean rate and spread for arrival times in seconds."""
    gaps = [later - earlier for earlier, later in pairwise(arrivals)]
    mean = sum(gaps) / len(gaps)
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    return (
        f"average rate: {1.0 / mean if mean > 0 else 0.0:.3f}\n"
        f"\tmin: {min(gaps):.3f}s max: {max(gaps):.3f}s "
        f"std dev: {deviation:.5f}s window: {len(gaps)}"
    )


def pub(args: argparse.Namespace) -> None:
    """Publish messages."""
    if args.rate <= 0:
        raise CommandError("rate must be greater than zero")
    message = get_message(args.message_type)()
    values = parse_values(sys.stdin.read() if args.stdin else args.values)
    times = 1 if args.once else args.times
    wanted = args.wait_matching_subscriptions
    wanted = int(times != 0) if wanted is None else wanted
    profile, _ = profile_from(args)
    with ros_node() as node:
        fill_message(message, values, node.get_clock().now().to_msg())
        publisher = node.create_publisher(type(message), args.topic_name, profile)
        if publisher.get_subscription_count() < wanted:
            print(f"Waiting for at least {wanted} matching subscription(s)...", flush=True)
        if not wait_for(
            lambda: publisher.get_subscription_count() >= wanted, args.max_wait_time_secs
        ):
            raise CommandError(
                f"Timed out waiting for subscribers: Expected {wanted} subscribers but only got "
                f"{publisher.get_subscription_count()} subscribers"
            )
        print("publisher: beginning loop", flush=True)
        count = 0
        while rclpy.ok():
            count += 1
            if args.print and count % args.print == 0:
                print(f"publishing #{count}: {message!r}\n", flush=True)
            publisher.publish(message)
            if count == times:
                break
            time.sleep(1.0 / args.rate)
            fill_message(message, values, node.get_clock().now().to_msg())
        time.sleep(args.keep_alive)
