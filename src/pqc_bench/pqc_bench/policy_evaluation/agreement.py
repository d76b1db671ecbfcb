# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the simulator and real nodes agree about a flight, within stated bounds, and the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# A renewal falls due by the age of the keys, which differs by the start of the nodes.
MOST_REKEYS = 1
# Levels are kept for so many seconds more or less: a switch follows conditions that last 5 s.
MOST_SECONDS = 15.0
MOST_LOST = 5  # datagrams beyond those that the link dropped


@dataclass
class Flown:
    """The result of a flight, simulated or real."""

    switches: list[str] = field(default_factory=list)  # the suites that followed one another
    done: int = 0
    failed: int = 0
    seconds_at_level: dict[str, float] = field(default_factory=dict)
    last_suite: str = ""
    lost_beyond_link: int = 0


def disagreements(simulated: Flown, real: Flown) -> list[str]:
    """Return a sentence for each bound that is exceeded."""
    found = []
    if real.switches != simulated.switches:
        found.append(
            f"The nodes changed to {_names(real.switches)}, the simulator to "
            f"{_names(simulated.switches)}."
        )
    if real.last_suite != simulated.last_suite:
        found.append(
            f"The nodes ended with {real.last_suite}, the simulator with {simulated.last_suite}."
        )
    if abs(real.done - simulated.done) > MOST_REKEYS:
        found.append(f"The nodes made {real.done} rekeys, the simulator {simulated.done}.")
    if abs(real.failed - simulated.failed) > MOST_REKEYS:
        found.append(f"{real.failed} rekeys of the nodes failed, {simulated.failed} simulated.")
    for level in sorted(set(real.seconds_at_level) | set(simulated.seconds_at_level)):
        ours = simulated.seconds_at_level.get(level, 0.0)
        theirs = real.seconds_at_level.get(level, 0.0)
        if abs(ours - theirs) > MOST_SECONDS:
            found.append(
                f"The nodes were at level {level} for {theirs:.0f} s, the simulator for {ours:.0f}."
            )
    if real.lost_beyond_link > MOST_LOST:
        found.append(f"The nodes lost {real.lost_beyond_link} datagrams that the link had passed.")
    return found


def _names(suites: list[str]) -> str:
    return ", ".join(suites) or "no other suite"


def lines(result: dict[str, Any]) -> list[str]:
    """Return all flights as text."""
    text = []
    for flight in result["flights"]:
        head = f"seed {flight['seed']}, {flight['link']}, {flight['seconds']:.0f} s"
        text.append(f"{head}: {', '.join(flight['trouble']) or 'no trouble'}")
        for name in ("simulated", "real"):
            own = flight[name]
            text.append(
                f"  {name:<9}  {own['done']} rekeys, {own['failed']} failed, "
                f"{len(own['switches'])} switches, ends with {own['last_suite']}"
            )
        text += [f"  {sentence}" for sentence in flight["disagreements"]]
    faults = result["disagreements"]
    return [*text, "They agree." if not faults else f"They disagree: {len(faults)} bounds."]
