# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers an autopilot that asks whether it may arm, over MAVLink on a port of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from pqc_policy.nodes.local_socket import listen
from pqc_policy.nodes.sampler import Sampler
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.arm_authorization import ArmAuthorizerConfig, refusal
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Reading

_DATAGRAM_BYTES = 65535
_POLL_S = 0.05
_HEARTBEAT_S = 1.0
_MOST_AT_ONCE = 500


class ArmAuthorizer:
    """Reads the port in a thread of its own; times are those of a steady clock."""

    def __init__(self, node: Node, config: ArmAuthorizerConfig) -> None:
        """Raise ParameterFault if the port can't be used, or pymavlink is missing."""
        try:
            from pqc_policy.sensing.arm_requests import ArmRequests
        except ImportError as error:
            raise ParameterFault(
                f"arm_authorizer.port needs pymavlink, which is missing: {error}."
            ) from None
        self._log = node.get_logger()
        self._requests = ArmRequests(config.system_id, config.component_id, config.valid_s)
        self._socket = listen(config.address, config.port, "arm_authorizer.address")
        self._peer: Any = None  # the router's address, from its newest datagram
        self._heartbeat_s = float("-inf")
        self._encrypted: tuple[float, bool] | None = None
        self._decision: tuple[float, Decision] | None = None
        self._sampler = Sampler(node, ((_POLL_S, self._poll),))

    def take_status(self, status: Any) -> None:
        """Take a TunnelStatus."""
        self._encrypted = (time.monotonic(), bool(status.encrypted))

    def take_decision(self, decision: Decision) -> None:
        """Take a decision of the policy."""
        self._decision = (time.monotonic(), decision)

    def close(self) -> None:
        """Stop answering and close the port."""
        self._sampler.stop()
        self._socket.close()

    def _poll(self) -> None:
        for datagram, sender in _received(self._socket.recvfrom):
            self._peer = sender
            for request in self._requests.take(datagram):
                why = refusal(_reading(self._encrypted), _reading(self._decision))
                for answer in self._requests.answer(request, why):
                    self._send(answer)
                what = "authorised" if why is None else f"denied: {why}"
                self._log.info(f"Arming of system {request.system} is {what}.")
        now_s = time.monotonic()
        if self._peer is not None and now_s - self._heartbeat_s >= _HEARTBEAT_S:
            self._heartbeat_s = now_s
            self._send(self._requests.heartbeat())

    def _send(self, message: bytes) -> None:
        try:
            self._socket.sendto(message, self._peer)
        except OSError as error:
            self._log.warning(f"An answer about arming could not be sent: {error}.", once=True)


def _received(receive: Callable[[int], tuple[bytes, Any]]) -> list[tuple[bytes, Any]]:
    received = []
    for _ in range(_MOST_AT_ONCE):
        try:
            received.append(receive(_DATAGRAM_BYTES))
        except BlockingIOError:
            break
        except OSError:
            continue
    return received


def _reading(newest: tuple[float, Any] | None) -> Reading[Any]:
    return Reading() if newest is None else Reading(newest[1], time.monotonic() - newest[0])
