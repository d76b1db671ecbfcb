# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""UDP sockets that count the datagrams dropped by the kernel, which are no loss of the tunnel."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple

_LARGEST_DATAGRAM = 65535
_RECEIVE_BUFFER = 4 << 20
# Linux socket options without a name in Python's socket module.
_SO_RXQ_OVFL = 40
_SO_RCVBUFFORCE = 33


class Endpoint(NamedTuple):
    """An IPv4 or IPv6 address and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return the form that `parse_endpoint` reads."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_endpoint(text: str) -> Endpoint:
    """Read HOST:PORT or [IPV6]:PORT with a numeric address; ValueError otherwise."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"'{text}' isn't an address of the form HOST:PORT")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.inet_pton(family, host)
    except OSError as error:
        raise ValueError(f"'{host}' isn't a numeric address") from error
    return Endpoint(host, int(port))


def enlarge_receive_buffer(udp: socket.socket) -> None:
    """Request 4 MiB; without the privilege for it the system grants its usual maximum."""
    udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    with contextlib.suppress(PermissionError):
        udp.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)


class UdpPort:
    """A non-blocking UDP socket bound to an address; port 0 picks a free one."""

    def __init__(self, bind: Endpoint) -> None:
        """Bind the socket; OSError with the address if that fails."""
        family = socket.AF_INET6 if ":" in bind.host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        enlarge_receive_buffer(self._socket)
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_RXQ_OVFL, 1)
        self.kernel_drops = 0
        self.unsent = 0
        try:
            self._socket.bind(bind)
        except OSError as error:
            self._socket.close()
            raise OSError(error.errno, f"cannot use UDP port {bind}: {error.strerror}") from error

    @property
    def address(self) -> Endpoint:
        """The address that the socket is bound to."""
        return Endpoint(*self._socket.getsockname()[:2])

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive_all(self) -> Iterator[tuple[bytes, Endpoint]]:
        """Yield every datagram that waits, with its sender."""
        while True:
            try:
                data, extra, _, sender = self._socket.recvmsg(
                    _LARGEST_DATAGRAM, socket.CMSG_SPACE(4)
                )
            except (BlockingIOError, ConnectionRefusedError):
                return
            for _, kind, value in extra:
                if kind == _SO_RXQ_OVFL:
                    (self.kernel_drops,) = struct.unpack("=I", value)
            yield data, Endpoint(*sender[:2])

    def send(self, datagram: bytes, to: Endpoint) -> bool:
        """Send one datagram; False if the kernel rejects it."""
        try:
            self._socket.sendto(datagram, to)
        except (BlockingIOError, ConnectionRefusedError):
            self.unsent += 1
            return False
        return True

    def close(self) -> None:
        self._socket.close()
