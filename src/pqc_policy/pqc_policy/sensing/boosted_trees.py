# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Boosted trees that tell attacks from normal traffic.

A model's file has the calibration, scale and shift of each class, and then the trees, one for each
class in turn; all numbers are little-endian. Every tree has the depth DEPTH. Its inner nodes are
numbered level by level from the left: the children of node n are 2 n + 1 and 2 n + 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.model_card import CLASSES
from pqc_policy.sensing.traffic.features import FEATURES

DEPTH = 6
_INNER = 2**DEPTH - 1
TREE = np.dtype(
    [
        ("statistic", "<u2", (_INNER,)),  # number of the statistic that a node compares
        ("bound", "<f4", (_INNER,)),  # a statistic below it leads to the left child
        ("unknown_left", "u1", (_INNER,)),  # whether an unknown statistic does
        ("leaf", "<f4", (_INNER + 1,)),  # what the tree adds to the margin of its class
    ]
)
CALIBRATION = np.dtype([("scale", "<f4", (len(CLASSES),)), ("shift", "<f4", (len(CLASSES),))])
LEVELS = [
    index
    for index, name in enumerate(FEATURES)
    if name.endswith(("_sent", "_received", "_size")) and not name.startswith("dropped")
]
_SHARES = [index for index in range(len(FEATURES)) if index not in LEVELS]
# The trees see this of a window. Features that are absolute levels count by their change within the
# window alone, so that the rate of a link says nothing.
STATISTICS: tuple[str, ...] = (
    *(
        f"{statistic} {FEATURES[index]}"
        for statistic in ("last", "mean", "least", "most")
        for index in _SHARES
    ),
    *(f"{statistic} {FEATURES[index]}" for statistic in ("rise", "range") for index in LEVELS),
)


class BoostedTrees:
    def __init__(self, name: str, bins: int, content: bytes) -> None:
        """Read a model's file; raise DetectorFault if it is not as it must be.

        The trees take windows of any number of bins.
        """
        turn = len(CLASSES) * TREE.itemsize
        size = len(content) - CALIBRATION.itemsize
        if size < turn or size % turn:
            raise DetectorFault(f"The model {name} has not the size of whole trees.")
        (calibration,) = np.frombuffer(content, CALIBRATION, count=1)
        trees = np.frombuffer(content, TREE, offset=CALIBRATION.itemsize)
        if trees["statistic"].max() >= len(STATISTICS):
            raise DetectorFault(f"The model {name} compares a statistic that does not exist.")
        numbers = (*calibration, trees["bound"], trees["leaf"])
        if not all(np.isfinite(each).all() for each in numbers):
            raise DetectorFault(f"The model {name} has a number that is not finite.")
        self._scale, self._shift = calibration
        self._trees = trees

    def probabilities(self, windows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probabilities of windows; shape (N, bins, F) to (N, classes)."""
        seen = statistics(windows)
        row, tree = np.arange(len(seen))[:, np.newaxis], np.arange(len(self._trees))
        node = np.zeros((len(seen), len(tree)), dtype=np.intp)
        for _ in range(DEPTH):
            value = seen[row, self._trees["statistic"][tree, node]]
            left = np.where(
                np.isnan(value),
                self._trees["unknown_left"][tree, node] != 0,
                value < self._trees["bound"][tree, node],
            )
            node = 2 * node + np.where(left, 1, 2)
        leaves = self._trees["leaf"][tree, node - _INNER].astype(np.float64)
        margins = leaves.reshape(len(seen), -1, len(CLASSES)).sum(axis=1)
        return softmax(margins * self._scale + self._shift)


def softmax(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of margins; shape (N, classes)."""
    raised = np.exp(margins - margins.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def statistics(windows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what trees see of windows, NaN if unknown; (N, bins, F) to (N, len(STATISTICS))."""
    known = ~np.isnan(windows)
    count = known.sum(axis=1, dtype=np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, windows, np.float32(0.0)).sum(axis=1) / count
    nothing, far = np.float32(np.nan), np.float32(np.inf)
    least = np.where(count > 0, np.where(known, windows, far).min(axis=1), nothing)
    most = np.where(count > 0, np.where(known, windows, -far).max(axis=1), nothing)
    last = windows[:, -1]
    parts = [part[:, _SHARES] for part in (last, mean, least, most)]
    parts += [(last - mean)[:, LEVELS], (most - least)[:, LEVELS]]
    return np.concatenate(parts, axis=1)
