# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The marks of a cell, from its moments and from the states and events of both ends."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from pqc_bench.cell.observed import Observed, Plain
from pqc_bench.power.marks import IDLE, KEY_GENERATION, REKEY, TRAFFIC, Mark, Marks, handshake_marks

_NS_PER_S = 1_000_000_000
_S_PER_MS = 1e-3
Stamped = tuple[str, str, int]


def marks_of(seen: Observed, stamped: Sequence[Stamped]) -> Marks:
    """Return the marks; events are the end, the kind and the stamp in ns of UTC since 1970."""
    utc_at_zero_s = time.time() - time.monotonic()
    zero_ns = round(utc_at_zero_s * _NS_PER_S)
    events = sorted(((ns - zero_ns) / _NS_PER_S, end, kind) for end, kind, ns in stamped)
    times = seen.times
    marks = [
        Mark(kind, times[begin], times[end])
        for kind, begin, end in ((IDLE, "idle", "launched"), (TRAFFIC, "traffic", "stopping"))
        if begin in times and end in times
    ]
    # Its events are over before anybody may listen; states last.
    marks += handshake_marks(
        ((_ns(status["stamp"]) - zero_ns) / _NS_PER_S, status) for status in seen.first.values()
    )
    rekeys = _rekeys(events)
    for rekey, record in zip(rekeys, seen.rekeys, strict=False):
        # No end tells when it made a key ahead.
        if record.get("keygen_ms") and not record.get("prepared_ahead"):
            end_s = rekey.begin_s + record["keygen_ms"] * _S_PER_MS
            marks.append(Mark(KEY_GENERATION, rekey.begin_s, end_s))
    return Marks(utc_at_zero_s, (*marks, *rekeys))


def _ns(stamp: Plain) -> int:
    return int(stamp["sec"]) * _NS_PER_S + int(stamp["nanosec"])


def _rekeys(events: Iterable[tuple[float, str, str]]) -> list[Mark]:
    """Return a mark for each rekey, from the first end's start to the last end's commit."""
    marks: list[Mark] = []
    began_s: float | None = None
    ended: set[str] = set()
    for at_s, end, name in events:
        if name == "rekey_started":
            if began_s is None or ended:
                began_s, ended = at_s, set()
        elif name == "rekey_committed" and began_s is not None:
            if ended and end not in ended:
                marks[-1] = Mark(REKEY, began_s, at_s)
            elif not ended:
                marks.append(Mark(REKEY, began_s, at_s))
            ended.add(end)
    return marks
