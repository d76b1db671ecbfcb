# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A subscription whose messages wait until its node takes them.

Each message of an ordinary subscription wakes the executor, which then looks at every entity of
the node: about 1 ms of a core in rclpy. A node that needs its inputs at fixed times polls instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile

if TYPE_CHECKING:
    from rclpy.callback_groups import Entity


class PolledSubscription:
    """Keeps as many messages as the depth of its QoS; the oldest make room."""

    def __init__(
        self, node: Node, kind: type, topic: str, take: Callable[[Any], None], qos: QoSProfile
    ) -> None:
        self._kind = kind
        self._take = take
        self._subscription = node.create_subscription(
            kind, topic, take, qos, callback_group=NeverExecuted()
        )

    @property
    def topic_name(self) -> str:
        """The full name of the topic."""
        return str(self._subscription.topic_name)

    def poll(self) -> None:
        """Call `take` with each message that waits, oldest first; in the thread of the caller."""
        handle = self._subscription.handle
        with handle:
            while (taken := handle.take_message(self._kind, False)) is not None:
                self._take(taken[0])


class NeverExecuted(CallbackGroup):
    """A group that no executor waits for."""

    def can_execute(self, entity: Entity) -> bool:
        return False

    def beginning_execution(self, entity: Entity) -> bool:
        return False

    def ending_execution(self, entity: Entity) -> None:
        pass
