# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A short-lived node that looks at the ROS graph."""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from .cli import CommandError

_POLL_S = 0.02
_QUIET_S = 0.25  # the graph counts as known after this time without a change
_LONGEST_DISCOVERY_S = 10.0
# DDSI-RTPS 2.5, 9.6.2: a participant of a domain hears of the others at these UDP ports.
_FIRST_DISCOVERY_PORT, _PORTS_PER_DOMAIN, _PORTS_PER_PARTICIPANT = 7410, 250, 2
_MOST_PARTICIPANTS = 120
_SOCKETS = ("/proc/self/net/udp", "/proc/self/net/udp6")
_UNNAMED = "_NODE_NAME_UNKNOWN_"
HIDDEN_PREFIX = "_"


class NodeName(NamedTuple):
    """A node's name, its namespace and both together."""

    name: str
    namespace: str
    full_name: str


def add_discovery_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--spin-time",
        type=float,
        default=0.5,
        help="seconds for which to discover others at least (default: %(default)s)",
    )


@contextmanager
def ros_node(suffix: str = "") -> Iterator[Node]:
    """Yield a hidden node; shut ROS down afterwards. SIGTERM ends the command with its number.

    rclpy notes the signal where it looks for it, or else fails to wait.
    """
    rclpy.init(args=[])
    try:
        node = Node(
            f"{HIDDEN_PREFIX}ros2cli_{os.getpid()}{suffix}",
            start_parameter_services=False,
            enable_rosout=False,
        )
        try:
            yield node
        finally:
            node.destroy_node()
    except (ExternalShutdownException, RuntimeError):
        if rclpy.ok():
            raise
        raise SystemExit(int(signal.SIGTERM)) from None
    finally:
        rclpy.try_shutdown()


def wait_for(condition: Callable[[], Any], timeout: float | None) -> Any:
    """Return the condition's value as soon as it is true, or its last value after the time-out."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        value = condition()
        if value or (end is not None and time.monotonic() >= end) or not rclpy.ok():
            return value
        time.sleep(_POLL_S)


def discover(node: Node, spin_time: float, until: Callable[[], Any] | None = None) -> None:
    """Wait until the graph is known and has stopped changing, for a limited time.

    That takes `spin_time` seconds at least, and until all participants of this host have told of
    their nodes; or, if `until` is given, for as long as it is false.
    """
    start = changed = time.monotonic()
    last = None
    while rclpy.ok():
        now = time.monotonic()
        state = (
            sorted(node.get_node_names_and_namespaces()),
            sorted(node.get_topic_names_and_types()),
            sorted(node.get_service_names_and_types()),
        )
        if state != last:
            last, changed = state, now
        if now - start >= _LONGEST_DISCOVERY_S:
            return
        quiet = now - changed >= _QUIET_S and (until or now - start >= spin_time)
        if quiet and (until() if until else _all_known(node)):
            return
        time.sleep(_POLL_S)


def _all_known(node: Node) -> bool:
    """Return whether all participants of this host and the nodes of all publishers are known."""
    # Each participant publishes its nodes on this topic of the middleware.
    participants = node.get_publishers_info_by_topic("ros_discovery_info", no_mangle=True)
    if len(participants) < _participants_here():
        return False
    return not any(
        publisher.node_name == _UNNAMED
        for topic, _ in node.get_topic_names_and_types()
        for publisher in node.get_publishers_info_by_topic(topic)
    )


def _participants_here() -> int:
    """Count the participants of the domain on this host, by their sockets."""
    domain = int(os.environ.get("ROS_DOMAIN_ID") or 0)
    first = _FIRST_DISCOVERY_PORT + domain * _PORTS_PER_DOMAIN
    end = first + _MOST_PARTICIPANTS * _PORTS_PER_PARTICIPANT
    wanted = range(first, end, _PORTS_PER_PARTICIPANT)
    ports = set()
    for name in _SOCKETS:
        with suppress(OSError), open(name, encoding="ascii") as table:
            addresses = (line.split()[1] for line in table.readlines()[1:])
            ports |= {int(address.rpartition(":")[2], 16) for address in addresses}
    return len(ports.intersection(wanted))


def is_hidden(name: str) -> bool:
    return any(part.startswith(HIDDEN_PREFIX) for part in name.split("/"))


def parse_node_name(name: str) -> NodeName:
    """Return the name split, as if it began at the root."""
    full_name = name if name.startswith("/") else f"/{name}"
    namespace, _, base = full_name.rpartition("/")
    return NodeName(base, namespace or "/", full_name)


def node_names(node: Node, *, include_hidden: bool = False) -> list[NodeName]:
    found = [
        NodeName(name, namespace, f"{namespace.rstrip('/')}/{name}")
        for name, namespace in node.get_node_names_and_namespaces()
    ]
    return [name for name in found if include_hidden or not name.name.startswith(HIDDEN_PREFIX)]


def require_node(node: Node, name: str, timeout: float) -> NodeName:
    """Wait for a node; return its name split. CommandError if it does not appear."""
    wanted = parse_node_name(name)

    def is_there() -> bool:
        known = node_names(node, include_hidden=True)
        return wanted.full_name in {item.full_name for item in known}

    if not wait_for(is_there, timeout):
        raise CommandError("Node not found")
    return wanted
