# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The power of a cell: figures of its trace by its marks."""

from __future__ import annotations

from typing import Any

import numpy as np

from pqc_bench.collectors.sampled import sampled
from pqc_bench.power.capture import NAME
from pqc_bench.power.energy import Energy, EnergyOfTrace, Idle, Span
from pqc_bench.power.marks import HANDSHAKE, IDLE, KEY_GENERATION, KINDS, REKEY, TRAFFIC, Marks
from pqc_bench.power.trace import Trace

_COUNTS = ("no_answers", "overflows", "stale")
# Energies above the idle computer, and, of what happens in the traffic, above its power.
_ABOVE_IDLE = (HANDSHAKE, TRAFFIC)
_ABOVE_TRAFFIC = (KEY_GENERATION, REKEY)


def cell_power(trace: Trace, marks: Marks) -> dict[str, Any]:
    """Return the members of the schema's p_power_energy, with `health` as collectors have it."""
    begins_s = trace.monotonic_s
    spans = {kind: [mark.span(begins_s) for mark in marks.of(kind)] for kind in KINDS}
    energies = EnergyOfTrace(trace)
    known = {
        kind: [span for span in found if span.seconds > 0.0 and energies.covers(span)]
        for kind, found in spans.items()
    }
    (traffic,) = known[TRAFFIC] or (None,)
    within = _within(trace, traffic)
    found: dict[str, Any] = {
        "source": trace.facts.get("source"),
        "sensor": trace.facts.get("sensor"),
        "rate_hz": 1.0 / trace.interval_s,
        "power_w": sampled([float(watts) for watts in trace.power_w[within]]),
        "gaps": _gaps(trace, within),
        "trace": NAME,
        "health": _health(trace, within),
    }
    if traffic is None:
        return found
    whole = energies.energy(traffic)
    found |= {
        "energy_j": whole.joules,
        "energy_low_j": whole.low_j,
        "energy_high_j": whole.high_j,
        "resolution_j": whole.resolution_j,
        "seconds": whole.seconds,
    }
    found["gaps"] |= {
        "bridged_share": whole.bridged_share,
        "uncovered_share": whole.uncovered_share,
    }
    found["above"] = {}
    if known[IDLE]:
        idle = energies.idle(known[IDLE][0])
        found["idle_w"] = idle.mean_w
        found["above"] |= _above(energies, known, _ABOVE_IDLE, idle)
    steady = _before(traffic, known[REKEY])
    if steady is not None:
        found["above"] |= _above(energies, known, _ABOVE_TRAFFIC, energies.idle(steady))
    return found


def _above(
    energies: EnergyOfTrace, known: dict[str, list[Span]], kinds: tuple[str, ...], idle: Idle
) -> dict[str, Energy]:
    """Return the energy of the first span of each kind above a power."""
    return {kind: energies.energy(known[kind][0], idle) for kind in kinds if known[kind]}


def _before(traffic: Span, rekeys: list[Span]) -> Span | None:
    """Return the part of the traffic before its first rekey."""
    begins = [span.begin_s for span in rekeys if span.begin_s > traffic.begin_s]
    return Span(traffic.begin_s, min(begins)) if begins else None


def _within(trace: Trace, span: Span | None) -> Any:
    if span is None:
        return np.zeros(len(trace.seconds), dtype=bool)
    return (trace.seconds >= span.begin_s) & (trace.seconds <= span.end_s)


def _gaps(trace: Trace, within: Any) -> dict[str, Any]:
    missed = trace.missed[within]
    counts = {name: int(trace.number(name) or 0) for name in _COUNTS}
    times_s = trace.seconds[within]
    longest_s = float(np.max(np.diff(times_s))) if len(times_s) > 1 else None
    return {
        "count": int(np.count_nonzero(missed)),
        "missed": int(missed.sum()),
        "longest_ms": None if longest_s is None else 1000.0 * longest_s,
        **counts,
    }


def _health(trace: Trace, within: Any) -> dict[str, Any]:
    """Return the health as of a collector: dead if it lost more than half of the samples."""
    taken, missed = int(np.count_nonzero(within)), float(trace.missed[within].sum())
    gaps = _gaps(trace, within)
    return {
        "samples": taken,
        "longest_gap_ms": gaps["longest_ms"],
        "alive": trace.finished and taken > missed,
    }
