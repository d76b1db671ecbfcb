#!/usr/bin/env python3
# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Binds, sends and executes commands as mavros_node does, without an autopilot.

Its socket for the ground follows gcs_url (udp://[address][:port]@[address][:port], as libmavconn
reads it): without an address on the left it takes datagrams from everyone, and it answers whoever
sent last. Each command that it obeys becomes a line of the file OBEYED_COMMANDS.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
from pathlib import Path

import rclpy
from mavros_msgs.msg import State
from pymavlink.dialects.v20 import common as mavlink
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

HEARTBEAT_S = 0.02
URL = re.compile(
    r"udp://(?P<bind_host>[^:@]*)(:(?P<bind_port>\d+))?@(?P<host>[^:/]*)(:(?P<port>\d+))?/?$"
)


class MavrosStandIn(Node):
    """The parts of MAVROS that a network reaches."""

    def __init__(self) -> None:
        super().__init__("mavros")
        self.declare_parameter("fcu_url", "")
        url = self.declare_parameter("gcs_url", "").value
        self._system = self.declare_parameter("tgt_system", 1).value
        given = URL.match(url)
        if given is None:
            raise ValueError(f"gcs_url {url} is not understood")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((given["bind_host"] or "0.0.0.0", int(given["bind_port"] or 14555)))
        self._socket.setblocking(False)
        self._remote = (given["host"], int(given["port"] or 14550))
        self._mavlink = mavlink.MAVLink(None, srcSystem=self._system, srcComponent=1)
        self._mavlink.robust_parsing = True
        self._state = self.create_publisher(State, "state", qos_profile_sensor_data)
        self.create_timer(HEARTBEAT_S, self._turn)

    def _turn(self) -> None:
        self._receive()
        heartbeat = self._mavlink.heartbeat_encode(
            mavlink.MAV_TYPE_QUADROTOR, mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA, 0, 0, 4
        )
        with contextlib.suppress(OSError):  # the receiver is not running yet
            self._socket.sendto(heartbeat.pack(self._mavlink), self._remote)
        self._state.publish(State(connected=True, armed=True, mode="AUTO"))

    def _receive(self) -> None:
        while True:
            try:
                datagram, self._remote = self._socket.recvfrom(2048)
            except BlockingIOError:
                return
            except ConnectionRefusedError:
                continue
            for message in self._mavlink.parse_buffer(datagram) or []:
                if message.get_type() == "COMMAND_LONG":
                    with Path(os.environ["OBEYED_COMMANDS"]).open("a") as obeyed:
                        obeyed.write(f"{message.param1:.0f}\n")


def main() -> None:
    """Run until SIGINT or SIGTERM."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        rclpy.spin(MavrosStandIn())


if __name__ == "__main__":
    main()
