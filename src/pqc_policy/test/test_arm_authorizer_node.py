# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The policy node answers an autopilot that asks whether it may arm; pymavlink is the autopilot."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("pqc_msgs.msg")
pytest.importorskip("pymavlink")

from policy_graph import Graph, policy_process
from pqc_testing.ports import LOOPBACK, free_ports
from pymavlink.dialects.v20 import common as mavlink
from ros_graph import own_graph

AUTHORIZER = 10


class Autopilot:
    """Asks and reads answers; it hears heartbeats, too."""

    def __init__(self, port: int) -> None:
        self._there = (LOOPBACK, port)
        self._codec = mavlink.MAVLink(None, srcSystem=1, srcComponent=1)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((LOOPBACK, 0))
        self.socket.setblocking(False)

    def ask(self) -> None:
        request = mavlink.MAVLink_command_long_message(
            AUTHORIZER, 0, mavlink.MAV_CMD_ARM_AUTHORIZATION_REQUEST, 0, *[0.0] * 7
        )
        self.socket.sendto(bytes(request.pack(self._codec)), self._there)

    def heard(self, kind: str) -> Any:
        """Return the newest message of a kind; None if there was none since the last call."""
        found = None
        while True:
            try:
                datagram = self.socket.recv(65535)
            except BlockingIOError:
                return found
            for message in self._codec.parse_buffer(bytearray(datagram)) or ():
                if message.get_type() == kind:
                    found = message


def test_arming_is_allowed_while_the_tunnel_encrypts_and_the_inputs_are_known(
    tmp_path: Path,
) -> None:
    port = free_ports(1)[0]
    with own_graph(tmp_path):
        process = policy_process(
            tmp_path, f"arm_authorizer.port:={port}", f"arm_authorizer.address:={LOOPBACK}"
        )
        graph = Graph(process)
        autopilot = Autopilot(port)
        try:
            graph.start_at(1_000_000.0)
            graph.step()

            def answered() -> Any:
                autopilot.ask()
                graph.step()
                return autopilot.heard("COMMAND_ACK")

            ack = graph.wait_for(answered, "the authorisation")
            assert ack.get_srcSystem() == AUTHORIZER
            assert (ack.result, ack.result_param2) == (mavlink.MAV_RESULT_ACCEPTED, 10)

            graph.simulated.encrypted = False
            graph.wait_for(
                lambda: getattr(answered(), "result", None) == mavlink.MAV_RESULT_DENIED,
                "the denial without encryption",
            )
            graph.simulated.encrypted = True
            graph.simulated.silent = frozenset({"thermal"})
            graph.until(lambda decision: decision.missing)
            graph.wait_for(
                lambda: getattr(answered(), "result", None) == mavlink.MAV_RESULT_DENIED,
                "the denial without the temperature",
            )
        finally:
            autopilot.socket.close()
            graph.close()
            process.close()
