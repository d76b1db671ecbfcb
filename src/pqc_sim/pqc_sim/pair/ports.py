# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ports of a pair of tunnels."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_testing.ports import free_ports


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
