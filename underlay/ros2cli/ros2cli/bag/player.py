# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes the messages of a bag at the recorded times."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import rclpy
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import Reader
from rosgraph_msgs.msg import Clock

from ..cli import CommandError
from ..graph import discover
from ..messages import get_message
from .qos_profiles import for_playing

_LONGEST_SLEEP_S = 0.1
_DISCOVERY_S = 0.3
_ACKNOWLEDGE_S = 1.0
_NS = 10**9


@dataclass
class Options:
    """How to play: rate is a factor, the delay is in seconds, clock is a rate in Hz."""

    rate: float = 1.0
    delay: float = 0.0
    clock: float = 0.0


class Player:
    def __init__(self, node: Node, path: Path, options: Options) -> None:
        self._node = node
        self._path = path
        self._options = options
        self._publishers: dict[str, Publisher] = {}
        self._clock_publisher: Publisher | None = None
        self._next_clock = 0.0

    def run(self) -> None:
        """Play until the end, or until ROS is shut down."""
        with Reader(self._path) as reader:
            connections = [
                connection
                for connection in reader.connections
                if not (self._options.clock and connection.topic == "/clock")
            ]
            self._advertise(connections)
            if self._options.clock > 0:
                self._clock_publisher = self._node.create_publisher(Clock, "/clock", 10)
            discover(self._node, _DISCOVERY_S)
            self._play(reader)
        if rclpy.ok():
            for publisher in self._publishers.values():
                publisher.wait_for_all_acked(Duration(seconds=_ACKNOWLEDGE_S))

    def _advertise(self, connections: list[Connection]) -> None:
        types: dict[str, str] = {}
        profiles: dict[str, list[Qos]] = defaultdict(list)
        for connection in connections:
            types[connection.topic] = connection.msgtype
            profiles[connection.topic] += connection.ext.offered_qos_profiles
        for topic, msgtype in types.items():
            try:
                message_type = get_message(msgtype)
            except CommandError as error:
                self._node.get_logger().warning(f"Ignoring topic '{topic}': {error}")
                continue
            self._publishers[topic] = self._node.create_publisher(
                message_type, topic, for_playing(profiles[topic])
            )

    def _play(self, reader: Reader) -> None:
        if reader.message_count == 0:
            return
        first = reader.start_time
        start = time.monotonic() + self._options.delay
        self._next_clock = start
        connections = [item for item in reader.connections if item.topic in self._publishers]
        if not connections:
            raise CommandError("The bag has no topic to play")
        for connection, timestamp, data in reader.messages(connections):
            due = start + (timestamp - first) / _NS / self._options.rate
            if not self._sleep_until(due, start, first):
                return
            self._publishers[connection.topic].publish(bytes(data))

    def _sleep_until(self, due: float, start: float, first: int) -> bool:
        """Sleep and publish the clock; return whether ROS is still running."""
        while rclpy.ok():
            now = time.monotonic()
            if self._clock_publisher is not None and now >= self._next_clock:
                # Even a late clock message does not exceed the time of the next message.
                passed = min(now, due) - start
                self._publish_clock(first + int(passed * self._options.rate * _NS))
                self._next_clock += 1.0 / self._options.clock
            if now >= due:
                return True
            pause = min(due - now, _LONGEST_SLEEP_S)
            if self._clock_publisher is not None:
                pause = min(pause, max(0.0, self._next_clock - now))
            time.sleep(pause)
        return False

    def _publish_clock(self, nanoseconds: int) -> None:
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(nanoseconds, _NS)
        self._clock_publisher.publish(message)
