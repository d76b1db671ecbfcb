# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The link: datagrams in both directions, and the ground's reports on what it receives."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random

from pqc_sim.physics.air import Air, RadioPath, Spell
from pqc_sim.physics.link_estimator import LinkEstimator, LinkFigures

PACKETS_PER_S = 53.3  # 32 in 0.6 s
PACKET_BYTES = 96
REPORT_S = 1.0


class Stream:
    """One direction: a sender, the path, and the estimator of the receiver."""

    def __init__(self, path: RadioPath, chance: Random) -> None:
        self.path = path
        self.estimator = LinkEstimator(0.0)
        self.sent = 0
        self._chance = chance
        self._next_s = 0.0
        self._sequence = 0
        self._under_way: list[tuple[float, int]] = []

    def step(self, now_s: float, sending: bool, receiving: bool) -> None:
        """Send the datagrams that are due, and receive those that have arrived."""
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
            if receiving:
                self.estimator.note(arrival_s, sequence, PACKET_BYTES)


@dataclass(frozen=True)
class PeerReport:
    """The figures of the ground station, and when they arrived at the drone, in s."""

    view: LinkFigures
    at_s: float


class Radio:
    """Both directions, and the newest report of the ground station that reached the drone."""

    rate_bytes_s = free_bytes_s = capacity_bytes_s = None  # it is not thin
    spread_s = 0.0

    def __init__(self, usual: Air, spells: tuple[Spell, ...], seed: str) -> None:
        self.up, self.down = (
            Stream(
                RadioPath(way, usual, spells, Random(f"{seed}/{way}/air")),
                Random(f"{seed}/{way}/pace"),
            )
            for way in ("up", "down")
        )
        self.peer_report: PeerReport | None = None
        self.rtt_s: float | None = None
        self._report_s = 0.17  # when the ground's next report is due
        self._coming: list[tuple[float, int, LinkFigures, float]] = []
        self._reports = 0

    def step(self, now_s: float, keyed: bool, running: bool) -> None:
        """Move to a time; `keyed`: there is a session; `running`: the drone's tunnel runs."""
        self.up.step(now_s, keyed and running, True)
        self.down.step(now_s, keyed, running)
        while self._report_s <= now_s:
            delay_s = self.down.path.delivered(self._report_s) if keyed else None
            back_s = self.up.path.delivered(self._report_s) if keyed else None
            if delay_s is not None:
                rtt_s = delay_s + back_s if back_s is not None else 0.0
                self._reports += 1
                entry = (
                    self._report_s + delay_s,
                    self._reports,
                    self.up.estimator.view(now_s),
                    rtt_s,
                )
                heappush(self._coming, entry)
            self._report_s += REPORT_S
        while self._coming and self._coming[0][0] <= now_s:
            at_s, _, view, rtt_s = heappop(self._coming)
            if running:
                self.peer_report = PeerReport(view, at_s)
                self.rtt_s = rtt_s or self.rtt_s

    def tried(self, way: str, parts: int, size: int, now_s: float, turn: int) -> tuple[int, float]:
        """Carry the parts of a message of an exchange, as `tunnel.exchange.ControlPath` says."""
        del size, turn
        path = (self.up if way == "up" else self.down).path
        delays_s = [path.delivered(now_s) for _ in range(parts)]
        arrived_s = [delay_s for delay_s in delays_s if delay_s is not None]
        return parts - len(arrived_s), max(arrived_s, default=0.0)

    def restarted(self, now_s: float) -> None:
        """Forget the measurements of the drone's end, whose tunnel has been restarted."""
        self.peer_report = self.rtt_s = None
        self.down.estimator = LinkEstimator(now_s)
