# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Judges whether a tunnel withstood a flood."""

from __future__ import annotations

from typing import Any

MAX_LOSS_PERCENT = 0.1
MAX_GROWTH_KIB = 16 * 1024
# The least rate of a valid flood.
MIN_FLOOD_SHARE = 0.95
# Control frames of the tunnel itself that the system may have dropped among the junk.
_OWN_FRAMES = 50


def judge(result: dict[str, Any]) -> list[str]:
    """Return the faults, a sentence each; empty if there are none."""
    return [
        f"flood at the {phase['target']}: {fault}"
        for phase in result["phases"]
        for fault in _judge_phase(phase)
    ]


def _judge_phase(phase: dict[str, Any]) -> list[str]:
    faults = []
    traffic = phase["traffic"]["flood"]
    if traffic["loss_percent"] > MAX_LOSS_PERCENT:
        faults.append(
            f"{traffic['lost']} of {traffic['sent']} datagrams got lost"
            f" ({traffic['loss_percent']:.2f} %)"
        )
    if traffic["corrupted"]:
        faults.append(f"{traffic['corrupted']} datagrams were altered")
    for end, memory in phase["resident_kib"].items():
        grown = memory["most"] - memory["first"]
        if grown > MAX_GROWTH_KIB:
            faults.append(f"the {end} grew by {grown / 1024:.1f} MiB")
    faults += _counters(phase)
    flood = phase["flood"]
    if flood["sent"] < MIN_FLOOD_SHARE * flood["wanted"]:
        faults.append(f"only {flood['sent']} of {flood['wanted']} datagrams could be sent")
    if flood["answers"]:
        faults.append(f"strangers got {flood['answers']} answers")
    if not phase["rekey_after"]["success"]:
        faults.append(f"the rekey after it failed: {phase['rekey_after']['message']}")
    return faults


def _counters(phase: dict[str, Any]) -> list[str]:
    """Compare the counts by reason; if the kernel dropped datagrams, only their sum."""
    *rows, total = phase["counters"]
    if total["kernel_drops"] == 0:
        return [
            f"{row['counted']} datagrams counted as {' or '.join(row['reasons'])},"
            f" but {row['sent']} sent"
            for row in rows
            if row["counted"] != row["sent"]
        ]
    if abs(total["unexplained"]) > phase["traffic"]["flood"]["lost"] + _OWN_FRAMES:
        return [
            f"of {total['sent']} junk datagrams {total['counted']} were counted, and the system"
            f" dropped {total['kernel_drops']}"
        ]
    return []
