# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""UDP sockets of the encrypted and of the plaintext side."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

from pqc_reference.config import Plaintext

Address = tuple[Any, ...]

_MAX_DATAGRAM = 65535
_BATCH = 64
_RECEIVE_BUFFER = 4 << 20
# Linux; the module socket has no names for them
_SO_RCVBUFFORCE = 33
_SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("@qq")


def enlarge_receive_buffer(udp: socket.socket) -> None:
    """Request 4 MiB; without the privilege for it the system grants its usual maximum."""
    udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    with contextlib.suppress(PermissionError):
        udp.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a bound UDP socket; without a host, on every address.

    OSError if the port cannot be used.
    """
    if host:
        info = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        family, address = info[0], info[4]
    else:
        dual = socket.has_dualstack_ipv6()
        family, address = socket.AF_INET6 if dual else socket.AF_INET, ("", port)
    bound = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6 and not host:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    enlarge_receive_buffer(bound)
    bound.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    bound.setblocking(False)
    try:
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise OSError(error.errno, f"port {port} can't be used: {error.strerror}") from error
    return bound


def resolve(host: str, port: int, user: socket.socket) -> list[Address]:
    """Return the addresses of a UDP port that a socket can reach; OSError if there are none."""
    flags = socket.AI_V4MAPPED | socket.AI_ALL if user.family == socket.AF_INET6 else 0
    infos = socket.getaddrinfo(host, port, user.family, socket.SOCK_DGRAM, flags=flags)
    return [info[4] for info in infos]


def drain(source: socket.socket, handle: Callable[[bytes, Address, float], None]) -> None:
    """Handle the datagrams that wait in a socket, at most one batch.

    `handle` gets the seconds that a datagram has waited, too.
    """
    for _ in range(_BATCH):
        try:
            datagram, ancillary, _, sender = source.recvmsg(
                _MAX_DATAGRAM, socket.CMSG_SPACE(_TIMESPEC.size)
            )
        except BlockingIOError:
            return
        except ConnectionRefusedError:  # nothing received an earlier datagram
            continue
        handle(datagram, sender, _waited(ancillary))


def _waited(ancillary: list[tuple[int, int, bytes]]) -> float:
    for level, kind, stamp in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
            seconds, nanoseconds = _TIMESPEC.unpack(stamp)
            return time.time() - (seconds + nanoseconds / 1e9)
    return 0.0


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
        self.socket = bound_socket(config.bind_address, config.port)
        self._fixed = config.peer_port != 0
        self._peer: Address | None = None
        if self._fixed:
            self._peer = resolve(config.peer_address, config.peer_port, self.socket)[0]

    def accepts(self, sender: Address) -> bool:
        """Whether a sender is the application; without a configured one, the latest sender is."""
        if not self._fixed:
            self._peer = sender
        return sender == self._peer

    def deliver(self, datagram: bytes) -> None:
        if self._peer is not None:
            send(self.socket, datagram, self._peer)
