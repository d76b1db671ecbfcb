# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds detectors by name among the entry points.

An entry point of the group pqc_policy.detectors names a function without arguments, a class for
instance, that returns a Detector of the entry point's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from pqc_policy.foreign_fault import sentence
from pqc_policy.plugins import load_plugin
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.detectors.finding import Finding
from pqc_policy.sensing.detectors.heuristic import Detector
from pqc_policy.sensing.traffic.bins import Bin
from pqc_policy.sensing.traffic.usual_traffic import Usual

DETECTOR_GROUP = "pqc_policy.detectors"


class _Guarded:
    """A foreign detector: a failure of it is a doubt, and does not end the advisor."""

    def __init__(self, detector: Detector, name: str) -> None:
        self._detector = detector
        self.name, self.bins = name, int(detector.bins)

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
        """Return what it finds; a doubt if it fails, or gives something else."""
        try:
            found = self._detector.judge(bins, usual)
            return None if found is None else _plain(found)
        except Exception as fault:  # whatever a foreign package raises
            return Finding(nan, doubt=f"The detector {self.name} fails: {sentence(fault)}")


def load_detector(name: str) -> Detector:
    """Return a detector of another package; raise DetectorFault if there is none that works."""
    make = load_plugin(DETECTOR_GROUP, "detector", name, DetectorFault)
    try:
        detector = make()
        if isinstance(detector, Detector) and detector.name == name and detector.bins >= 1:
            return _Guarded(detector, name)
    except DetectorFault:
        raise
    except Exception as fault:  # whatever a foreign package raises
        raise DetectorFault(f"The detector {name} can't be loaded: {sentence(fault)}") from fault
    raise DetectorFault(f"The entry point {name} makes no detector of that name.")


def _plain(found: Finding) -> Finding:
    """Return the finding with members of the types that a message has."""
    return Finding(
        float(found.score),
        str(found.kind),
        str(found.evidence),
        None if found.probability is None else float(found.probability),
        str(found.doubt),
        None if found.drift is None else float(found.drift),
    )
