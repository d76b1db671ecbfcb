# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses and free ports of this machine."""

from __future__ import annotations

import contextlib
import random
import socket

LOOPBACK = socket.inet_ntoa(socket.INADDR_LOOPBACK.to_bytes(4, "big"))
# The first of other addresses of this machine, in the loopback block.
STRANGERS = socket.inet_ntoa((socket.INADDR_LOOPBACK + 256).to_bytes(4, "big"))

# Other programs rarely use these: the system assigns higher ones, and the ports of a ROS domain
# begin at 7400 + 250 * domain (RTPS 2.5, section 9.6.1).
_QUIET = [port for port in range(10_000, 32_768) if (port - 7400) % 250 >= 100]


def free_ports(count: int) -> list[int]:
    """Return different ports that are free now, for UDP and for TCP."""
    ports: list[int] = []
    for port in random.sample(_QUIET, len(_QUIET)):
        if len(ports) == count:
            break
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp,
        ):
            udp.bind((LOOPBACK, port))
            tcp.bind((LOOPBACK, port))
            ports.append(port)
    return ports
