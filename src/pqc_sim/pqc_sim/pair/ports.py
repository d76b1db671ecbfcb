# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Free ports on this machine, and those that a pair of tunnels needs."""

from __future__ import annotations

import contextlib
import random
import socket
from dataclasses import dataclass

LOOPBACK = socket.inet_ntoa(socket.INADDR_LOOPBACK.to_bytes(4, "big"))
# The first of other addresses of this machine, in the loopback block.
STRANGERS = socket.inet_ntoa((socket.INADDR_LOOPBACK + 256).to_bytes(4, "big"))


# Other programs rarely use these: the system assigns higher ones, and the ports of a ROS domain
# begin at 7400 + 250 * domain (RTPS 2.5, section 9.6.1).
_QUIET = [port for port in range(10_000, 32_768) if (port - 7400) % 250 >= 100]


def free_ports(count: int) -> list[int]:
    """Return different UDP ports that are free now."""
    ports: list[int] = []
    for port in random.sample(_QUIET, len(_QUIET)):
        if len(ports) == count:
            break
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        ):
            udp.bind((LOOPBACK, port))
            ports.append(port)
    return ports


@dataclass(frozen=True)
class Ports:
    """The ports of a pair of tunnels; `link_datagram` is that of the link emulator, if any."""

    drone_plaintext: int
    gcs_plaintext: int
    drone_application: int
    ground_application: int
    drone_datagram: int
    gcs_datagram: int
    link_datagram: int

    @staticmethod
    def pick() -> Ports:
        """Return free ports."""
        return Ports(*free_ports(7))
