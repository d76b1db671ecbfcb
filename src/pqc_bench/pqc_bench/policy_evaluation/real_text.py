# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The text of flights on real nodes."""

from __future__ import annotations

from typing import Any


def summary(result: dict[str, Any], faults: list[str]) -> list[str]:
    """Return the lines of all flights."""
    lines = []
    for flight in result["flights"]:
        head = f"seed {flight['seed']}, {flight['link']}, {flight['seconds']:.0f} s"
        lines.append(f"{head}: {', '.join(flight['trouble']) or 'no trouble'}")
        for name in ("simulated", "real"):
            own = flight[name]
            lines.append(
                f"  {name:<9}  {own['done']} rekeys, {own['failed']} failed, "
                f"{len(own['switches'])} switches, ends with {own['last_suite']}"
            )
        lines += [f"  {sentence}" for sentence in flight["disagreements"]]
    return [*lines, "They agree." if not faults else f"They disagree: {len(faults)} bounds."]
