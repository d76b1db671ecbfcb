# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A flood as text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any


def lines(result: dict[str, Any]) -> list[str]:
    """Return the whole result."""
    return [line for phase in result["phases"] for line in _phase(phase)]


def _phase(phase: dict[str, Any]) -> list[str]:
    flood, traffic = phase["flood"], phase["traffic"]
    *rows, total = phase["counters"]
    text = [
        "",
        f"  {phase['name'].capitalize()} for {flood['seconds']:.0f} s, {_sources(phase)}",
        f"  junk             {flood['sent']:,} datagrams"
        f" ({flood['sent'] / flood['seconds']:,.0f}/s);"
        f" the system dropped {total['kernel_drops']:,}, {flood['answers']} answered",
    ]
    for row in rows:
        text.append(
            f"  {' or '.join(row['reasons']):24} {row['counted']:>12,} counted of {row['sent']:,}"
        )
    for name in ("quiet", "flood"):
        one = traffic[name]
        text.append(
            f"  traffic, {name:7} {one['sent']:,} sent, {one['lost']:,} lost"
            f" ({one['loss_percent']:.3f} %), longest gap {one['longest_gap_ms']:.1f} ms"
        )
    for what, times_ms in (("rekeys", phase["rekeys_ms"]), ("sessions", phase["sessions_ms"])):
        text += [
            f"  {what + ', ' + name:16} {_times(times_ms[name])}" for name in ("quiet", "flood")
        ]
    for end in ("drone", "gcs"):
        cpu, memory = phase["cpu_percent"][end], phase["resident_kib"][end]
        text.append(
            f"  {end:16} CPU {cpu['quiet']:.1f} % quiet, {cpu['flood']:.1f} % flooded;"
            f" memory {memory['warm'] / 1024:.1f} MiB, at most {memory['most'] / 1024:.1f}"
        )
    return text


def _sources(phase: dict[str, Any]) -> str:
    if phase["spoofed"]:
        return f"with the address and port of the {'drone' if phase['target'] == 'gcs' else 'gcs'}"
    return f"from {phase['sources']:,} address{'es' if phase['sources'] != 1 else ''}"


def _times(times_ms: Sequence[float]) -> str:
    if not times_ms:
        return "none"
    return (
        f"{len(times_ms)}, median {median(times_ms):.1f} ms,"
        f" {min(times_ms):.1f} to {max(times_ms):.1f}"
    )
