# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A bin of traffic as numbers for a learned detector: shares, and logarithms of rates and times.

Links of 20 and of 4000 datagrams a second look alike as far as they can: what is a share stays one,
and gaps are counted in the mean time between datagrams. NaN stands for what is not known.
"""

from __future__ import annotations

from math import log10, nan

import numpy as np
from numpy.typing import NDArray

from pqc_policy.sensing.traffic.bins import DUPLICATES, REASONS, Bin, Way
from pqc_policy.sensing.traffic.link_now import Pace

_OF_WAY = (
    "delivered",  # share of the datagrams sent
    "sent",  # log10 of 1 + datagrams/s
    "received",  # log10 of 1 + datagrams/s
    "reordered",  # share of the received ones
    "gap",  # log10 of the 95th percentile, in mean times between datagrams sent
    "silence",  # log10 of the longest one in s
    "jitter",  # log10, in mean times between datagrams sent
    "size",  # log10 of the mean bytes of a datagram
)
_DROPS = (*REASONS, DUPLICATES)
FEATURES: tuple[str, ...] = (
    *(f"up_{name}" for name in _OF_WAY),  # our datagrams
    *(f"down_{name}" for name in _OF_WAY),  # the peer's
    "rtt",  # log10 of s
    "heard",  # time since the peer's newest datagram in s, at most 10
    "report",  # age of the peer's newest report in s, at most 10
    *(f"dropped_{reason}" for reason in _DROPS),  # log10 of 1 + datagrams/s
    "dropped_strange",  # the same of all reasons together, without the peer's duplicates
    *(f"share_{reason}" for reason in ("replay", DUPLICATES)),  # of the received ones
    "share_strange",
    "uneven",  # delivered share of our datagrams less that of the peer's
    "unsent",  # log10 of 1 + datagrams/s that found no room
    "paths_up",  # share of the links
    "path_loss",  # largest share of lost probes of a link
)
_LONGEST_S = 10.0
_SHORTEST_S = 1e-4
_SMALLEST_RATIO = 1e-2
_UNKNOWN_WAY = (nan,) * len(_OF_WAY)


def vector(newest: Bin) -> NDArray[np.float32]:
    """Return the features of a bin, in the order of FEATURES; shape (F,), NaN where unknown."""
    per_s = 1.0 / newest.seconds
    dropped = newest.dropped
    strange = sum(dropped[reason] for reason in REASONS) if REASONS[0] in dropped else None
    up, down = _of_way(newest.up, per_s), _of_way(newest.down, per_s)
    values = [
        *up,
        *down,
        nan if newest.rtt_s is None else log10(max(newest.rtt_s, _SHORTEST_S)),
        _age(newest.heard_s),
        _age(newest.report_s),
        *(_rate(dropped.get(reason), per_s) for reason in _DROPS),
        _rate(strange, per_s),
        _share(dropped.get("replay"), newest.down),
        _share(dropped.get(DUPLICATES), newest.up),
        _share(strange, newest.down),
        up[0] - down[0],
        _rate(newest.unsent, per_s),
        *_of_paths(newest),
    ]
    return np.array(values, dtype=np.float32)


def _of_way(way: Way | None, per_s: float) -> tuple[float, ...]:
    if way is None:
        return _UNKNOWN_WAY
    received, sent, pace = way.received, way.sent, way.pace
    some = sent is not None and sent >= 0.5
    return (
        min(received / sent, 2.0) if some and sent is not None else nan,
        nan if sent is None else log10(1.0 + sent * per_s),
        log10(1.0 + received * per_s),
        min(way.reordered / received, 1.0) if received >= 0.5 else nan,
        *_of_pace(pace, sent * per_s if some and sent is not None else None),
    )


def _of_pace(pace: Pace | None, sent_per_s: float | None) -> tuple[float, float, float, float]:
    if pace is None:
        return nan, nan, nan, nan
    return (
        _in_gaps(pace.gap_p95_s, sent_per_s),
        log10(max(pace.longest_silence_s, _SHORTEST_S)),
        _in_gaps(pace.jitter_s, sent_per_s),
        log10(pace.mean_bytes) if pace.mean_bytes >= 1.0 else nan,
    )


def _in_gaps(time_s: float, sent_per_s: float | None) -> float:
    return nan if sent_per_s is None else log10(max(time_s * sent_per_s, _SMALLEST_RATIO))


def _rate(count: float | None, per_s: float) -> float:
    return nan if count is None else log10(1.0 + count * per_s)


def _share(count: float | None, way: Way | None) -> float:
    if count is None or way is None or count + way.received <= 0.0:
        return nan
    return count / (count + way.received)


def _age(age_s: float | None) -> float:
    return nan if age_s is None else min(age_s, _LONGEST_S)


def _of_paths(newest: Bin) -> tuple[float, float]:
    paths = newest.paths
    if not paths:
        return nan, nan
    losses = [path.loss for path in paths if path.loss is not None]
    return sum(path.up for path in paths) / len(paths), max(losses, default=nan)
