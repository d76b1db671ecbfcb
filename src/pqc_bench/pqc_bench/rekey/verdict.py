# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Judges the result of a storm."""

from __future__ import annotations

import math
from typing import Any

from pqc_bench.rekey.result import BYTES_TOLERANCE, PROMPT_MS

GAP_FACTOR = 3.0
# The least share of rekeys with their prekey at the drone that take no longer than they should.
PROMPT_SHARE = 0.95
# The limit for a node, without prekeys.
MAX_RESIDENT_KIB = 40 * 1024
# A gap is compared only with that of about as much steady traffic.
_COMPARABLE = 0.9
# Tolerated excess of the loss over the mean of a lossy link, in standard deviations.
_DEVIATIONS = 4.0


def judge(result: dict[str, Any]) -> list[str]:
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
        and totals["own_gap_ms"] > GAP_FACTOR * totals["steady_own_gap_ms"]
    ):
        faults.append(
            f"the longest gap, {totals['own_gap_ms']:.1f} ms, is more than {GAP_FACTOR:g} times"
            f" that of steady traffic, {totals['steady_own_gap_ms']:.1f} ms"
        )
    faults += _prompt(totals) + _bytes(result) + _memory(totals)
    if not totals["in_step"]:
        faults.append("at the end the drone and the gcs differ in session, epoch or suite")
    return faults


def _prompt(totals: dict[str, Any]) -> list[str]:
    """Judge rekeys with the prekey at the drone; a lost datagram costs more than they may take."""
    if totals["loss_percent"]:
        return []
    faults = []
    if totals["ahead_only"] and totals["ahead_rekeys"] < PROMPT_SHARE * totals["rekeys"]:
        faults.append(
            f"only {totals['ahead_rekeys']} of {totals['rekeys']} rekeys had their prekey at the"
            " drone"
        )
    if totals["prompt_rekeys"] < PROMPT_SHARE * totals["ahead_rekeys"]:
        faults.append(
            f"only {totals['prompt_rekeys']} of {totals['ahead_rekeys']} rekeys with their prekey"
            f" at the drone took at most a round trip, their cryptography and {PROMPT_MS:g} ms"
        )
    return faults


def _bytes(result: dict[str, Any]) -> list[str]:
    """Judge the bytes on the air; what is lost is sent again."""
    if result["totals"]["loss_percent"]:
        return []
    return [
        f"{record['rekeys'] - record['in_bytes']} of {record['rekeys']} rekeys to"
        f" {record['suite']} differ from the {record['arithmetic_bytes']} bytes of the arithmetic"
        f" by more than {100 * BYTES_TOLERANCE:g} %: {record['fewest_bytes']} to"
        f" {record['most_bytes']} bytes"
        for record in result["suites"]
        if record["in_bytes"] < record["rekeys"]
    ]


def _memory(totals: dict[str, Any]) -> list[str]:
    return [
        f"the {end} used {used['beside'] / 1024:.1f} MiB beside prekeys: more than"
        f" {MAX_RESIDENT_KIB / 1024:.0f}"
        for end, used in totals["resident_kib"].items()
        if used["beside"] > MAX_RESIDENT_KIB
    ]


def _loss(totals: dict[str, Any]) -> list[str]:
    expected = totals["sent"] * totals["loss_percent"] / 100.0
    chance = math.sqrt(expected * (1.0 - totals["loss_percent"] / 100.0))
    if totals["lost"] <= expected + _DEVIATIONS * chance:
        return []
    link = f", and the link loses {totals['loss_percent']:g} %" if totals["loss_percent"] else ""
    return [f"{totals['lost']} of {totals['sent']} datagrams sent during rekeys got lost{link}"]
