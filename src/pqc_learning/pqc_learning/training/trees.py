# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the boosted trees over 5 bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import xgboost
from numpy.typing import NDArray

from pqc_learning.data.dataset import Track, windows
from pqc_learning.data.episodes import CLASSES, UNSURE
from pqc_learning.training.calibration import calibrated
from pqc_learning.training.tree_graph import tree_graph
from pqc_learning.training.window_statistics import statistics

BINS = 5
_PARAMETERS: dict[str, Any] = {
    "objective": "multi:softprob",
    "num_class": len(CLASSES),
    "max_depth": 6,
    "eta": 0.2,
    "subsample": 0.5,
    "colsample_bytree": 0.5,
    "min_child_weight": 10.0,
    "lambda": 2.0,
    "tree_method": "hist",
    "max_bin": 64,
    "nthread": 2,
    "base_score": 0.0,
}
_ROUNDS = 130


def train_trees(training: list[Track], validation: list[Track], seed: int) -> onnx.ModelProto:
    """Return the calibrated model."""
    columns, labels = _table(training)
    weights = _weights(labels)
    data = xgboost.DMatrix(columns, labels, weight=weights)
    held_columns, held_labels = _table(validation)
    held = xgboost.DMatrix(held_columns, held_labels)
    booster = xgboost.train(_PARAMETERS | {"seed": seed}, data, _ROUNDS)
    margins = booster.predict(held, output_margin=True).astype(np.float64)
    scale, shift = calibrated(margins, held_labels)
    model = tree_graph(booster, BINS, len(CLASSES), scale, shift)
    _verify(model, validation, margins, scale, shift)
    return model


def _table(tracks: list[Track]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    columns, labels = [], []
    for track in tracks:
        sure = track.labels != UNSURE
        sure[: BINS - 1] = False  # the detector waits for a whole window
        columns.append(statistics(windows(track.features, BINS)[sure]))
        labels.append(track.labels[sure])
    return np.concatenate(columns), np.concatenate(labels).astype(np.int64)


def _weights(labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return weights with which each class of attack counts alike, and normal as much as all."""
    counts = np.bincount(labels, minlength=len(CLASSES)).astype(np.float64)
    share = np.array([0.5, *[0.5 / (len(CLASSES) - 1)] * (len(CLASSES) - 1)])
    return (share / np.maximum(counts, 1.0) * len(labels))[labels]


def _verify(
    model: onnx.ModelProto,
    tracks: list[Track],
    margins: NDArray[np.float64],
    scale: NDArray[np.float32],
    shift: NDArray[np.float32],
) -> None:
    """Raise ValueError if the graph computes something else than what was trained."""
    import onnxruntime

    from pqc_learning.training.calibration import softmax

    session = onnxruntime.InferenceSession(model.SerializeToString())
    given, done = [], 0
    for track in tracks:
        sure = track.labels != UNSURE
        sure[: BINS - 1] = False
        given.append(windows(track.features, BINS)[sure])
        done += len(given[-1])
        if done > 5000:
            break
    found = session.run(None, {"features": np.concatenate(given)})[0]
    expected = softmax(margins[: len(found)] * scale + shift)
    worst = float(np.abs(found - expected).max())
    if worst > 1e-3:
        raise ValueError(f"The graph of the trees differs from the trees by {worst:.2g}.")
