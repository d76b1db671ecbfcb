# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A UDP socket with the time at which the kernel received each datagram."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

from pqc_sim.datagrams.udp_port import Endpoint, UdpPort

# Linux; Python's socket module doesn't name it.
_SO_TIMESTAMPNS = 35
_STAMP = struct.Struct("=qq")
_LARGEST_DATAGRAM = 65535
_NS_PER_S = 1_000_000_000


class StampedPort(UdpPort):
    """Receives datagrams with their time of arrival (ns, by the system's clock)."""

    def __init__(self, bind: Endpoint) -> None:
        """Bind the socket; OSError names an address that can't be used."""
        super().__init__(bind)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)

    def receive_stamped(self) -> Iterator[tuple[bytes, int]]:
        """Yield every datagram that waits, with its time of arrival."""
        space = socket.CMSG_SPACE(_STAMP.size) + socket.CMSG_SPACE(4)
        while True:
            try:
                data, extra, _, _ = self._socket.recvmsg(_LARGEST_DATAGRAM, space)
            except (BlockingIOError, ConnectionRefusedError):
                return
            arrived_ns = time.time_ns()
            for _, option, value in extra:
                if option == _SO_TIMESTAMPNS:
                    seconds, nanoseconds = _STAMP.unpack(value)
                    arrived_ns = seconds * _NS_PER_S + nanoseconds
                else:
                    (self.kernel_drops,) = struct.unpack("=I", value)
            yield data, arrived_ns
