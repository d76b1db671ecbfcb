# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The same flows without cryptography: a relay for each drone, and one at the ground for all."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_testing.child import stop
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.fleet.daemon_fleet import blaster
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.places import GROUND
from pqc_bench.harness.relays import start_relay


class RelayFleet:
    """All relays; they end with the stack."""

    def __init__(
        self, drones: int, applications: Mapping[str, Endpoint], stack: contextlib.ExitStack
    ) -> None:
        """Start everything; `applications` are the addresses where datagrams arrive in the end."""
        self._applications = applications
        taken = {where.port for where in applications.values()}
        free = [port for port in free_ports(3 * drones + 1 + len(taken)) if port not in taken]
        link, *places = (Endpoint(LOOPBACK, port) for port in free[: 3 * drones + 1])
        at_drone, at_ground, links = places[::3], places[1::3], places[2::3]
        self._ways = list(zip(at_drone, at_ground, strict=True))
        to_ground = zip(at_ground, [applications[GROUND]] * drones, links, strict=True)
        self.ground = start_relay(link, to_ground)
        stack.callback(stop, self.ground)
        for plaintext, own_link in zip(at_drone, links, strict=True):
            relay = start_relay(own_link, [(plaintext, applications["drone"], link)])
            stack.callback(stop, relay)

    def blaster(self, rate: int, size: int, windows: int) -> Blaster:
        """Start to send through all relays in turn, each way."""
        return blaster(self._ways, self._applications, rate, size, windows)
