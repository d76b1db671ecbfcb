# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Records topics as they appear; messages stay serialized."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile
from rosbags.interfaces import Connection
from rosbags.rosbag2 import Writer

from ..cli import CommandError
from ..graph import is_hidden
from ..messages import get_message
from ..qos import match_publishers
from .definitions import message_definition, type_hash
from .qos_profiles import to_bag

_DEPTH = 1000
_SPIN_S = 0.05
_POLLING_S = 0.1
# At the end: the silence after which earlier messages count as received, and the longest wait.
_QUIET_S = 0.1
_LONGEST_REST_S = 2.0


class Recorder:
    """Subscribes to topics and writes them to a bag."""

    def __init__(self, node: Node, bag: Writer, regex: str) -> None:
        """Record the topics that match, but for hidden ones."""
        self._node = node
        self._wanted = re.compile(regex)
        self._bag = bag
        self._seen: set[str] = set()
        self.message_count = 0
        self._newest_ns = 0

    def run(self, stopped: Callable[[], bool]) -> None:
        """Record until stopped, including all messages sent before. OSError if the disk fails."""
        executor = SingleThreadedExecutor()
        executor.add_node(self._node)
        next_poll = 0.0
        while not stopped():
            if time.monotonic() >= next_poll:
                self._subscribe_to_new_topics()
                next_poll = time.monotonic() + _POLLING_S
            executor.spin_once(timeout_sec=_SPIN_S)
        self._take_the_rest(executor)
        executor.shutdown()

    def _take_the_rest(self, executor: SingleThreadedExecutor) -> None:
        """Take the messages that were sent before now; they may be queued or in transit."""
        end_ns, deadline = time.time_ns(), time.monotonic() + _LONGEST_REST_S
        quiet_s = 0.0
        while quiet_s < _QUIET_S and time.monotonic() < deadline:
            count, began = self.message_count, time.monotonic()
            executor.spin_once(timeout_sec=_SPIN_S)
            if self.message_count > count and self._newest_ns <= end_ns:
                quiet_s = 0.0
            else:
                # Counts at most the duration of a spin: the process may have waited for the CPU.
                quiet_s += min(time.monotonic() - began, _SPIN_S)

    def _subscribe_to_new_topics(self) -> None:
        for topic, types in self._node.get_topic_names_and_types():
            wanted = not is_hidden(topic) and self._wanted.search(topic)
            if topic in self._seen or not wanted:
                continue
            publishers = self._node.get_publishers_info_by_topic(topic)
            if not publishers:
                continue  # the QoS follows the publishers, so wait for one
            self._seen.add(topic)
            try:
                self._subscribe(topic, types, publishers)
            except (CommandError, OSError, LookupError, ValueError) as error:
                self._node.get_logger().warning(f"Cannot record topic '{topic}': {error}")

    def _subscribe(self, topic: str, types: list[str], publishers: list[Any]) -> None:
        if len(types) > 1:
            raise CommandError(f"it has more than one type: {', '.join(types)}")
        message_type = get_message(types[0])
        known = str(publishers[0].topic_type_hash)
        connection = self._bag.add_connection(
            topic,
            types[0],
            msgdef=message_definition(types[0]),
            rihs01=known if known.startswith("RIHS01_") else type_hash(types[0]),
            offered_qos_profiles=[to_bag(info.qos_profile) for info in publishers],
        )
        profile = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=_DEPTH)
        for warning in match_publishers(self._node, topic, profile):
            self._node.get_logger().warning(f"Topic '{topic}': {warning}")
        self._node.create_subscription(
            message_type, topic, partial(self._write, connection), profile, raw=True
        )
        self._node.get_logger().info(f"Subscribed to topic '{topic}'")

    def _write(self, connection: Connection, data: bytes, info: dict[str, int]) -> None:
        received_ns = info["received_timestamp"] or time.time_ns()
        self._newest_ns = min(info["source_timestamp"] or received_ns, received_ns)
        self._bag.write(connection, received_ns, data)
        self.message_count += 1
