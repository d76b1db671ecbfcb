# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""UDP sockets of the encrypted and of the plaintext side."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import Any

from pqc_reference.config import Plaintext

Address = tuple[Any, ...]

_MAX_DATAGRAM = 65535
_BATCH = 64
_RECEIVE_BUFFER = 4 << 20
_SO_RCVBUFFORCE = 33  # Linux; the module socket has no name for it


def enlarge_receive_buffer(udp: socket.socket) -> None:
    """Request 4 MiB; without the privilege for it the system grants its usual maximum."""
    udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    with contextlib.suppress(PermissionError):
        udp.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)


def bound_socket(kind: socket.SocketKind, host: str, port: int, like: str = "") -> socket.socket:
    """Return a bound socket; without a host, on every address (of the family of `like`).

    OSError if the port cannot be used.
    """
    if host or like:
        info = socket.getaddrinfo(host or like, port, type=kind)[0]
        family, address = info[0], info[4] if host else ("", port)
    else:
        dual = socket.has_dualstack_ipv6()
        family, address = socket.AF_INET6 if dual else socket.AF_INET, ("", port)
    bound = socket.socket(family, kind)
    if family == socket.AF_INET6 and not host:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    if kind == socket.SOCK_STREAM:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    else:
        enlarge_receive_buffer(bound)
    bound.setblocking(False)
    try:
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise OSError(error.errno, f"port {port} can't be used: {error.strerror}") from error
    return bound


def resolve(host: str, port: int) -> Address:
    """Return the address of a UDP port."""
    return socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0][4]


def drain(source: socket.socket, handle: Callable[[bytes, Address], None]) -> None:
    """Handle the datagrams that wait in a socket, at most one batch."""
    for _ in range(_BATCH):
        try:
            datagram, sender = source.recvfrom(_MAX_DATAGRAM)
        except BlockingIOError:
            return
        except ConnectionRefusedError:  # nothing received an earlier datagram
            continue
        handle(datagram, sender)


def send(sender: socket.socket, datagram: bytes, to: Address) -> bool:
    """Send a datagram; False if the system rejects it."""
    try:
        sender.sendto(datagram, to)
    except OSError:
        return False
    return True


class PlaintextPort:
    """The plaintext side: the socket that applications send to and receive from."""

    def __init__(self, config: Plaintext) -> None:
        """Bind the socket."""
        self.socket = bound_socket(socket.SOCK_DGRAM, config.bind_address, config.port)
        self._fixed = config.peer_port != 0
        self._peer = resolve(config.peer_address, config.peer_port) if self._fixed else None

    def handle_ready(self, seal: Callable[[bytes], None]) -> None:
        """Pass the waiting datagrams of applications to `seal`."""

        def handle(datagram: bytes, sender: Address) -> None:
            if not self._fixed:
                self._peer = sender
            seal(datagram)

        drain(self.socket, handle)

    def deliver(self, datagram: bytes) -> None:
        """Send a datagram to the application."""
        if self._peer is not None:
            send(self.socket, datagram, self._peer)
