# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions and services whose messages wait until their node takes them.

Each message of an ordinary one wakes the executor, which then looks at every entity of the nodes:
about 1 ms of a core in rclpy. A node that needs its inputs at fixed times polls instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.service import Service

if TYPE_CHECKING:
    from rclpy.callback_groups import Entity


class PolledSubscription:
    """Keeps as many messages as the depth of its QoS; the oldest make room."""

    def __init__(
        self, node: Node, kind: type, topic: str, take: Callable[[Any], None], qos: QoSProfile
    ) -> None:
        self._kind = kind
        self._take = take
        self._depth = qos.depth
        self._subscription = node.create_subscription(kind, topic, take, qos, callback_group=Gate())

    @property
    def topic_name(self) -> str:
        return str(self._subscription.topic_name)

    def poll(self) -> None:
        """Call `take` with each message that waits, oldest first; in the thread of the caller."""
        handle = self._subscription.handle
        with handle:
            for _ in range(self._depth):
                if (taken := handle.take_message(self._kind, False)) is None:
                    return
                self._take(taken[0])


class PolledService:
    """A service whose requests wait until they are polled, and that may answer them later.

    A callback of rclpy must answer before it returns, and one that awaits keeps the processor busy.
    """

    def __init__(
        self, node: Node, kind: Any, name: str, take: Callable[[Any, Callable[[Any], None]], None]
    ) -> None:
        """Offer a service; `take` gets a request and what sends its response."""
        self._take = take
        group: CallbackGroup = Gate()
        self._service = node.create_service(kind, name, _never_called, callback_group=group)

    def poll(self) -> None:
        for request, respond in _requests(self._service):
            self._take(request, respond)


def answer_requests(service: Service) -> None:
    """Answer the requests that wait for a service that no executor waits for."""
    for request, respond in _requests(service):
        respond(service.callback(request, service.srv_type.Response()))


def _requests(service: Service) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    handle, kind = service.handle, service.srv_type.Request
    with handle:
        while (taken := handle.service_take_request(kind))[0] is not None:
            request, header = taken
            yield request, lambda response, of=header: service.send_response(response, of)


def _never_called(request: Any, response: Any) -> Any:
    return response


class Gate(CallbackGroup):
    """A group that executors look at only while it is open."""

    open = False

    def can_execute(self, entity: Entity) -> bool:
        return self.open

    def beginning_execution(self, entity: Entity) -> bool:
        return self.open

    def ending_execution(self, entity: Entity) -> None:
        pass


EVENTS = Gate()  # QoS events of the publishers: more entities than all others
