# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The link: datagrams both ways, and what each end hears and tells the other."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random

from pqc_sim.physics.air import Air, Path, Spell
from pqc_sim.physics.ear import Ear, Heard

PACKETS_PER_S = 53.3  # 32 in 0.6 s
PACKET_BYTES = 96
REPORT_S = 1.0


class Stream:
    """One direction: who sends, the path, and the ear at its end."""

    def __init__(self, path: Path, chance: Random) -> None:
        self.path = path
        self.ear = Ear(0.0)
        self.sent = 0
        self._chance = chance
        self._next_s = 0.0
        self._sequence = 0
        self._under_way: list[tuple[float, int]] = []

    def step(self, now_s: float, sending: bool, hearing: bool) -> None:
        """Send what is due, and hear what arrives by now."""
        self.path.step(now_s)
        while self._next_s <= now_s:
            if sending:
                delay_s = self.path.delivered(self._next_s)
                if delay_s is not None:
                    heappush(self._under_way, (self._next_s + delay_s, self._sequence))
                self._sequence += 1
                self.sent += 1
            self._next_s += self._chance.uniform(0.7, 1.3) / PACKETS_PER_S
        while self._under_way and self._under_way[0][0] <= now_s:
            arrival_s, sequence = heappop(self._under_way)
            if hearing:
                self.ear.hear(arrival_s, sequence, PACKET_BYTES)


@dataclass(frozen=True)
class Told:
    """The peer's view, and when it came in."""

    view: Heard
    at_s: float


class Radio:
    """Both directions, and the reports of the ground that reach the drone."""

    def __init__(self, usual: Air, spells: tuple[Spell, ...], seed: str) -> None:
        self.up, self.down = (
            Stream(
                Path(way, usual, spells, Random(f"{seed}/{way}/air")), Random(f"{seed}/{way}/pace")
            )
            for way in ("up", "down")
        )
        self.told: Told | None = None
        self.rtt_s: float | None = None
        self._report_s = 0.17  # when the ground's next report is due
        self._coming: list[tuple[float, int, Heard, float]] = []
        self._reports = 0

    def step(self, now_s: float, talking: bool, up: bool) -> None:
        """Let datagrams pass; talking: there are keys; up: the drone's tunnel runs."""
        self.up.step(now_s, talking and up, True)
        self.down.step(now_s, talking, up)
        while self._report_s <= now_s:
            delay_s = self.down.path.delivered(self._report_s) if talking else None
            back_s = self.up.path.delivered(self._report_s) if talking else None
            if delay_s is not None:
                rtt_s = delay_s + back_s if back_s is not None else 0.0
                self._reports += 1
                entry = (self._report_s + delay_s, self._reports, self.up.ear.view(now_s), rtt_s)
                heappush(self._coming, entry)
            self._report_s += REPORT_S
        while self._coming and self._coming[0][0] <= now_s:
            at_s, _, view, rtt_s = heappop(self._coming)
            if up:
                self.told = Told(view, at_s)
                self.rtt_s = rtt_s or self.rtt_s

    def restarted(self, now_s: float) -> None:
        """Forget what the drone's end knew: its tunnel has been started again."""
        self.told = self.rtt_s = None
        self.down.ear = Ear(now_s)
