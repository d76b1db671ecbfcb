# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ages of what was delivered: the verdict on them, and the result as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pqc_bench.harness.text import columns
from pqc_bench.hold.adversary import DOWN, UP
from pqc_bench.hold.tactics import TACTICS


def judge(result: dict[str, Any]) -> list[str]:
    return [fault for name, link in result["links"].items() for fault in _faults(name, link)]


def _faults(name: str, link: dict[str, Any]) -> Iterator[str]:
    for tactic in TACTICS:
        for way in (UP, DOWN):
            one = link[tactic][way]
            where = f"{name}, {tactic} {way}"
            if one["oldest_s"] > one["bound_s"]:
                yield (
                    f"{where}: a datagram of {one['oldest_s']:.2f} s was delivered, older than"
                    f" {one['bound_s']:.2f} s"
                )
            if not one["named"]:
                yield f"{where}: neither end said anything"
    for loss, one in link["loss"].items():
        if one["fresh_refused"]:
            yield f"{name}, {loss} % loss: {one['fresh_refused']} fresh datagrams were refused"


def lines(result: dict[str, Any]) -> list[str]:
    rows = [("link", "adversary", "oldest", "bound", "refused", "said")]
    losses = []
    for name, link in result["links"].items():
        for tactic in TACTICS:
            for way in (UP, DOWN):
                one = link[tactic][way]
                ages = (f"{one[age]:.2f} s" for age in ("oldest_s", "bound_s"))
                said = "yes" if one["named"] else "no"
                rows.append((name, f"{tactic} {way}", *ages, str(one["refused"]), said))
        for loss, one in link["loss"].items():
            fresh = sum(one["delivered"].values()) + one["fresh_refused"]
            refused = f"{one['fresh_refused']} of {fresh} refused"
            losses.append((name, "no adversary", f"{loss} % loss", refused))
    return ["", *columns(rows, left=2), *columns(losses, left=2)]
