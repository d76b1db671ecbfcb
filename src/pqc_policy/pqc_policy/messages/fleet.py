# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Warnings of the ground station to the other drones when one reports an attack."""

from __future__ import annotations

from collections.abc import Iterable

from pqc_msgs.msg import DroneDecision
from pqc_policy.messages.content import Kind, Message

INTERVAL_S = 10.0
_OF_AN_ATTACK = b"\x01"
WARNING = Message(Kind.WARNING, _OF_AN_ATTACK)


def is_warning(content: bytes) -> bool:
    """Return whether another drone of the fleet reports an attack."""
    return content.startswith(_OF_AN_ATTACK)


class FleetWarnings:
    """Warns each drone at most once in an interval, whoever reports how often."""

    def __init__(self) -> None:
        self._next_s: dict[str, float] = {}

    def warned(
        self, drones: Iterable[str], by: str, decision: DroneDecision, now_s: float
    ) -> list[str]:
        """Return the drones to warn now because of what one of them reports."""
        if decision.advisor_verdict != "attack":
            return []
        warned = [
            drone for drone in drones if drone != by and now_s >= self._next_s.get(drone, now_s)
        ]
        self._next_s.update(dict.fromkeys(warned, now_s + INTERVAL_S))
        return warned
