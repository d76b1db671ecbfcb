# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses and free ports of this machine."""

from __future__ import annotations

import contextlib
import random
import socket
from collections import deque

from pqc_testing.reserved_name import reserve

LOOPBACK = socket.inet_ntoa(socket.INADDR_LOOPBACK.to_bytes(4, "big"))
# The first of other addresses of this machine, in the loopback block.
STRANGERS = socket.inet_ntoa((socket.INADDR_LOOPBACK + 256).to_bytes(4, "big"))

# Other programs rarely use these: the system assigns higher ones, and the ports of a ROS domain
# begin at 7400 + 250 * domain (RTPS 2.5, section 9.6.1). Each process has groups of its own.
_GROUPS = [range(first, first + 150) for first in range(10_000, 32_500, 250)]
_held: list[socket.socket] = []
_own: deque[int] = deque()  # the longest unused first


def free_ports(count: int) -> list[int]:
    """Return different ports that are free now, for UDP and for TCP."""
    ports: list[int] = []
    unseen = len(_own)
    while len(ports) < count:
        if unseen == 0:
            group = _reserve_group()
            _own.extendleft(group)
            unseen = len(group)
        if _is_free(_own[0]):
            ports.append(_own[0])
        _own.rotate(-1)
        unseen -= 1
    return ports


def _reserve_group() -> range:
    """Reserve a group until this process ends; RuntimeError if all are in use."""
    for group in random.sample(_GROUPS, len(_GROUPS)):
        if holder := reserve(f"test_ports_{group.start}"):
            _held.append(holder)
            return group
    raise RuntimeError("other programs have reserved all ports for tests")


def _is_free(port: int) -> bool:
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp,
    ):
        udp.bind((LOOPBACK, port))
        tcp.bind((LOOPBACK, port))
        return True
    return False
