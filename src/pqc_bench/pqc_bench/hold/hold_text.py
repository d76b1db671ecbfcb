# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ages of delivered datagrams as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pqc_bench.harness.places import sentence
from pqc_bench.hold.adversary import DOWN, UP
from pqc_bench.hold.tactics import TACTICS


def lines(result: dict[str, Any], faults: Sequence[str]) -> list[str]:
    """Return the whole result."""
    text = ["", f"  {'link':<11}{'adversary':<14}{'oldest':>8}{'bound':>8}{'refused':>9}   said"]
    for name, link in result["links"].items():
        for tactic in TACTICS:
            for way in (UP, DOWN):
                one = link[tactic][way]
                said = "yes" if one["named"] else "no"
                text.append(
                    f"  {name:<11}{tactic + ' ' + way:<14}{one['oldest_s']:>6.2f} s"
                    f"{one['bound_s']:>6.2f} s{one['refused']:>9}   {said}"
                )
        for loss, one in link["loss"].items():
            delivered = sum(one["delivered"].values())
            text.append(
                f"  {name:<11}{'none':<14}at {loss} % loss {one['fresh_refused']} of"
                f" {delivered + one['fresh_refused']} refused"
            )
    text += [sentence(result["network"]), f"  machine          {result['machine']}"]
    return text + [f"  failed: {fault}" for fault in faults]
