# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the advisor node, and the advisor that they describe."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_policy.parameters import ParameterFault, group, parameter
from pqc_policy.sensing.advisor import Advisor, AdvisorConfig
from pqc_policy.sensing.detector_plugins import DetectorFault, load_detector
from pqc_policy.sensing.detectors import Counters, Detector, Heuristic
from pqc_policy.sensing.traffic import TrafficBins
from pqc_policy.sensing.usual_traffic import UsualConfig


@dataclass(frozen=True)
class AdvisorSettings:
    """All parameters of the advisor node; a detector's field has the name of the detector."""

    config: AdvisorConfig = group(AdvisorConfig)
    detectors: tuple[str, ...] = parameter(
        ("heuristic", "counters"),
        "Detectors to use, the highest score counts: heuristic, counters, or entry points of "
        "pqc_policy.detectors.",
        section="Verdicts",
    )
    usual: UsualConfig = group(UsualConfig)
    heuristic: Heuristic = group(Heuristic, "heuristic.")
    counters: Counters = group(Counters, "counters.")
    stale_s: float = parameter(
        3.0,
        "Time without a reading after which nothing is published.",
        "s",
        0.1,
        600.0,
        section="Publishing",
    )
    period_s: float = parameter(1.0, "Time between messages.", "s", 0.1, 60.0, live=False)

    def __post_init__(self) -> None:
        """Raise ParameterFault for values that don't fit together."""
        if self.config.suspicious_score > self.config.attack_score:
            raise ParameterFault("suspicious_score must not be above attack_score.")
        if not self.detectors:
            raise ParameterFault("detectors is empty, but must name at least one.")

    def find_detectors(self) -> tuple[tuple[Detector, ...], tuple[str, ...]]:
        """Return the named detectors, and a sentence for each that is missing.

        The heuristic takes the place of missing ones.
        """
        found: dict[str, Detector] = {}
        faults = []
        for name in self.detectors:
            try:
                found[name] = self._own(name) or load_detector(name)
            except DetectorFault as fault:
                faults.append(str(fault))
        if faults:
            found.setdefault(self.heuristic.name, self.heuristic)
        return tuple(found.values()), tuple(faults)

    def make_advisor(self) -> tuple[Advisor, tuple[str, ...]]:
        """Return the advisor, and a sentence for each named detector that is missing."""
        detectors, faults = self.find_detectors()
        return Advisor(self.config, detectors, self.usual), faults

    def make_bins(self) -> TrafficBins:
        """Return the counting of the traffic, at its start."""
        return TrafficBins(self.config.bin_s, self.config.longest_gap_s)

    def _own(self, name: str) -> Detector | None:
        return {own.name: own for own in (self.heuristic, self.counters)}.get(name)
