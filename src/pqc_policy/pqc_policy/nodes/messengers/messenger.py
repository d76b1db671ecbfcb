# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the messengers of drone and ground have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile

from pqc_msgs.msg import PeerMessage
from pqc_policy.messages.content import Message
from pqc_policy.nodes.node_parameters import declare
from pqc_policy.nodes.process.polled_subscription import NeverExecuted, PolledSubscription
from pqc_policy.nodes.process.steady_node import SteadyNode

PERIOD_S = 0.2
_WAITING = QoSProfile(depth=100)


@dataclass(frozen=True)
class _NoSettings:
    """The messengers have no parameters."""


class Messenger(SteadyNode):
    """Calls `step` now and then, which takes what has arrived meanwhile."""

    def __init__(self) -> None:
        super().__init__("messenger")
        declare(self, _NoSettings)
        # Also while a simulated clock stands still.
        self._timer = self.create_timer(
            PERIOD_S, self.step, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def step(self) -> None:
        """Take what has arrived."""
        raise NotImplementedError


class Channel:
    """The messages of the tunnel to and from one peer."""

    def __init__(self, node: Node, prefix: str, take: Callable[[PeerMessage], None]) -> None:
        """Use the topics of a peer; `take` gets its messages when they are polled."""
        self._out = node.create_publisher(PeerMessage, f"{prefix}messages_out", _WAITING)
        self._in = PolledSubscription(node, PeerMessage, f"{prefix}messages_in", take, _WAITING)

    def poll(self) -> None:
        """Take the messages that wait."""
        self._in.poll()

    def send(self, message: Message | None) -> None:
        """Send a message, if there is one."""
        if message is not None:
            self._out.publish(PeerMessage(kind=message.kind, content=message.content))


class PolledService:
    """A service whose requests wait until they are polled, and that may answer them later.

    A callback of rclpy must answer before it returns, and one that awaits keeps the processor busy.
    """

    def __init__(
        self, node: Node, kind: Any, name: str, take: Callable[[Any, Callable[[Any], None]], None]
    ) -> None:
        """Offer a service; `take` gets a request and what sends its response."""
        self._kind = kind
        self._take = take
        group: CallbackGroup = NeverExecuted()
        self._service = node.create_service(kind, name, _never_called, callback_group=group)

    def poll(self) -> None:
        """Take the requests that wait."""
        handle = self._service.handle
        with handle:
            while (taken := handle.service_take_request(self._kind.Request))[0] is not None:
                request, header = taken
                self._take(request, lambda one, of=header: self._service.send_response(one, of))


def _never_called(request: Any, response: Any) -> Any:
    return response
