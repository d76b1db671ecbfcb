# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages that bins are made of, as rows of numbers: what a recording of a tunnel keeps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pqc_policy.sensing.traffic.bins import REASONS, seconds

LINK, STATUS = "link", "status"
Row = list[Any]  # the topic, the time in s, and numbers
VIEW = (
    "window_s",
    "packets_per_s",
    "bytes_per_s",
    "gap_p95_s",
    "longest_silence_s",
    "jitter_s",
    "packets",
    "lost",
    "reordered",
    "duplicates",
)
_REPORT = ("remote_valid", "remote_age_s", "clock_valid", "rtt_s")
_PATH = ("link", "state", "carries", "rtt_s", "loss")
_DROPS = (*REASONS, "queue_full")
_DIGITS = 7


def link_row(report: Any, start_s: float) -> Row:
    """Return the row of a LinkReport, its time counted from `start_s`."""
    return [
        LINK,
        _time(report, start_s),
        *_values(report, _REPORT),
        *_values(report.local, VIEW),
        *_values(report.remote, VIEW),
        [_values(path, _PATH) for path in report.paths],
    ]


def status_row(status: Any, start_s: float) -> Row:
    """Return the row of a TunnelStatus."""
    return [
        STATUS,
        _time(status, start_s),
        status.encrypted,
        _rounded(status.since_heard_s),
        int(status.traffic.cipher_out_packets),
        *_values(status.drops, _DROPS),
    ]


def message(row: Row) -> SimpleNamespace:
    """Return what the bins read of a row's message; raise ValueError if it is no such row."""
    try:
        topic, time_s, *rest = row
        made = _report(rest) if topic == LINK else _status(rest)
        if topic not in (LINK, STATUS):
            raise ValueError("it is neither a link report nor a status")
        whole = int(time_s)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a row is no message: {error}") from error
    made.stamp = SimpleNamespace(sec=whole, nanosec=round((time_s - whole) * 1e9))
    return made


def _report(rest: Row) -> SimpleNamespace:
    count = len(_REPORT)
    *numbers, paths = rest
    views = [
        _named(VIEW, numbers[start : start + len(VIEW)]) for start in (count, count + len(VIEW))
    ]
    return SimpleNamespace(
        **vars(_named(_REPORT, numbers[:count])),
        local=views[0],
        remote=views[1],
        paths=[_named(_PATH, path) for path in paths],
    )


def _status(rest: Row) -> SimpleNamespace:
    encrypted, since_heard_s, sent, *drops = rest
    return SimpleNamespace(
        encrypted=encrypted,
        since_heard_s=since_heard_s,
        traffic=SimpleNamespace(cipher_out_packets=sent),
        drops=_named(_DROPS, drops),
    )


def _named(names: tuple[str, ...], values: Row) -> SimpleNamespace:
    return SimpleNamespace(**dict(zip(names, values, strict=True)))


def _values(source: Any, names: tuple[str, ...]) -> Row:
    return [_rounded(getattr(source, name)) for name in names]


def _rounded(value: Any) -> Any:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _time(stamped: Any, start_s: float) -> float:
    return round(seconds(stamped.stamp) - start_s, 6)
