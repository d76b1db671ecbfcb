# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finds detectors by name among the entry points.

An entry point of the group pqc_policy.detectors names a function without arguments, a class for
instance, that returns a Detector of the entry point's name.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from pqc_policy.sensing.detector_fault import DetectorFault
from pqc_policy.sensing.detectors import Detector

DETECTOR_GROUP = "pqc_policy.detectors"


def load_detector(name: str) -> Detector:
    """Return a detector of another package; raise DetectorFault if there is none that works."""
    found = tuple(entry_points(group=DETECTOR_GROUP, name=name))
    if not found:
        raise DetectorFault(f"There is no detector {name}.")
    try:
        detector = found[0].load()()
    except DetectorFault:
        raise
    except Exception as fault:  # whatever a foreign package raises
        raise DetectorFault(f"The detector {name} can't be loaded: {fault}.") from fault
    if not isinstance(detector, Detector) or detector.name != name or detector.bins < 1:
        raise DetectorFault(f"The entry point {name} makes no detector of that name.")
    return detector
