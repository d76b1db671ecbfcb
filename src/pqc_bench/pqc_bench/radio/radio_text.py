# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result as a table: a way in each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from pqc_bench.harness.text import columns
from pqc_bench.radio.link_run import DRONE

# Why the queues of a link leave datagrams out.
_LEFT_OUT = ("conflated", "full", "stale", "oversize")


def _left_out(result: dict[str, Any]) -> str:
    """Return what the drone's end took for the ground and did not send, by its own count."""
    if "counts" not in result:
        return "-"
    classes = result["counts"][DRONE]["shaped"].values()
    offered = sum(one["offered"] for one in classes)
    left_out = sum(one[why] for one in classes for why in _LEFT_OUT)
    return f"{left_out:,} ({left_out / max(offered, 1):.1%})"


def _dropped(result: dict[str, Any]) -> str:
    """Return what both ends dropped, by reason."""
    if "counts" not in result:
        return "-"
    drops: Counter[str] = Counter()
    for end in result["counts"].values():
        drops.update(end["drops"])
    return ", ".join(f"{count:,} {why.replace('_', ' ')}" for why, count in drops.items()) or "0"


_ROWS: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("lost, by the ground's count", lambda r: f"{r['lost']:,} ({r['ground_lost_share']:.1%})"),
    ("left out, by the drone's tunnel", _left_out),
    ("dropped by the tunnels", _dropped),
    ("received", lambda r: f"{r['received']:,}"),
    ("signed: accepted, rejected", lambda r: f"{r['signed_accepted']}, {r['signed_rejected']}"),
    ("parameters", lambda r: f"{r['parameters']}, {_s(r['parameters_s'])}"),
    ("parameters asked again", lambda r: f"{r['parameters_asked_again']:,}"),
    ("log of 60 kB", lambda r: _s(r["log_s"])),
    ("file of 10 kB", lambda r: _s(r["ftp_s"])),
    ("upload of 40 kB", lambda r: _s(r["ftp_upload_s"])),
    ("commands, p99", lambda r: f"{r['command_p99_ms']} ms"),
    ("commands that arrived", lambda r: f"{r['commands_arrived']} of {r['commands']}"),
    (
        "rekeys",
        lambda r: f"{r['rekeys_done']} of {r['rekeys_asked']}" if r.get("rekeys_asked") else "-",
    ),
)


def lines(result: dict[str, Any]) -> list[str]:
    """Return the whole result."""
    text: list[str] = []
    for link, ways in result["links"].items():
        rows = [(link, *(way.replace("_", " ") for way in ways))]
        rows += [(name, *(show(one) for one in ways.values())) for name, show in _ROWS]
        text += ["", *columns(rows)]
    return [*text, ""]


def _s(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"
