# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Detects jamming, forging and flooding of the link from its traffic, counted in short bins.

Measured on a radio link: about 32 packets in a bin of 0.6 s in normal flight, 5 to 14 under attack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from operator import attrgetter

from pqc_policy.parameters import parameter
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.detectors.finding import SUSPICIOUS, Finding
from pqc_policy.sensing.detectors.heuristic import Counters, Detector, Heuristic
from pqc_policy.sensing.traffic.bins import Bin
from pqc_policy.sensing.traffic.usual_traffic import UsualTraffic


@dataclass(frozen=True)
class AdvisorConfig:
    """The conditions on which a verdict changes."""

    suspicious_score: float = SUSPICIOUS  # from which the traffic is suspicious
    attack_score: float = parameter(
        0.9, "Score from which the traffic is an attack.", "", 0.5, 1.0, section="Verdicts"
    )
    raise_bins: int = 3  # in a row for a verdict to get worse
    clear_bins: int = 10  # in a row for a verdict to get better by one step


@dataclass(frozen=True, slots=True)
class AdvisorState:
    recent: tuple[Bin, ...] = ()
    usual: UsualTraffic = field(default_factory=UsualTraffic)
    verdict: Verdict = Verdict.CLEAR
    findings: tuple[tuple[str, Finding], ...] = ()  # of each detector, by name
    doubts: tuple[str, ...] = ()  # why a finding must not be relied on alone, sentences
    drift: float | None = None  # the largest that a detector has seen
    attack_class: str = ""  # that the verdict stands for, while it is an attack
    worse: int = 0
    better: int = 0

    @property
    def worst(self) -> tuple[str, Finding] | None:
        """The detector with the highest score, and its finding; None without a score."""
        return max(self.findings, key=lambda found: found[1].score, default=None)

    @property
    def score(self) -> float | None:
        """The highest score; None if no detector can tell."""
        worst = self.worst
        return None if worst is None else worst[1].score


_SCORE = attrgetter("score")
_SEVERITY = (Verdict.CLEAR, Verdict.SUSPICIOUS, Verdict.ATTACK)


class Advisor:
    """Judges bins of traffic; the caller keeps the state."""

    def __init__(
        self,
        config: AdvisorConfig | None = None,
        detectors: Sequence[Detector] = (Heuristic(), Counters()),
        stand_in: Detector | None = None,
    ) -> None:
        """Judge by the detectors, the highest score counts.

        While the first one can't tell, or any of them is in doubt, the stand-in judges beside them.
        """
        self.config = config if config is not None else AdvisorConfig()
        self.detectors = tuple(detectors)
        self.stand_in = stand_in
        everyone = (*self.detectors, *([stand_in] if stand_in is not None else []))
        self._kept = max(detector.bins for detector in everyone)

    def judged(self, state: AdvisorState, newest: Bin) -> AdvisorState:
        """Return the state after another complete bin."""
        recent = (*state.recent, newest)[-self._kept :]
        usual = state.usual.known()
        judged = [(one, one.judge(recent[-one.bins :], usual)) for one in self.detectors]
        doubts = tuple(found.doubt for _, found in judged if found is not None and found.doubt)
        if self.stand_in is not None and (doubts or judged[0][1] is None):
            one = self.stand_in
            judged.append((one, one.judge(recent[-one.bins :], usual)))
        findings = [
            (one.name, _bounded(found))
            for one, found in judged
            if found is not None and isfinite(found.score)
        ]
        drifts = [found.drift for _, found in judged if found and found.drift is not None]
        worst = max((found for _, found in findings), key=_SCORE, default=None)
        verdict, worse, better = self._verdict(state, worst)
        # Bins that look like an attack must not become normal.
        calm = verdict is Verdict.CLEAR
        calm = calm and (worst is None or worst.score < self.config.suspicious_score)
        return AdvisorState(
            recent=recent,
            usual=state.usual.learned(newest, calm=calm),
            verdict=verdict,
            findings=tuple(findings),
            doubts=doubts,
            drift=max(drifts, default=None),
            attack_class=self._attack_class(state.attack_class, verdict, worst),
            worse=worse,
            better=better,
        )

    def _attack_class(self, before: str, verdict: Verdict, worst: Finding | None) -> str:
        """Return the class of an attack, the newest one whose score was that of an attack."""
        if verdict is not Verdict.ATTACK:
            return ""
        if worst is None or worst.score < self.config.attack_score:
            return before
        return str(worst.kind)

    def _verdict(self, state: AdvisorState, worst: Finding | None) -> tuple[Verdict, int, int]:
        """Return the new verdict, and how many bins in a row speak for a worse or better one."""
        if worst is None:
            return state.verdict, state.worse, state.better
        score = worst.score
        wanted = (score >= self.config.suspicious_score) + (score >= self.config.attack_score)
        level = _SEVERITY.index(state.verdict)
        worse = state.worse + 1 if wanted > level else 0
        better = state.better + 1 if wanted < level else 0
        if worse >= self.config.raise_bins or better >= self.config.clear_bins:
            # A verdict gets worse at once, and better one step at a time.
            level, worse, better = max(wanted, level - 1), 0, 0
        return _SEVERITY[level], worse, better


def _bounded(found: Finding) -> Finding:
    score = min(max(found.score, 0.0), 1.0)
    return found if score == found.score else replace(found, score=score)
