# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Detects jamming and flooding of the link from the packets counted in short bins.

Measured on a radio link: about 32 packets in a bin of 0.6 s in normal flight, 5 to 14 under attack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from pqc_policy.parameters import parameter
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.detectors import Detector, Heuristic


@dataclass(frozen=True)
class AdvisorConfig:
    """When a verdict changes."""

    bin_s: float = parameter(
        0.6, "Length of a bin in which packets are counted.", "s", 0.05, 60.0, section="Counting"
    )
    longest_gap_s: float = parameter(
        60.0, "Time between two readings after which the bins start again.", "s", 1.0, 600.0
    )
    normal_packets: float = parameter(
        0.0, "Packets in a normal bin; 0: learned.", "", 0.0, 1e6, section="Verdicts"
    )
    learning_bins: int = parameter(
        50,
        "Bins from which the normal number of packets is learned, and how far back they reach.",
        "",
        1,
        100000,
    )
    suspicious_score: float = parameter(
        0.5, "Score from which the traffic is suspicious.", "", 0.01, 1.0
    )
    attack_score: float = parameter(0.9, "Score from which it is an attack.", "", 0.01, 1.0)
    raise_bins: int = parameter(3, "Bins in a row for a verdict to get worse.", "", 1, 1000)
    clear_bins: int = parameter(
        10, "Bins in a row for a verdict to get better by one step.", "", 1, 10000
    )


@dataclass(frozen=True, slots=True)
class AdvisorState:
    """The state between bins."""

    open_bin: int | None = None  # number of the bin being filled
    filled: float = 0.0
    last: tuple[float, int] | None = None  # time in s, packets counted until then
    usual: tuple[float, ...] = ()  # bins that the normal number is learned from
    recent: tuple[float, ...] = ()
    verdict: Verdict = Verdict.CLEAR
    score: float | None = None  # None: not enough bins yet
    detector: str = ""  # the detector with that score
    worse: int = 0
    better: int = 0


_SEVERITY = (Verdict.CLEAR, Verdict.SUSPICIOUS, Verdict.ATTACK)


class Advisor:
    """Judges a growing count of packets; the caller keeps the state."""

    def __init__(
        self, config: AdvisorConfig | None = None, detectors: Sequence[Detector] = (Heuristic(),)
    ) -> None:
        self.config = config if config is not None else AdvisorConfig()
        self.detectors = tuple(detectors)
        self._kept = max(detector.bins for detector in self.detectors)

    def counted(self, state: AdvisorState, time_s: float, packets: int) -> AdvisorState:
        """Return the state after a reading of the tunnel's packet counter.

        Packets between two readings are spread evenly over that time. The bins start again when
        the counter or the clock goes backwards, and after a long gap.
        """
        bin_s = self.config.bin_s
        if (
            state.last is None
            or time_s < state.last[0]
            or time_s - state.last[0] > self.config.longest_gap_s
            or packets < state.last[1]
        ):
            fresh = replace(state, open_bin=None, filled=0.0, recent=())
            return replace(fresh, last=(time_s, packets))
        before_s, before = state.last
        if time_s == before_s:
            return state
        rate = (packets - before) / (time_s - before_s)
        at_s, number = before_s, state.open_bin
        while True:
            if number is None:
                # Start with a whole bin.
                number = int(before_s // bin_s) + 1
                at_s = number * bin_s
                if at_s >= time_s:
                    return replace(state, last=(time_s, packets))
            end_s = (number + 1) * bin_s
            filled = state.filled + rate * max(min(end_s, time_s) - at_s, 0.0)
            if end_s > time_s:
                return replace(state, open_bin=number, filled=filled, last=(time_s, packets))
            state = self.judged(replace(state, filled=0.0), filled)
            at_s, number = end_s, number + 1

    def judged(self, state: AdvisorState, packets: float) -> AdvisorState:
        """Return the state after another complete bin."""
        recent = (*state.recent, packets)[-self._kept :]
        state = replace(state, recent=recent)
        normal = self.normal(state)
        scores = [
            (detector.score(recent[-detector.bins :], normal), detector.name)
            for detector in self.detectors
            if normal is not None and len(recent) >= detector.bins
        ]
        score, name = max(scores, key=lambda scored: scored[0]) if scores else (None, "")
        state = replace(self._with_score(state, score), detector=name)
        # Bins that look like an attack must not change the normal number of packets.
        if state.verdict is Verdict.CLEAR and (state.score or 0.0) < self.config.suspicious_score:
            usual = (*state.usual, packets)[-self.config.learning_bins :]
            state = replace(state, usual=usual)
        return state

    def normal(self, state: AdvisorState) -> float | None:
        """Return the packets of a normal bin; None if that is not known yet."""
        if self.config.normal_packets:
            return self.config.normal_packets
        if len(state.usual) < self.config.learning_bins:
            return None
        usual = median(state.usual)
        return usual if usual > 0.0 else None

    def _with_score(self, state: AdvisorState, score: float | None) -> AdvisorState:
        if score is None:
            return replace(state, score=None)
        wanted = (score >= self.config.suspicious_score) + (score >= self.config.attack_score)
        level = _SEVERITY.index(state.verdict)
        worse = state.worse + 1 if wanted > level else 0
        better = state.better + 1 if wanted < level else 0
        if worse >= self.config.raise_bins or better >= self.config.clear_bins:
            # A verdict gets worse at once, and better one step at a time.
            level, worse, better = max(wanted, level - 1), 0, 0
        return replace(state, score=score, verdict=_SEVERITY[level], worse=worse, better=better)
