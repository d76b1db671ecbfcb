# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""How a tunnel withstood a flood: the verdict on it, and the result as text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

# A rekey or a new session may take this many times as long as without the flood.
MAX_DELAY = 3.0
# A node may grow by so much beyond what the same rekeys and sessions took before the flood.
MAX_GROWTH_KIB = 2 * 1024
# The least rate of a valid flood.
MIN_FLOOD_SHARE = 0.95
# Control frames of the tunnel itself that the system may have dropped among the junk.
_OWN_FRAMES = 50


def judge(result: dict[str, Any]) -> list[str]:
    return [
        f"{phase['name']}: {fault}" for phase in result["phases"] for fault in _judge_phase(phase)
    ]


def _judge_phase(phase: dict[str, Any]) -> list[str]:
    faults = []
    traffic = phase["traffic"]["flood"]
    if traffic["lost"]:
        faults.append(
            f"{traffic['lost']} of {traffic['sent']} datagrams got lost"
            f" ({traffic['loss_percent']:.2f} %)"
        )
    if traffic["corrupted"]:
        faults.append(f"{traffic['corrupted']} datagrams were altered")
    for end, memory in phase["resident_kib"].items():
        grown = memory["most"] - memory["warm"]
        if grown > MAX_GROWTH_KIB:
            faults.append(f"the {end} grew by {grown / 1024:.1f} MiB")
    faults += _counters(phase)
    flood = phase["flood"]
    if flood["sent"] < MIN_FLOOD_SHARE * flood["wanted"]:
        faults.append(f"only {flood['sent']} of {flood['wanted']} datagrams could be sent")
    answers = flood["answers"] - flood["kinds"]["recorded"]
    if answers > 0:
        faults.append(f"strangers got {answers} answers")
    faults += phase["failures"]
    faults += _delay(phase["rekeys_ms"], "rekeys")
    faults += _delay(phase["sessions_ms"], "new sessions")
    return faults


def _delay(times_ms: dict[str, list[float]], what: str) -> list[str]:
    if not times_ms["quiet"] or not times_ms["flood"]:
        return [f"no {what} were measured"]
    quiet, flood = median(times_ms["quiet"]), median(times_ms["flood"])
    if flood <= MAX_DELAY * quiet:
        return []
    return [f"{what} took {flood:.1f} ms, {quiet:.1f} ms without the flood (medians)"]


def _counters(phase: dict[str, Any]) -> list[str]:
    """Compare the sums: after a rekey, junk under the former key has another reason."""
    total = phase["counters"][-1]
    if abs(total["unexplained"]) > phase["traffic"]["flood"]["lost"] + _OWN_FRAMES:
        return [
            f"of {total['sent']} junk datagrams {total['counted']} were counted, and the system"
            f" dropped {total['kernel_drops']}"
        ]
    return []


def lines(result: dict[str, Any]) -> list[str]:
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
