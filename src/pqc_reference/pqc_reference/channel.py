# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handshake messages over TCP: a length, then the body; impossible lengths are refused."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Container


class ChannelClosed(Exception):
    """The other end hung up, was too slow, or sent a length that no message has."""


class Channel:
    """One connection with a deadline; any thread may call `abandon`."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        """Take over a connected socket."""
        self._socket = connection
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.set_deadline(seconds)

    def set_deadline(self, seconds: float) -> None:
        """Allow everything that follows this much time in total."""
        self._deadline = time.monotonic() + seconds

    def send(self, body: bytes) -> None:
        """Send one message."""
        try:
            self._socket.settimeout(self._remaining())
            self._socket.sendall(len(body).to_bytes(4, "big") + body)
        except OSError as error:
            raise ChannelClosed("the connection broke") from error

    def receive(self, *sizes: Container[int]) -> bytes:
        """Return the next message; its size must be in one of `sizes`."""
        size = int.from_bytes(self._take(4), "big")
        if not any(size in allowed for allowed in sizes):
            raise ChannelClosed("it sent a message of an impossible size")
        return self._take(size)

    def abandon(self) -> None:
        """Interrupt whoever sends or receives on this connection."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _take(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            try:
                self._socket.settimeout(self._remaining())
                part = self._socket.recv(min(size - len(received), 1 << 16))
            except TimeoutError as error:
                raise ChannelClosed("it did not answer in time") from error
            except OSError as error:
                raise ChannelClosed("it hung up") from error
            if not part:
                raise ChannelClosed("it hung up")
            received += part
        return bytes(received)

    def _remaining(self) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining
