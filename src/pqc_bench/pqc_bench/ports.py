# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Free ports on this machine."""

from __future__ import annotations

import contextlib
import socket

LOOPBACK = socket.inet_ntoa(socket.INADDR_LOOPBACK.to_bytes(4, "big"))
# The first of many other addresses of this machine: the whole block of the loopback is.
STRANGERS = socket.inet_ntoa((socket.INADDR_LOOPBACK + 256).to_bytes(4, "big"))


def free_ports(count: int) -> list[int]:
    """Return different ports that are free now, for UDP and for TCP."""
    with contextlib.ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            udp = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            udp.bind((LOOPBACK, 0))
            tcp = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            with contextlib.suppress(OSError):
                tcp.bind(udp.getsockname())
                ports.append(udp.getsockname()[1])
        return ports
