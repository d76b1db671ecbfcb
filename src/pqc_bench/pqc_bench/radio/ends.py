# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The connection of a program to the link or the tunnel: a UDP socket or a serial device."""

from __future__ import annotations

import contextlib
import os
import tty
from collections.abc import Iterator

from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_testing.ports import LOOPBACK

_READ_BYTES = 4096


class UdpEnd:
    """A socket; without a peer it answers the last sender."""

    def __init__(self, port: int, peer: int | None) -> None:
        self._port = UdpPort(Endpoint(LOOPBACK, port))
        self._fixed = peer is not None
        self._peer = None if peer is None else Endpoint(LOOPBACK, peer)

    def fileno(self) -> int:
        return self._port.fileno()

    def receive(self) -> Iterator[bytes]:
        for datagram, sender in self._port.receive_all():
            if not self._fixed:
                self._peer = sender
            yield datagram

    def send(self, octets: bytes) -> None:
        if self._peer is not None:
            self._port.send(octets, self._peer)

    def close(self) -> None:
        self._port.close()


class SerialEnd:
    """A serial device, whose reads cut what was sent anywhere."""

    def __init__(self, device: str) -> None:
        self._fd = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._fd)
        self._waiting = b""

    def fileno(self) -> int:
        return self._fd

    def receive(self) -> Iterator[bytes]:
        with contextlib.suppress(BlockingIOError):
            while octets := os.read(self._fd, _READ_BYTES):
                yield octets

    def send(self, octets: bytes) -> None:
        """Write; what doesn't fit goes with the next bytes."""
        self._waiting += octets
        with contextlib.suppress(BlockingIOError):
            self._waiting = self._waiting[os.write(self._fd, self._waiting) :]

    def close(self) -> None:
        os.close(self._fd)


End = UdpEnd | SerialEnd


def send_each(end: End, frames: list[bytes]) -> None:
    """Send each frame in a datagram of its own, as an autopilot does (mavlink_packetise)."""
    for frame in frames:
        end.send(frame)
