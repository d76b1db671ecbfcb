# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The most that each program of a drone may take, and the judgement of a measurement by it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# Which pages of a library are resident depends on the machine.
_TOLERANCE = 1.1
_WORDS = {"rss_mib": "MiB of memory", "threads": "threads", "wakeups_per_s": "wake-ups a second"}


@dataclass(frozen=True)
class Most:
    rss_mib: float
    threads: int
    wakeups_per_s: float  # beyond those for datagrams


# A change that frees something lowers the number (decision 0084).
BUDGET = {
    "tunnel_node": Most(36, 17, 45),
    "drone_nodes": Most(84, 13, 55),  # usually 12: a read that takes long gets a thread of its own
    "exposure_node": Most(27, 11, 15),  # a tool: not part of the whole drone side
}
DRONE = ("tunnel_node", "drone_nodes")
WHOLE = Most(130, 30, 120)


def judge(result: dict[str, Any]) -> list[str]:
    """Return the faults, a sentence each; empty if everything is within the budget."""
    faults = [f"{name} has no budget" for name in result["processes"] if name not in BUDGET] + [
        f"{name} does not run" for name in DRONE if name not in result["processes"]
    ]
    for name, found in (*result["processes"].items(), ("the drone's side", result["drone"])):
        most = asdict(BUDGET.get(name, WHOLE))
        most["rss_mib"] *= _TOLERANCE
        faults += [
            f"{name} has {found[figure]:g} {words}, more than {most[figure]:g}"
            for figure, words in _WORDS.items()
            if found[figure] > most[figure]
        ]
    return faults
