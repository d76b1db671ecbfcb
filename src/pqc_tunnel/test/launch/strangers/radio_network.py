# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone, a ground station and a stranger on one radio network: each receives everything."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from network_namespaces import INTERFACE, Namespace

# RFC 5737 and RFC 3849: addresses that no real network has.
_MACHINES = (
    ("drone", "192.0.2.1", "2001:db8::1"),
    ("ground", "192.0.2.2", "2001:db8::2"),
    ("stranger", "192.0.2.3", "2001:db8::3"),
)
_HUB = "hub"


@dataclass(frozen=True)
class RadioNetwork:
    """Three machines, each with one interface on the radio."""

    drone: Namespace
    ground: Namespace
    stranger: Namespace


@contextlib.contextmanager
def radio_network() -> Iterator[RadioNetwork]:
    """Make the machines; all are removed afterwards in any case."""
    with contextlib.ExitStack() as stack:
        air = stack.enter_context(Namespace("air", "192.0.2.254", "2001:db8::fe"))
        # A bridge that forgets addresses repeats every frame to every port.
        air.run("ip", "link", "add", _HUB, "type", "bridge", "ageing_time", "0")
        air.run("ip", "link", "set", _HUB, "up")
        machines = []
        for name, ipv4, ipv6 in _MACHINES:
            machine = stack.enter_context(Namespace(name, ipv4, ipv6))
            machine.join(air)
            # The other end joins the hub; only the machines have addresses.
            air.run("ip", "address", "flush", "dev", INTERFACE)
            air.run("ip", "link", "set", INTERFACE, "down")
            air.run("ip", "link", "set", INTERFACE, "name", name, "master", _HUB, "up")
            machines.append(machine)
        yield RadioNetwork(*machines)
