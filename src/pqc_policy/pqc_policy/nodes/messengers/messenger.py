# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the messengers of drone and ground have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.node import Node
from rclpy.qos import QoSProfile

from pqc_msgs.msg import PeerMessage
from pqc_policy.messages.content import Message
from pqc_policy.nodes.node_parameters import declare
from pqc_policy.nodes.process.polled import PolledSubscription
from pqc_policy.nodes.process.steady_node import SteadyNode

_WAITING = QoSProfile(depth=100)


@dataclass(frozen=True)
class _NoSettings:
    """The messengers have no parameters."""


class Messenger(SteadyNode):
    """Takes what has arrived at each poll."""

    def __init__(self) -> None:
        super().__init__("messenger")
        declare(self, _NoSettings)

    def poll(self) -> None:
        super().poll()
        self.step()

    def step(self) -> None:
        raise NotImplementedError


class Channel:
    """The messages of the tunnel to and from one peer."""

    def __init__(self, node: Node, prefix: str, take: Callable[[PeerMessage], None]) -> None:
        """Use the topics of a peer; `take` gets its messages when they are polled."""
        self._out = node.create_publisher(PeerMessage, f"{prefix}messages_out", _WAITING)
        self._in = PolledSubscription(node, PeerMessage, f"{prefix}messages_in", take, _WAITING)

    def poll(self) -> None:
        self._in.poll()

    def send(self, message: Message | None) -> None:
        if message is not None:
            self._out.publish(PeerMessage(kind=message.kind, content=message.content))
