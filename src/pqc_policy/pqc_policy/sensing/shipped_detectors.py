# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The entry points of this package's learned detectors, with the default parameters."""

from __future__ import annotations

from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.learned_detector import LearnedDetector, load_learned
from pqc_policy.sensing.model_folder import find_model


def trees() -> LearnedDetector:
    """Return the boosted trees; raise DetectorFault without their model."""
    return _shipped("trees")


def transformer() -> LearnedDetector:
    """Return the time-series transformer; raise DetectorFault without its model."""
    return _shipped("transformer")


def _shipped(name: str) -> LearnedDetector:
    folder = find_model(name)
    if folder is None:
        raise DetectorFault(f"The model {name} is not installed.")
    return load_learned(folder)
