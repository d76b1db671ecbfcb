# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keys that are fetched and rekeys look like no attack, whatever their size."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.suites import KEMS, SUITES, Suite
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorState
from pqc_policy.sensing.detectors.baseline_detector import BaselineDetector
from pqc_policy.sensing.detectors.heuristic import Counters, Detector, Heuristic
from pqc_policy.sensing.learned_detector import load_learned
from pqc_policy.sensing.model_folder import find_model
from pqc_policy.sensing.traffic.bins import REASONS, TrafficBins

PART_BYTES = 1180  # of a message, in a frame
PARTS_PER_ACK = 8
PARTS_PER_S = 550
REPORT_AGE_S = 0.3
LEAD_S, AFTER_S = 45, 8
# The suite of each KEM whose keys are the longest.
HEAVIEST = [
    max((suite for suite in SUITES if suite.kem == kem), key=lambda suite: suite.prekey_size)
    for kem in KEMS
]


@dataclass
class Way:
    """The counts of one direction."""

    packets: int = 0
    lost: int = 0
    streams: int = 0  # of the packets, those that arrived
    bytes: int = 0
    arrived: list[tuple[float, int]] = field(default_factory=list)  # within the last 4 s

    def carry(self, at_s: float, size: int, lost: bool, stream: bool = False) -> None:
        if lost:
            self.lost += 1
            return
        self.packets += 1
        self.streams += stream
        self.bytes += size
        self.arrived.append((at_s, size))

    def view(self, now_s: float) -> Any:
        self.arrived = [entry for entry in self.arrived if entry[0] > now_s - 4.0]
        times = [at_s for at_s, _ in self.arrived]
        gaps = sorted(b - a for a, b in pairwise(times)) or [4.0]
        return SimpleNamespace(
            packets=self.packets,
            lost=self.lost,
            duplicates=0,
            reordered=0,
            window_s=4.0,
            packets_per_s=len(times) / 4.0,
            bytes_per_s=sum(size for _, size in self.arrived) / 4.0,
            gap_p95_s=gaps[int(0.95 * (len(gaps) - 1))],
            longest_silence_s=gaps[-1],
            jitter_s=0.3 * sum(gaps) / len(gaps),
        )


class Link:
    """A drone's end, to whose reports once a second the advisor listens."""

    def __init__(self, up_hz: int = 50, down_hz: int = 25, loss: float = 0.0) -> None:
        self._random = random.Random(7)
        self._hz, self.loss = {"up": up_hz, "down": down_hz}, loss
        self._ways = {"up": Way(), "down": Way()}
        self._waiting = {"up": 0, "down": 0}  # parts
        self._acks = {"up": 0.0, "down": 0.0}
        self._sent = self._sent_streams = 0
        self._ms = 0
        self._reported: Any = None

    def send(self, way: str, size: int) -> None:
        self._waiting[way] += -(-size // PART_BYTES)

    def fly(self, seconds: float, parts_per_s: int) -> list[tuple[Any, Any]]:
        """Return the reports of some seconds: of the link, and of the tunnel's state."""
        found = []
        for _ in range(round(1000 * seconds)):
            self._ms += 1
            for way, other in (("up", "down"), ("down", "up")):
                if self._random.random() < self._hz[way] / 1000.0:
                    self._carry(way, 150, stream=False)
                due = self._ms * parts_per_s // 1000 - (self._ms - 1) * parts_per_s // 1000
                for _ in range(min(due, self._waiting[way])):
                    self._waiting[way] -= 1
                    self._carry(way, PART_BYTES + 50, stream=True)
                    self._acks[other] += 1.0 / PARTS_PER_ACK
                while self._acks[way] >= 1.0:
                    self._acks[way] -= 1.0
                    self._carry(way, 70, stream=True)
            if self._ms % 1000 == 1000 - round(1000 * REPORT_AGE_S):
                self._reported = self._ways["up"].view(self._ms / 1000.0)
            if self._ms % 1000 == 0 and self._reported is not None:
                found.append(self._messages())
        return found

    def _carry(self, way: str, size: int, stream: bool) -> None:
        if way == "up":
            self._sent += 1
            self._sent_streams += stream
        lost = self._random.random() < self.loss
        self._ways[way].carry(self._ms / 1000.0, size, lost, stream)

    def _messages(self) -> tuple[Any, Any]:
        now_s = self._ms / 1000.0
        stamp = SimpleNamespace(sec=1000 + self._ms // 1000, nanosec=0)
        report = SimpleNamespace(
            stamp=stamp,
            local=self._ways["down"].view(now_s),
            local_streams=self._ways["down"].streams,
            remote_valid=True,
            remote_age_s=REPORT_AGE_S,
            remote=self._reported,
            clock_valid=True,
            rtt_s=0.04,
            paths=[SimpleNamespace(link="udp", state="up", carries=True, rtt_s=0.0, loss=0.0)],
        )
        status = SimpleNamespace(
            stamp=stamp,
            encrypted=True,
            since_heard_s=0.02,
            traffic=SimpleNamespace(
                cipher_out_packets=self._sent, stream_out_packets=self._sent_streams
            ),
            drops=SimpleNamespace(**dict.fromkeys((*REASONS, "queue_full"), 0)),
        )
        return report, status


def learned(name: str) -> Detector:
    folder = find_model(name)
    if folder is None:
        pytest.skip(f"the package with the model {name} is not installed")
    return load_learned(folder)


DETECTORS = {
    "heuristic": Heuristic,
    "counters": Counters,
    "baseline": BaselineDetector,
    "trees": lambda: learned("trees"),
    "transformer": lambda: learned("transformer"),
}


def worst(advisor: Advisor, reports: list[tuple[Any, Any]]) -> tuple[Verdict, str]:
    """Return the worst verdict over reports, and the highest score with its evidence."""
    bins, state = TrafficBins(), AdvisorState()
    order, verdict, found = list(Verdict), Verdict.CLEAR, (0.0, "")
    for report, status in reports:
        for newest in (*bins.take_link(report), *bins.take_status(status)):
            state = advisor.judged(state, newest)
            verdict = max(verdict, state.verdict, key=order.index)
            if state.worst is not None:
                found = max(found, (state.worst[1].score, state.worst[1].evidence))
    return verdict, f"{found[0]:.2f}: {found[1]}"


def exchanged(suite: Suite, way: str, loss: float) -> list[tuple[Any, Any]]:
    """Return the reports of a flight in which a prekey comes one way, and two rekeys follow."""
    link = Link(loss=loss)
    other = "up" if way == "down" else "down"
    reports = link.fly(LEAD_S, PARTS_PER_S)
    link.send(way, suite.prekey_size)
    reports += link.fly(AFTER_S, PARTS_PER_S)
    for _ in range(2):
        link.send(other, suite.ciphertext_bytes + 128)
        link.send(way, suite.prekey_size)  # the next one
        reports += link.fly(AFTER_S, PARTS_PER_S)
    return reports


def advisor(*names: str) -> Advisor:
    return Advisor(detectors=[DETECTORS[name]() for name in names])


@pytest.mark.parametrize("suite", HEAVIEST, ids=lambda suite: suite.kem)
@pytest.mark.parametrize("way", ["down", "up"])
def test_fetched_keys_and_rekeys_are_no_attack_for_the_rules(suite: Suite, way: str) -> None:
    reports = exchanged(suite, way, loss=0.02)
    verdict, evidence = worst(advisor("heuristic", "counters", "baseline"), reports)
    assert verdict is Verdict.CLEAR, evidence


@pytest.mark.parametrize("name", ["trees", "transformer"])
def test_fetched_keys_and_rekeys_are_no_attack_for_a_learned_detector(name: str) -> None:
    largest = {suite.family: suite for suite in HEAVIEST}
    for suite in largest.values():
        verdict, evidence = worst(advisor(name), exchanged(suite, "down", loss=0.02))
        assert verdict is Verdict.CLEAR, evidence


@pytest.mark.parametrize("way", ["down", "up"])
def test_a_jammer_is_seen_behind_a_key_that_is_fetched(way: str) -> None:
    link = Link()
    reports = link.fly(LEAD_S, PARTS_PER_S)
    link.send(way, 10_000_000)
    link.loss = 0.75
    reports += link.fly(AFTER_S, PARTS_PER_S)
    assert worst(advisor("heuristic"), reports)[0] is Verdict.ATTACK


def test_a_bin_has_the_data_of_both_directions_without_the_streams() -> None:
    link, bins = Link(up_hz=50, down_hz=25), TrafficBins()
    reports = link.fly(10, PARTS_PER_S)
    link.send("down", 1_000_000)
    link.send("up", 500_000)
    reports += link.fly(AFTER_S, PARTS_PER_S)
    found = [b for pair in reports for b in (*bins.take_link(pair[0]), *bins.take_status(pair[1]))]
    ways = [way for newest in found[2:] for way in (newest.up, newest.down) if way is not None]
    assert len(ways) == 2 * len(found[2:])
    assert all(way.received == pytest.approx(way.sent, rel=0.05) for way in ways)
    # A bin that was complete before the first status with streams may have some.
    assert sum((way.sent or 0.0) > 50.0 for way in ways) <= 1


def test_reports_of_earlier_versions_count_streams_as_data() -> None:
    bins = TrafficBins()
    for report, status in exchanged(HEAVIEST[0], "down", loss=0.0):
        del report.local_streams
        del status.traffic.stream_out_packets
        assert all(one.up is not None for one in bins.take_link(report)[2:])
        bins.take_status(status)
