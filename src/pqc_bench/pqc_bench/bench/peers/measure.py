# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One load on one peer for some seconds: CPU per packet of each end, delays, loss."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pqc_bench.bench.blaster import DIRECTIONS, Blaster
from pqc_bench.bench.peers.peer import ENDS, Peer, cpu_of, inside
from pqc_bench.bench.saturation.step import Step, invalid_because

_WARM_UP_S = 0.3
_CHECK_S = 0.25


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
    """Return what a load cost on a peer that is up."""
    with inside(peer), Blaster(peer.applications, load.rate, load.size, windows=2) as blaster:
        time.sleep(_WARM_UP_S)
        blaster.open_window("measured")
        before = cpu_of(peer)
        until = time.monotonic() + seconds
        while (left_s := until - time.monotonic()) > 0.0:
            peer.check()
            time.sleep(min(_CHECK_S, left_s))
        after = cpu_of(peer)
        window = blaster.window("measured")
        report = blaster.finish()
    step = Step.of(report)
    # Each end takes in and gives out what is sent either way.
    packets = sum(window[way]["sent"] for way in DIRECTIONS)
    used = {end: after[end] - before[end] for end in ENDS}
    return {
        "packets": packets,
        "cpu_us_per_packet": {end: 1e6 * used[end] / max(packets, 1) for end in ENDS},
        "cpu_us_per_packet_both": 1e6 * sum(used.values()) / max(packets, 1),
        "owd_p50_ms": step.owd_p50_ms,
        "owd_p99_ms": step.owd_p99_ms,
        "owd_p999_ms": step.owd_p999_ms,
        "loss_percent": step.loss_percent,
        "invalid": invalid_because(step),
    }
