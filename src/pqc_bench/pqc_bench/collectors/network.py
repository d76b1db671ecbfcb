# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The network collector: counters of the link's interface, and drops by the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pqc_bench.collectors.collector import Collector
from pqc_bench.harness.kernel_drops import kernel_drops

LOOPBACK = "lo"
# Fields of a line of /proc/net/dev after the name.
_FIELDS = {
    "interface_rx_bytes": (0,),
    "interface_tx_bytes": (8,),
    "interface_errors": (2, 10),
    "interface_drops": (3, 11),
}


class NetworkCollector(Collector):
    """Counts from start to end."""

    name = "network"

    def __init__(self, ports: Sequence[int], interface: str = LOOPBACK) -> None:
        super().__init__()
        self._ports = ports
        self._interface = interface

    def _begin(self) -> None:
        self._first = self._last = self._read()

    def _look(self) -> bool:
        self._last = self._read()
        return bool(self._last)

    def _result(self) -> dict[str, Any]:
        passed = {name: value - self._first.get(name, 0) for name, value in self._last.items()}
        # Each cell has new sockets: their drops before the traffic count, too.
        drops = sum(kernel_drops(port) for port in self._ports)
        return {"interface": self._interface, **passed, "kernel_drops": drops}

    def _read(self) -> dict[str, int]:
        counters = interface_counters(
            Path("/proc/net/dev").read_text(encoding="ascii"), self._interface
        )
        errors = udp_buffer_errors(Path("/proc/net/snmp").read_text(encoding="ascii"))
        return {**counters, "udp_buffer_errors": errors} if counters else {}


def interface_counters(table: str, interface: str) -> dict[str, int]:
    """Return an interface's counters from /proc/net/dev; empty if it isn't there."""
    for line in table.splitlines():
        name, colon, rest = line.partition(":")
        if colon and name.strip() == interface:
            words = [int(word) for word in rest.split()]
            return {name: sum(words[place] for place in places) for name, places in _FIELDS.items()}
    return {}


def udp_buffer_errors(table: str) -> int:
    """Return the number of datagrams dropped at full buffers, from /proc/net/snmp."""
    rows = [line.split() for line in table.splitlines() if line.startswith("Udp:")]
    if len(rows) < 2:
        return 0
    fields = dict(zip(rows[0][1:], rows[1][1:], strict=False))
    return int(fields.get("RcvbufErrors", 0)) + int(fields.get("SndbufErrors", 0))
