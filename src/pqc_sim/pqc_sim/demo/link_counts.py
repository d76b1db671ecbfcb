# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an emulated link between the ends took."""

from __future__ import annotations

from typing import Any

# What the emulator's counts say about datagrams that didn't come through, or came spoiled: the
# tunnel throws the spoiled ones away.
_TAKEN = (
    "lost",
    "lost_in_outage",
    "queue_dropped",
    "oversize",
    "corrupted",
    "in_flight",
    "unsent",
)


def passed_in(counts: dict[str, Any], direction: str) -> int:
    """Return how many datagrams of a direction came to the emulated link."""
    return int(_counts(counts, direction).get("in", 0))


def taken(counts: dict[str, Any], direction: str) -> dict[str, int]:
    """Return what an emulated link took of a direction, by cause; causes without any are left out.

    It is of all that both tunnels sent: MAVLink and their own control frames.
    """
    link = _counts(counts, direction)
    return {cause: link[cause] for cause in _TAKEN if link.get(cause)}


def kernel_drops(counts: dict[str, Any]) -> int:
    """Return how many datagrams the emulator's own sockets lost."""
    directions = ("drone_to_gcs", "gcs_to_drone")
    return sum(_counts(counts, direction).get("kernel_drops", 0) for direction in directions)


def _counts(counts: dict[str, Any], direction: str) -> dict[str, Any]:
    udp: dict[str, Any] = counts.get("udp", {})
    link: dict[str, Any] = udp.get(direction, {})
    return link
