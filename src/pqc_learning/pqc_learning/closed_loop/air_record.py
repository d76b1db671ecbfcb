# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One direction of the radio over a whole flight: every datagram that would be sent, and its fate.

The draws are those of physics.radio (Stream and RadioPath) for the same Air, made at once for the
whole flight. A datagram of the record is sent unless the tunnel stops the data at that moment.
Control messages have draws of their own, one for each slot of time: whoever sends a control message
at a time meets the same luck.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import inf
from random import Random

import numpy as np
from numpy.typing import NDArray
from pqc_sim.physics.air import Air, RadioPath, Spell

SLOT_S = 0.05  # conditions are constant for so long
Floats = NDArray[np.float64]


class AirRecord:
    """The datagrams of one direction, in the order of their arrival."""

    def __init__(
        self,
        direction: str,
        usual: Air,
        spells: tuple[Spell, ...],
        seconds: float,
        packets_per_s: float,
        seed: str,
    ) -> None:
        """Draw the record; `direction` is "up" (to the ground) or "down"."""
        slots = round(seconds / SLOT_S) + 1
        path = RadioPath(direction, usual, spells, Random(f"{seed}/{direction}/bursts"))
        self.loss, self.delay_s, jitter_s = np.empty(slots), np.empty(slots), np.empty(slots)
        for slot in range(slots):
            now_s = slot * SLOT_S
            path.step(now_s)
            self.loss[slot] = path.loss_at(now_s)
            self.delay_s[slot] = path.air.delay_s
            jitter_s[slot] = path.air.jitter_s
        chance = np.random.default_rng(_number(f"{seed}/{direction}/data"))
        count = round(seconds * packets_per_s * 1.02) + 50
        pace = chance.uniform(0.7, 1.3, count) / packets_per_s
        sent_s = np.cumsum(pace) - pace[0]
        lost = chance.random(count)
        spread = np.abs(chance.standard_normal(count))
        kept = sent_s < seconds
        sent_s, lost, spread = sent_s[kept], lost[kept], spread[kept]
        slot_of = (sent_s / SLOT_S).astype(np.int64)
        alive = lost >= self.loss[slot_of]
        arrival_s = sent_s + self.delay_s[slot_of] + jitter_s[slot_of] * spread
        self.offered_s: Floats = sent_s
        order = np.argsort(arrival_s[alive], kind="stable")
        # Of those that the air lets pass:
        self.sent_s: Floats = sent_s[alive][order]
        self.arrival_s: Floats = arrival_s[alive][order]
        self.sequence = np.flatnonzero(alive)[order]
        # Single numbers are found faster in lists.
        self._offered_s: list[float] = sent_s.tolist()
        self._passed_s: list[float] = sent_s[alive].tolist()
        self._arrived_s: list[float] = self.arrival_s.tolist()
        control = np.random.default_rng(_number(f"{seed}/{direction}/control"))
        self.luck: list[float] = control.random(slots).tolist()
        self.slot_loss: list[float] = self.loss.tolist()
        self.slot_delay_s: list[float] = self.delay_s.tolist()
        self._slots = slots

    def slot(self, now_s: float) -> int:
        """Return the slot of a time."""
        return min(max(int(now_s / SLOT_S), 0), self._slots - 1)

    def offered(self, start_s: float, end_s: float) -> int:
        """Return how many datagrams would be sent in a time."""
        return bisect_left(self._offered_s, end_s) - bisect_left(self._offered_s, start_s)

    def passed(self, start_s: float, end_s: float) -> int:
        """Return how many datagrams that are sent in a time would arrive."""
        return bisect_left(self._passed_s, end_s) - bisect_left(self._passed_s, start_s)

    def newest_passed(self, end_s: float) -> float:
        """Return when the last datagram before a time that arrives was sent; -inf without one."""
        last = bisect_left(self._passed_s, end_s)
        return self._passed_s[last - 1] if last else -inf

    def newest_arrived(self, now_s: float) -> float:
        """Return when the last datagram until a time has arrived; 0 without one."""
        last = bisect_right(self._arrived_s, now_s)
        return self._arrived_s[last - 1] if last else 0.0

    def gap_around(self, start_s: float, end_s: float) -> float:
        """Return the time between the last datagram before a stop and the first one after it."""
        passed_s = self._passed_s
        first, last = bisect_left(passed_s, start_s), bisect_left(passed_s, end_s)
        before_s = passed_s[first - 1] if first else 0.0
        return (passed_s[last] if last < len(passed_s) else end_s) - before_s

    def loss_between(self, start_s: float, end_s: float) -> float:
        """Return the mean loss over a time."""
        first, last = self.slot(start_s), self.slot(end_s)
        return float(self.loss[first : last + 1].mean())

    def delay_between(self, start_s: float, end_s: float) -> float:
        """Return the mean delay over a time, in seconds."""
        first, last = self.slot(start_s), self.slot(end_s)
        return float(self.delay_s[first : last + 1].mean())


def _number(text: str) -> int:
    return Random(text).getrandbits(64)
