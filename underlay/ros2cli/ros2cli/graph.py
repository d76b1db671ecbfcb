# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A short-lived node that looks at the ROS graph."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.node import Node

from .cli import CommandError

_POLL_S = 0.02
_QUIET_S = 0.25  # the graph is known when it has not changed for this long
_LONGEST_DISCOVERY_S = 5.0



@contextmanager
def ros_node(suffix: str = "") -> Iterator[Node]:
    """Give a hidden node and shut ROS down afterwards."""
    rclpy.init(args=[])
    try:
        node = Node(
            f"_ros2cli_{os.getpid()}{suffix}",
            start_parameter_services=False,
            enable_rosout=False,
        )
        try:
            yield node
        finally:
            node.destroy_node()
    finally:
        rclpy.try_shutdown()


def discover(node: Node, until: Callable[[], Any]) -> None:
    """Wait until the condition holds and the graph does not change any more, but not for ever."""
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
        if (until() and now - changed >= _QUIET_S) or now - start >= _LONGEST_DISCOVERY_S:
            return
        time.sleep(_POLL_S)


def is_hidden(name: str) -> bool:
    """Return whether a part of the name begins with an underscore."""
    return any(part.startswith("_") for part in name.split("/"))


def require_node(node: Node, name: str, timeout: float) -> str:
    """Return the node's full name once it is there; CommandError if it does not appear."""
    full_name = name if name.startswith("/") else f"/{name}"
    end = time.monotonic() + timeout


    def is_there() -> bool:
        found = node.get_node_names_and_namespaces()
        return full_name in {f"{namespace.rstrip('/')}/{base}" for base, namespace in found}

    while not is_there():
        if time.monotonic() >= end or not rclpy.ok():
            raise CommandError("Node not found")
        time.sleep(_POLL_S)
    return full_name
