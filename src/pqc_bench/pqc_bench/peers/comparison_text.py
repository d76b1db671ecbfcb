# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A comparison as text."""

from __future__ import annotations

from typing import Any

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


def lines(result: dict[str, Any], faults: list[str]) -> list[str]:
    """Return the whole text: a block per load."""
    against = result["against"]
    text = [
        f"  medians of {result['rounds']} interleaved rounds of {result['seconds']:g} s (quartiles"
        f" in brackets), both ends together, {'pinned' if result['pinned'] else 'not pinned'};"
        f" ratios to {'the batched relay' if against == 'relay' else against}, within rounds;"
        f" {result['machine']}",
        "  CPU is per packet offered; rounds that lost over 1 % (overloaded) have no ratio of it;"
        " added is to the delay between applications that send to each other",
    ]
    for load, peers in result["loads"].items():
        text += ["", f"  {load}", _heading()]
        text += [_line(peer, figures) for peer, figures in peers.items()]
    for size, peers in result["saturation"].items():
        text += ["", f"  sustained datagrams/s each way of {size} B; ratios to both relays"]
        text += [_sustained(peer, found) for peer, found in peers.items()]
    text += [f"  {peer}: left out: {why}" for peer, why in result["left_out"].items()]
    return text + [f"  failed: {fault}" for fault in faults]


def _sustained(peer: str, found: dict[str, Any]) -> str:
    ratios = (found["ratio_to_relay"], found["ratio_to_unbatched_relay"])
    return (
        f"  {peer:<16}{'at least' if found['lower_bound'] else '':>9}"
        f"{_cell(found['sustained_per_s'], 0):>28}"
        + "".join(f"{_cell(ratio, 2):>22}" for ratio in ratios)
        + f"   {', '.join(found['stopped_by'])}"
    )


def _heading() -> str:
    return f"  {'':<16}" + "".join(f"{title:>25}" for title, _, _ in _COLUMNS)


def _line(peer: str, figures: dict[str, Any]) -> str:
    text = f"  {peer:<16}"
    for _, figure, digits in _COLUMNS:
        text += f"{_cell(figures[figure], digits):>25}"
    for word in ("invalid", "overloaded"):
        if count := figures[f"{word}_rounds"]:
            text += f"  {count} {word}"
    return text


def _cell(spread: dict[str, float] | None, digits: int) -> str:
    if spread is None:
        return "-"
    low, middle, high = (f"{spread[name]:,.{digits}f}" for name in ("p25", "median", "p75"))
    return f"{middle} [{low}, {high}]"
