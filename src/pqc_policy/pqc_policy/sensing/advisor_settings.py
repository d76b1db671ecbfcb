# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the advisor node, and the advisor that they describe."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from pqc_policy.parameters import group, parameter
from pqc_policy.sensing.detector_plugins import load_detector
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorConfig
from pqc_policy.sensing.detectors.baseline_detector import BaselineDetector
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.detectors.heuristic import Counters, Detector, Heuristic
from pqc_policy.sensing.learned_detector import LearnedSettings, load_learned
from pqc_policy.sensing.model_folder import find_model

STALE_S = 3.0  # without a reading, after which no verdict is published


@dataclass(frozen=True)
class AdvisorSettings:
    """All parameters of the advisor node; a detector's field has the name of the detector."""

    config: AdvisorConfig = group(AdvisorConfig)
    detector: str = parameter(
        "trees",
        "Detector of attacks: trees, heuristic, transformer, a model of learned.model_dir, or an "
        "entry point of pqc_policy.detectors; heuristic takes the place of one that is missing.",
    )
    further_detectors: tuple[str, ...] = parameter(
        ("counters", "baseline"),
        "Detectors beside it, of which the highest score counts.",
    )
    heuristic: Heuristic = field(default_factory=Heuristic)
    counters: Counters = field(default_factory=Counters)
    baseline: BaselineDetector = field(default_factory=BaselineDetector)
    learned: LearnedSettings = group(LearnedSettings, "learned.")
    period_s: float = parameter(
        1.0, "Time between messages.", "s", 0.1, 60.0, live=False, section="Publishing"
    )

    def find_detectors(self) -> tuple[tuple[Detector, ...], tuple[str, ...]]:
        """Return the named detectors, and a sentence for each that is missing.

        The heuristic takes the place of missing ones, and of the baseline, which sees no more.
        """
        found: dict[str, Detector] = {}
        faults = []
        for name in dict.fromkeys((self.detector, *self.further_detectors)):
            try:
                found[name] = self._find(name)
            except DetectorFault as fault:
                faults.append(str(fault))
        if faults and self.heuristic.name not in found:
            found = {self.heuristic.name: self.heuristic, **found}
        if self.heuristic.name in found:
            found.pop(self.baseline.name, None)
        return tuple(found.values()), tuple(faults)

    def make_advisor(self) -> tuple[Advisor, tuple[str, ...]]:
        """Return the advisor, and a sentence for each named detector that is missing."""
        detectors, faults = self.find_detectors()
        alone = self.heuristic not in detectors
        return Advisor(self.config, detectors, self.heuristic if alone else None), faults

    def _find(self, name: str) -> Detector:
        """Return a detector by its name; raise DetectorFault if it is missing or refused."""
        baseline = replace(self.baseline, heuristic=self.heuristic, most=self.config.attack_score)
        for own in (self.heuristic, self.counters, baseline):
            if own.name == name:
                return own
        model_dir = Path(self.learned.model_dir) if self.learned.model_dir else None
        folder = find_model(name, model_dir)
        if folder is None:
            return load_detector(name)
        return load_learned(folder, self.learned, self.config.attack_score)
