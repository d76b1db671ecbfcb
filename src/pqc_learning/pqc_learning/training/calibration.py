# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Calibration of class margins: one temperature, and a shift of each class, by likelihood."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.boosted_trees import softmax

_STEPS = 300
_RATE = 0.05


def calibrated(
    margins: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return scale and shift, for which softmax(margins * scale + shift) is most likely."""
    classes = margins.shape[1]
    truth = np.eye(classes)[labels]
    log_scale, shift = 0.0, np.zeros(classes)
    moments = np.zeros((2, classes + 1))
    for step in range(1, _STEPS + 1):
        scale = np.exp(log_scale)
        error = (softmax(margins * scale + shift) - truth) / len(margins)
        gradient = np.append(error.sum(axis=0), (error * margins).sum() * scale)
        moments[0] += 0.1 * (gradient - moments[0])
        moments[1] += 0.001 * (gradient**2 - moments[1])
        mean, square = moments[0] / (1 - 0.9**step), moments[1] / (1 - 0.999**step)
        change = _RATE * mean / (np.sqrt(square) + 1e-12)
        shift, log_scale = shift - change[:-1], log_scale - change[-1]
    return np.full(classes, np.exp(log_scale), np.float32), (shift - shift.mean()).astype(
        np.float32
    )


def expected_error(probability: NDArray[np.float64], happened: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten groups of probability."""
    group = np.minimum((probability * 10).astype(int), 9)
    total = 0.0
    for one in range(10):
        inside = group == one
        if inside.any():
            total += inside.mean() * abs(probability[inside].mean() - happened[inside].mean())
    return float(total)
