# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What crossed an emulated link: the share of keys, and what the link did not take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pqc_sim.pair.links import LinkEnds

from pqc_bench.harness.blaster import DIRECTIONS

_UP, _DOWN = DIRECTIONS
_TAKEN = ("lost", "lost_in_outage", "queue_dropped", "oversize")


def air_share(
    profile: Mapping[str, Any], exchange_bytes: int, fetch_bytes: int, seconds: float
) -> float:
    """Return the share of the link's capacity that keys took, from 0 to 1.

    The profile has the fields by direction. Of both directions it is that of the fuller one:
    fetched keys go down, and what a rekey sends goes up.
    """
    up, down = (profile[way]["rate_bits_per_s"] / 8.0 * seconds for way in DIRECTIONS)
    if profile.get("half_duplex"):
        return (exchange_bytes + fetch_bytes) / up
    return max(exchange_bytes / up, fetch_bytes / down)


def counts_of(link: LinkEnds, summary: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the emulator's counts by direction."""
    ways = summary.get(link.link.type, {})
    return {way: dict(ways.get(way, {})) for way in DIRECTIONS}


def taken(counts: Mapping[str, int]) -> int:
    """Return how many datagrams of a direction the link has not passed on."""
    return sum(counts.get(cause, 0) for cause in _TAKEN)


def lost_to_keys(
    dropped: int,
    missing: Mapping[str, int],
    before: Mapping[str, Mapping[str, int]],
    after: Mapping[str, Mapping[str, int]],
    *,
    shaped: bool,
) -> int:
    """Return how many datagrams got lost in a way that the link does not explain.

    `dropped` are those that the ends dropped for want of keys, as they drop damaged ones;
    `missing` those that did not arrive, by direction. To a thin link (`shaped`) the tunnel shapes
    the traffic: it leaves datagrams out, and puts several into a frame.
    """

    def since(way: str, cause: str) -> int:
        return after[way].get(cause, 0) - before[way].get(cause, 0)

    lost = max(dropped - sum(since(way, "corrupted") for way in DIRECTIONS), 0)
    if shaped:
        return lost
    return lost + sum(
        max(missing[way] - (taken(after[way]) - taken(before[way])), 0) for way in DIRECTIONS
    )
