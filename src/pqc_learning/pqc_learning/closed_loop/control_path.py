# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel's own messages over the recorded air, and what adversaries do to them."""

from __future__ import annotations

from pqc_learning.closed_loop.flight_plan import Attack, PreparedFlight

# An adversary who looks for keys takes longer datagrams for keys.
_KEYS_BYTES = 320
# A MAVLink message in its frame, on average.
_DATAGRAM_BYTES = 70.0
_LEAST_FREE = 1.0 / 3.0
# Jitter makes the last of four datagrams later than the first by so much of itself.
_SPREAD = 1.2
_GOLDEN = 0.6180339887498949


def _data_bytes_s(flight: PreparedFlight) -> float:
    ways = 2.0 if flight.plan.rate_bytes_s else 1.0  # that share the rate
    return ways * flight.plan.packets_per_s * _DATAGRAM_BYTES


class ControlPath:
    """Decides whether and when the parts of a message arrive."""

    def __init__(self, flight: PreparedFlight) -> None:
        self._air = {"up": flight.up, "down": flight.down}
        self.rate_bytes_s = flight.plan.rate_bytes_s
        self.capacity_bytes_s = flight.plan.capacity_bytes_s
        up = flight.plan.up_bytes_s or flight.plan.capacity_bytes_s
        self.spread_s = _SPREAD * flight.plan.script.air.jitter_s
        # A key that a rekey waits for gets a third of a radio that is full (decision 0089).
        self.free_bytes_s = max(up - _data_bytes_s(flight), up * _LEAST_FREE)
        self._adversaries = [
            one
            for one in flight.plan.adversaries
            if one.attack in (Attack.BLOCK_KEYS, Attack.BLOCK_CONTROL, Attack.DELAY_CONTROL)
        ]

    def tried(self, way: str, parts: int, size: int, now_s: float, turn: int) -> tuple[int, float]:
        """Send the missing parts of a message of `size` bytes.

        Return how many are still missing, and the delay of the others. `turn` tells messages of one
        slot of time apart.
        """
        air = self._air[way]
        slot = air.slot(now_s)
        loss, delay_s = air.slot_loss[slot], air.slot_delay_s[slot]
        for one in self._adversaries:
            if not one.active(now_s):
                continue
            if one.attack is Attack.DELAY_CONTROL:
                delay_s += one.delay_s
            elif one.attack is Attack.BLOCK_CONTROL or size >= _KEYS_BYTES:
                return parts, delay_s
        luck = (air.luck[slot] + _GOLDEN * turn) % 1.0
        if luck < (1.0 - loss) ** parts:
            return 0, delay_s
        return (max(1, round(parts * loss)) if loss < 1.0 else parts), delay_s
