# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A comparison as text."""

from __future__ import annotations

from typing import Any

from pqc_bench.harness.text import columns

_COLUMNS = (
    ("CPU us/packet", "cpu_us_per_packet_both", 2),
    ("ratio", "ratio_cpu_us_per_packet_both", 2),
    ("p50 ms", "owd_p50_ms", 3),
    ("ratio", "ratio_owd_p50_ms", 2),
    ("added p50 ms", "added_owd_p50_ms", 3),
    ("p99 ms", "owd_p99_ms", 3),
    ("p99.9 ms", "owd_p999_ms", 3),
    ("lost %", "loss_percent", 3),
)
_SUSTAINED = ("sustained", "datagrams/s each way", "of the relay's", "of unbatched", "stopped by")


def lines(result: dict[str, Any]) -> list[str]:
    """Return the whole text: a block per load."""
    against = result["against"]
    text = [
        f"  medians of {result['starts']} x {result['rounds']} interleaved rounds of"
        f" {result['seconds']:g} s (quartiles in brackets), both ends together,"
        f" {'pinned' if result['pinned'] else 'not pinned'};"
        f" ratios to {'the relay' if against == 'relay' else against}, within rounds",
        "  CPU is per packet offered; rounds that lost over 1 % (overloaded) have no ratio of it;"
        " added is to the delay between applications that send to each other",
    ]
    for load, peers in result["loads"].items():
        head = ("", *(title for title, _, _ in _COLUMNS), "rounds left out")
        rows = [_row(peer, figures) for peer, figures in peers.items()]
        text += ["", f"  {load}", *columns([head, *rows])]
    for size, peers in result["saturation"].items():
        rows = [_sustained(peer, found) for peer, found in peers.items()]
        text += ["", f"  {size} B", *columns([_SUSTAINED, *rows])]
    return text + [f"  {peer}: left out: {why}" for peer, why in result["left_out"].items()]


def _sustained(peer: str, found: dict[str, Any]) -> tuple[str, ...]:
    least = "at least " if found["lower_bound"] else ""
    return (
        peer,
        least + _cell(found["sustained_per_s"], 0),
        _cell(found["ratio_to_relay"], 2),
        _cell(found["ratio_to_unbatched_relay"], 2),
        ", ".join(found["stopped_by"]),
    )


def _row(peer: str, figures: dict[str, Any]) -> tuple[str, ...]:
    counts = [(figures[f"{word}_rounds"], word) for word in ("invalid", "overloaded")]
    left_out = ", ".join(f"{count} {word}" for count, word in counts if count)
    cells = (_cell(figures[figure], digits) for _, figure, digits in _COLUMNS)
    return peer, *cells, left_out


def _cell(spread: dict[str, float] | None, digits: int) -> str:
    if spread is None:
        return "-"
    low, middle, high = (f"{spread[name]:,.{digits}f}" for name in ("p25", "median", "p75"))
    return f"{middle} [{low}, {high}]"
