# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Judges the result of a storm."""

from __future__ import annotations

import math
from typing import Any

GAP_FACTOR = 3.0
# A gap is compared only with that of about as much steady traffic.
_COMPARABLE = 0.9
# Tolerated excess of the loss over the mean of a lossy link, in standard deviations.
_DEVIATIONS = 4.0


def judge(result: dict[str, Any]) -> list[str]:
    """Return the faults, a sentence each; empty if there are none."""
    totals = result["totals"]
    faults = [
        f"the suite {missing['suite']} can't be used: {missing['reason']}"
        for missing in result["unavailable"]
    ]
    for record in result["suites"]:
        # Over a lossy link a rekey may fail, as long as the old keys stay in use.
        given_up = totals["loss_percent"] > 0.0 and record["rekeys"] > 0
        if record["failed"] and not (given_up and not record["rolled_back"]):
            faults.append(
                f"{record['failed']} of the rekeys to {record['suite']} failed: {record['message']}"
            )
    if totals["rekeys"] == 0:
        faults.append("there was no rekey")
    if totals["rolled_back"]:
        faults.append(f"{totals['rolled_back']} rekeys were rolled back")
    if totals["corrupted"]:
        faults.append(f"{totals['corrupted']} datagrams were altered")
    faults += _loss(totals)
    for end, dropped in totals["drops"].items():
        counts = ", ".join(f"{reason} {count}" for reason, count in dropped.items() if count)
        if counts:
            faults.append(f"the {end} dropped datagrams: {counts}")
    if (
        totals["steady_s"] >= _COMPARABLE * totals["rekeying_s"]
        and totals["longest_gap_ms"] > GAP_FACTOR * totals["steady_gap_ms"]
    ):
        faults.append(
            f"the longest gap, {totals['longest_gap_ms']:.1f} ms, is more than {GAP_FACTOR:g} times"
            f" that of steady traffic, {totals['steady_gap_ms']:.1f} ms"
        )
    if not totals["in_step"]:
        faults.append("at the end the drone and the gcs differ in session, epoch or suite")
    return faults


def _loss(totals: dict[str, Any]) -> list[str]:
    expected = totals["sent"] * totals["loss_percent"] / 100.0
    chance = math.sqrt(expected * (1.0 - totals["loss_percent"] / 100.0))
    if totals["lost"] <= expected + _DEVIATIONS * chance:
        return []
    link = f", and the link loses {totals['loss_percent']:g} %" if totals["loss_percent"] else ""
    return [f"{totals['lost']} of {totals['sent']} datagrams sent during rekeys got lost{link}"]
