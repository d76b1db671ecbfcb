# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One step of the search: a rate for some seconds, and the report of the blaster."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pqc_bench.harness.blaster import DIRECTIONS

SPIKE = "owd_p95_spike"
RATIO = "delivered_ratio"
LOSS = "loss"
CAP = "latency_cap"
GENERATOR = "generator"

# A step is valid up to this share of late datagrams, and from this share of the rate offered.
_MOST_SLIPS = 0.01
_LEAST_OFFERED = 0.98


@dataclass(frozen=True)
class Limits:
    """The limits above which a rate is too high."""

    latency_cap_ms: float = 10.0  # of the one-way delay's p95
    spike_factor: float = 5.0  # of the p95 at the first, lowest rate
    # A smaller rise is no spike: a busy core delays datagrams by this much at any rate.
    spike_floor_ms: float = 4.0
    least_delivered: float = 0.85  # of the offered datagrams
    most_loss_percent: float = 5.0


@dataclass(frozen=True)
class Step:
    """The outcome of a rate; the worse direction counts."""

    rate: int  # datagrams per second, each way
    seconds: float
    sent: int  # both ways
    received: int
    offered_ratio: float  # sent, relative to the rate
    delivered_ratio: float  # received, relative to the rate
    loss_percent: float
    owd_p50_ms: float
    owd_p95_ms: float
    owd_p99_ms: float
    owd_p999_ms: float
    slips: int
    skipped: int
    refused: int
    receiver_drops: int
    latest_ms: float
    real_time: bool

    @staticmethod
    def of(report: dict[str, Any]) -> Step:
        """Read the whole report of a blaster."""
        ways = [report["directions"][way] for way in DIRECTIONS]
        asked = max(report["rate"] * report["seconds"], 1.0)
        latency = {
            name: max(way["latency_ms"][name] for way in ways)
            for name in ("p50", "p95", "p99", "p999")
        }
        return Step(
            rate=report["rate"],
            seconds=round(report["seconds"], 3),
            sent=sum(way["sent"] for way in ways),
            received=sum(way["received"] for way in ways),
            offered_ratio=round(min(way["sent"] for way in ways) / asked, 4),
            delivered_ratio=round(min(way["received"] for way in ways) / asked, 4),
            loss_percent=round(
                max(100.0 * way["lost"] / way["sent"] if way["sent"] else 100.0 for way in ways), 4
            ),
            owd_p50_ms=latency["p50"],
            owd_p95_ms=latency["p95"],
            owd_p99_ms=latency["p99"],
            owd_p999_ms=latency["p999"],
            slips=sum(way["slips"] for way in ways),
            skipped=sum(way["skipped"] for way in ways),
            refused=sum(way["refused"] for way in ways),
            receiver_drops=sum(way["receiver_drops"] for way in ways),
            latest_ms=max(way["latest_ms"] for way in ways),
            real_time=report["real_time"],
        )

    def record(self) -> dict[str, Any]:
        return asdict(self)


def invalid_because(step: Step) -> str:
    """Return a sentence if the generator fell behind; otherwise an empty string."""
    if step.skipped or step.offered_ratio < _LEAST_OFFERED:
        return f"the generator offered only {100.0 * step.offered_ratio:.1f} % of the rate"
    if step.slips > _MOST_SLIPS * step.sent:
        return f"the generator sent {step.slips} of {step.sent} datagrams late"
    if step.receiver_drops:
        return f"the generator's own receive buffer overflowed ({step.receiver_drops} datagrams)"
    if step.refused:
        return f"the generator's socket refused {step.refused} datagrams"
    return ""


def stop_signals(step: Step, quiet_p95_ms: float, limits: Limits) -> list[str]:
    """Return the signals of overload, the weightiest first."""
    spike_ms = max(limits.spike_factor * quiet_p95_ms, quiet_p95_ms + limits.spike_floor_ms)
    found = {
        LOSS: step.loss_percent > limits.most_loss_percent,
        RATIO: step.delivered_ratio < limits.least_delivered,
        CAP: step.owd_p95_ms > limits.latency_cap_ms,
        SPIKE: step.owd_p95_ms > spike_ms,
    }
    return [name for name, there in found.items() if there]
