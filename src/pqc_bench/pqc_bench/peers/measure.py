# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One load on one peer for some seconds: CPU per packet of each end, delays, loss."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pqc_bench.harness.blaster import DIRECTIONS, Blaster
from pqc_bench.harness.rate_step import Step, invalid_because
from pqc_bench.peers.peer import ENDS, Peer, cpu_of, inside

_WARM_UP_S = 0.3
_CHECK_S = 0.25
_WINDOW = "measured"
# With fewer datagrams a percentile would be the longest delay.
_NEEDED = {"p50": 1, "p99": 100, "p999": 1000}


@dataclass(frozen=True)
class Load:
    """A rate, per second and way, of datagrams of a size in bytes."""

    rate: int
    size: int

    @property
    def name(self) -> str:
        """Return it for people, and as a key."""
        return f"{self.rate}/s {self.size} B"


def measure(peer: Peer, load: Load, seconds: float) -> dict[str, Any]:
    """Return the cost of a load on a running peer.

    CPU and loss are of the window after the warm-up. The blaster knows delays of its whole run
    only: those of the warm-up, which is under the same load, are among them.
    """
    with inside(peer), Blaster(peer.applications, load.rate, load.size, windows=2) as blaster:
        time.sleep(_WARM_UP_S)
        blaster.open_window(_WINDOW)
        before = cpu_of(peer)
        until = time.monotonic() + seconds
        while (left_s := until - time.monotonic()) > 0.0:
            peer.check()
            time.sleep(min(_CHECK_S, left_s))
        after = cpu_of(peer)
        window = blaster.window(_WINDOW)
        report = blaster.finish()
    # Each end receives and sends the datagrams of both directions.
    packets = sum(window[way]["sent"] for way in DIRECTIONS)
    used = {end: after[end] - before[end] for end in ENDS}
    return {
        "packets": packets,
        "cpu_us_per_packet": {end: 1e6 * used[end] / max(packets, 1) for end in ENDS},
        "cpu_us_per_packet_both": 1e6 * sum(used.values()) / max(packets, 1),
        **delays(report),
        "loss_percent": loss_percent(report),
        "invalid": invalid_because(Step.of(report)),
    }


def delays(report: dict[str, Any]) -> dict[str, float | None]:
    """Return percentiles of the slower way's delays; None where a way has too few datagrams."""
    ways = [report["directions"][way]["latency_ms"] for way in DIRECTIONS]
    fewest = min(way["count"] for way in ways)
    return {
        f"owd_{name}_ms": max(way[name] for way in ways) if fewest >= needed else None
        for name, needed in _NEEDED.items()
    }


def loss_percent(report: dict[str, Any]) -> float:
    """Return the loss within the window, of the worse direction."""
    (window,) = (one for one in report["windows"] if one["name"] == _WINDOW)
    ways = [window[way] for way in DIRECTIONS]
    return round(
        max(100.0 * way["lost"] / way["sent"] if way["sent"] else 100.0 for way in ways), 4
    )
