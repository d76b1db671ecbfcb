# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Part of category G: the time of the cipher for one datagram, measured before the run."""

from __future__ import annotations

from pqc_bench.cell.observed import Observed
from pqc_bench.metrics.sheet import ELSEWHERE, Sheet
from pqc_bench.speed.cipher_work import timed_for

_NOT_TIMED = "The run has no speed.json with this cipher, and the tunnel times no single datagram."
_NO_SIZE = "Nothing was offered, so there is no size to choose a time by."


def cipher_times(seen: Observed, sheet: Sheet) -> None:
    """Record the medians for the smallest measured size that holds the mean datagram."""
    size = _mean_bytes(seen)
    for operation in ("seal", "open"):
        path = f"g_data_plane.{operation}_ns"
        timed = None if size is None else timed_for(seen.cipher_alone, operation, size)
        if timed is None:
            sheet.put(path, None, _NOT_TIMED if size is not None else _NO_SIZE)
            continue
        sheet.put(path, timed["median_ns"])
        sheet.remark(
            path,
            f"Measured alone by pqc_speed, with {timed['text_bytes']} bytes, not inside this cell, "
            f"whose datagrams have {size:.0f} bytes on average.",
            ELSEWHERE,
        )


def _mean_bytes(seen: Observed) -> float | None:
    flows = (seen.report or {}).get("flows", {}).values()
    offered = sum(flow["offered"] for flow in flows)
    return sum(flow["offered_bytes"] for flow in flows) / offered if offered else None
