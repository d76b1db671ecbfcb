# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a pilot sees with and without the tunnel: the verdict on it, and the result as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from pqc_bench.harness.text import columns
from pqc_bench.radio.link_run import BARE, DRONE

_PARAMETERS = 1340
_MORE_LOSS = 0.02
_COMMAND_MS = 250.0
_SLOWER = 1.1
# The resolution of a transfer that is over in a moment
_MOMENT_S = 1.0
_THIN = "sik-57600"
# With a real autopilot parameters took 171 s bare on this radio, and version 0.2 needed 45 s for a
# log of 60 kB and 4 s for a file of 10 kB; here it needs 24 to 31 s and 3.7 to 4.3 s.
_LIMITS_S = {"parameters_s": 60.0, "log_s": 45.0, "ftp_s": 4.5}
# Both ends share the air evenly, and the answers wait behind telemetry: an upload takes longer than
# bare, where version 0.2 never ended it.
_SLOW_UPLOAD = ("sik-57600", "sik-250000")
_TRANSFERS = {
    "parameters_s": "the parameters",
    "log_s": "the log",
    "ftp_s": "the file",
    "ftp_upload_s": "the upload",
}


def judge(result: dict[str, Any]) -> list[str]:
    return [
        f"{link} {way.replace('_', ' ')}: {fault}"
        for link, ways in result["links"].items()
        for way, one in ways.items()
        if way != BARE
        for fault in _faults(link, one, ways[BARE])
    ]


def _faults(link: str, one: dict[str, Any], bare: dict[str, Any]) -> list[str]:
    faults = []
    share, limit = one["ground_lost_share"], bare["ground_lost_share"] + _MORE_LOSS
    if share > limit:
        faults.append(
            f"the ground counts {100 * share:.1f} % of the messages as lost, more than"
            f" {100 * limit:.1f} %"
        )
    if one["signed_rejected"] or not one["signed_accepted"]:
        faults.append(
            f"{one['signed_rejected']} signed messages were rejected and"
            f" {one['signed_accepted']} accepted"
        )
    if one["parameters"] != _PARAMETERS:
        faults.append(f"{one['parameters']} of {_PARAMETERS} parameters arrived")
    faults += [
        f"the {what} didn't arrive whole"
        for name, what in (("log", "log"), ("ftp", "file"), ("ftp_upload", "upload"))
        if not one[f"{name}_whole"]
    ]
    if one["command_p99_ms"] is None or one["command_p99_ms"] > _COMMAND_MS:
        faults.append(f"commands took {one['command_p99_ms']} ms (p99), more than {_COMMAND_MS:g}")
    if one["rekeys_done"] < one["rekeys_asked"]:
        faults.append(f"{one['rekeys_done']} of {one['rekeys_asked']} rekeys succeeded")
    return faults + _slow(link, one, bare)


def _slow(link: str, one: dict[str, Any], bare: dict[str, Any]) -> list[str]:
    faults = []
    for name, what in _TRANSFERS.items():
        if name == "ftp_upload_s" and link in _SLOW_UPLOAD:
            continue
        limit = _LIMITS_S.get(name) if link == _THIN else None
        if limit is None and bare[name] is not None:
            limit = _SLOWER * bare[name] + _MOMENT_S
        took = one[name]
        if limit is not None and took is not None and took > limit:
            faults.append(f"{what} took {took:.1f} s, more than {limit:.1f}")
    return faults


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
    text: list[str] = []
    for link, ways in result["links"].items():
        rows = [(link, *(way.replace("_", " ") for way in ways))]
        rows += [(name, *(show(one) for one in ways.values())) for name, show in _ROWS]
        text += ["", *columns(rows)]
    return [*text, ""]


def _s(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"
