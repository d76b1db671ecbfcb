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
    ("p99 ms", "owd_p99_ms", 3),
    ("p99.9 ms", "owd_p999_ms", 3),
    ("lost %", "loss_percent", 3),
)


def lines(result: dict[str, Any], faults: list[str]) -> list[str]:
    """Return the whole text: a block per load."""
    text = [
        f"  medians of {result['rounds']} interleaved rounds of {result['seconds']:g} s (quartiles"
        f" in brackets), both ends together, {'pinned' if result['pinned'] else 'not pinned'};"
        f" ratios to the batched relay, within rounds; {result['machine']}",
        "  CPU is per packet offered; rounds that lost over 1 % (overloaded) have no ratio of it",
    ]
    for load, peers in result["loads"].items():
        text += ["", f"  {load}", _heading()]
        text += [_line(kind, figures) for kind, figures in peers.items()]
    if result["saturation"]:
        text += ["", "  saturation (datagrams/s each way)"]
        for kind, sizes in result["saturation"].items():
            found = ", ".join(
                f"{'>= ' if one['lower_bound'] else ''}{one['sustained_per_s']:,} of {size} B"
                for size, one in sizes.items()
            )
            text.append(f"  {kind:<16}{found}")
    text += [f"  {kind}: left out: {why}" for kind, why in result["left_out"].items()]
    return text + [f"  failed: {fault}" for fault in faults]


def _heading() -> str:
    return f"  {'':<16}" + "".join(f"{title:>25}" for title, _, _ in _COLUMNS)


def _line(kind: str, figures: dict[str, Any]) -> str:
    text = f"  {kind:<16}"
    for _, figure, digits in _COLUMNS:
        spread = figures[figure]
        if spread is None:
            text += f"{'-':>25}"
        else:
            low, middle, high = (f"{spread[n]:.{digits}f}" for n in ("p25", "median", "p75"))
            text += f"{f'{middle} [{low}, {high}]':>25}"
    for word in ("invalid", "overloaded"):
        if count := figures[f"{word}_rounds"]:
            text += f"  {count} {word}"
    return text
