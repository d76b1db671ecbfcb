# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import random
import socket

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Return a port for UDP or TCP that nobody takes by chance before it is used.

    The system itself gives out higher ones; those of a ROS domain begin at 7400 + 250 * domain.
    """
    while True:
        port = random.randrange(10_000, 32_768)
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp,
        ):
            udp.bind((LOOPBACK, port))
            tcp.bind((LOOPBACK, port))
            if (port - 7400) % 250 >= 100:
                return port
