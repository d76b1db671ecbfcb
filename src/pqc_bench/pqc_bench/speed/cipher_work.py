# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Computes the share of a core that the ciphers of the data take, from times of pqc_speed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_S_PER_NS = 1e-9


def timed_for(
    operations: Iterable[dict[str, Any]], name: str, size: float
) -> dict[str, Any] | None:
    """Return the times of "seal" or "open" for the smallest measured text that holds `size` bytes.

    The largest one if none does; None without samples.
    """
    timed = {
        one["text_bytes"]: one for one in operations if one["operation"] == name and one["samples"]
    }
    if not timed:
        return None
    return timed[min((known for known in timed if known >= size), default=max(timed))]


def shares_of_a_core(
    ciphers: Iterable[dict[str, Any]], rate: float, size: float
) -> dict[str, tuple[float, float]]:
    """Return by cipher its share of a core (0 to 1), and half the distance of its quartiles.

    One end seals `rate` datagrams of `size` bytes a second, and opens as many. A cipher without
    samples is left out.
    """
    shares = {}
    for cipher in ciphers:
        seal, opening = (timed_for(cipher["operations"], one, size) for one in ("seal", "open"))
        if seal is not None and opening is not None:
            per_ns = rate * _S_PER_NS
            spread = sum(one["p75_ns"] - one["p25_ns"] for one in (seal, opening))
            shares[cipher["algorithm"]] = (
                per_ns * (seal["median_ns"] + opening["median_ns"]),
                per_ns * spread / 2.0,
            )
    return shares
