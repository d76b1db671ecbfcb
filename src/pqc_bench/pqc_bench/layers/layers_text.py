# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result as a table: a link in each column."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from pqc_bench.harness.text import columns
from pqc_bench.layers.verdict import flights_of


def _s(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:g} s"


def _p99(one: dict[str, Any]) -> str:
    layers, without = (one["flights"][name]["command_p99_ms"] for name in ("layers", "without"))
    return f"{layers} ({without}) ms"


def _share(one: dict[str, Any]) -> str:
    layers, without = (one["flights"][name]["lost_share"] for name in ("layers", "without"))
    return f"{layers:.1%} ({without:.1%})"


_ROWS: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
    ("ratchet with a one-time key", lambda one: _s(one["one_time_s"])),
    ("renewals", lambda one: str(one["flights"]["layers"]["renewals"])),
    ("oldest keys during a fetch", lambda one: _s(one["renewal_gap_s"])),
    ("lost to it", lambda one: f"{one['lost']:,}"),
    ("lost by sequence (without)", _share),
    ("commands, p99 (without)", _p99),
    ("share of the air", lambda one: f"{one['air_share']:.2%}"),
    ("bytes of rekeys", lambda one: f"{one['flights']['layers']['exchange_bytes']:,}"),
    ("bytes of fetches", lambda one: f"{one['flights']['layers']['fetch_bytes']:,}"),
)


def lines(result: dict[str, Any]) -> list[str]:
    links = result["links"]
    classes = dict.fromkeys(name for one in links.values() for name in one["seconds_to"])
    rows = [(result["strategy"], *links)]
    rows += [(f"{name} (model)", *(_came(one, name) for one in links.values())) for name in classes]
    rows += [(name, *(show(one) for one in links.values())) for name, show in _ROWS]
    return ["", *columns(rows), ""]


def _came(one: dict[str, Any], name: str) -> str:
    times = [each["seconds_to"].get(name) for each in flights_of(one)]
    ends = sorted({*times}, key=lambda time: inf if time is None else time)
    told = " to ".join(dict.fromkeys((_s(ends[0]), _s(ends[-1]))))
    return f"{told} ({_s(one['modelled_s'].get(name))})"
