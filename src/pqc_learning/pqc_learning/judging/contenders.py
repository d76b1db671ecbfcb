# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The detectors that are compared, each as the advisor would run it."""

from __future__ import annotations

from pqc_policy.sensing.detectors.baseline_detector import BaselineDetector
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.detectors.heuristic import Counters, Detector, Heuristic
from pqc_policy.sensing.learned_detector import load_learned
from pqc_policy.sensing.model_folder import find_model

HEURISTIC, RULES = "heuristic", "heuristic+counters"
TREES, SHIPPED, TRANSFORMER = "trees", "trees+counters+baseline", "transformer"
NAMES = (HEURISTIC, RULES, TREES, SHIPPED, TRANSFORMER)
_FURTHER: dict[str, Detector] = {one.name: one for one in (Counters(), BaselineDetector())}


def make_detectors(name: str) -> tuple[Detector, ...]:
    """Return the detectors of a contender; raise DetectorFault if one can't be used.

    The name of any other model works, too.
    """
    first, *others = name.split("+")
    found: list[Detector] = [Heuristic() if first == HEURISTIC else _learned(first)]
    for other in others:
        if other not in _FURTHER:
            raise DetectorFault(f"There is no further detector {other}.")
        found.append(_FURTHER[other])
    return tuple(found)


def _learned(name: str) -> Detector:
    folder = find_model(name)
    if folder is None:
        raise DetectorFault(f"There is no model {name}.")
    return load_learned(folder)
