# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import random
import socket

LOOPBACK = "127.0.0.1"
# Excludes the ephemeral ports of the system and those of ROS domains (7400 + 250 * domain).
QUIET_PORTS = [port for port in range(10_000, 32_768) if (port - 7400) % 250 >= 100]


def free_port() -> int:
    """Return a free port for UDP or TCP that no other process is likely to take."""
    while True:
        port = random.choice(QUIET_PORTS)
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp,
        ):
            udp.bind((LOOPBACK, port))
            tcp.bind((LOOPBACK, port))
            return port
