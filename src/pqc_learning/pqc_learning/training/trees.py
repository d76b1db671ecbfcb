# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the boosted trees over 5 bins."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xgboost
from numpy.typing import NDArray
from pqc_policy.sensing.boosted_trees import (
    CALIBRATION,
    DEPTH,
    TREE,
    BoostedTrees,
    softmax,
    statistics,
)

from pqc_learning.data.dataset import Track, windows
from pqc_learning.data.episodes import CLASSES, UNSURE
from pqc_learning.data.recording import BIN_S
from pqc_learning.training.calibration import calibrated

BINS = 5
_PARAMETERS: dict[str, Any] = {
    "objective": "multi:softprob",
    "num_class": len(CLASSES),
    "max_depth": DEPTH,
    "eta": 0.2,
    "subsample": 0.5,
    "colsample_bytree": 0.5,
    "min_child_weight": 5.0,
    "lambda": 2.0,
    "tree_method": "hist",
    "max_bin": 64,
    "nthread": 2,
    "base_score": 0.0,
}
# Share of the weight of all bins. What creeps is detected late anyway, and must not cost alarms.
_SHARES = {"normal": 0.5, "volumetric": 0.13, "jamming": 0.13, "timing": 0.08, "protocol": 0.12}
_SHARES["creeping"] = 0.04
# The first bins of an attack decide when it is detected, look-alikes whether alarms are false.
_ONSET_S, _ONSET, _LOOKALIKE = 5.0, 3.0, 1.5
# Bins far from any episode are all alike: so many of them are used, with more weight.
_KEPT_CALM = 0.3
_NEAR_S = 6.0


def train_trees(training: list[Track], validation: list[Track], seed: int, rounds: int) -> bytes:
    """Return the file of the calibrated model after so many rounds of a tree for each class."""
    columns, labels, weights = _examples(training, seed)
    data = xgboost.DMatrix(columns, labels, weight=weights)
    del columns
    held_columns, held_labels = _table(validation)
    held = xgboost.DMatrix(held_columns, held_labels)
    booster = xgboost.train(_PARAMETERS | {"seed": seed}, data, rounds)
    margins = booster.predict(held, output_margin=True).astype(np.float64)
    scale, shift = calibrated(margins, held_labels)
    calibration = np.array([(scale, shift)], dtype=CALIBRATION)
    content = calibration.tobytes() + tree_table(booster.save_raw("json")).tobytes()
    _verify(content, validation, softmax(margins * scale + shift))
    return content


def _table(tracks: list[Track]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return what the trees see of all windows whose class is sure, and the classes."""
    columns, labels = [], []
    for track in tracks:
        sure = _sure(track)
        columns.append(statistics(windows(track.features, BINS)[sure]))
        labels.append(track.labels[sure])
    return np.concatenate(columns), np.concatenate(labels).astype(np.int64)


def _examples(
    tracks: list[Track], seed: int
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]]:
    """Return the same of the windows to learn from, and their weights."""
    rng = np.random.default_rng(seed)
    columns, labels, weights = [], [], []
    for track in tracks:
        weight, near = _weighed(track)
        calm = (track.labels == 0) & ~near
        weight[calm] /= _KEPT_CALM
        used = _sure(track) & ~(calm & (rng.random(len(calm)) > _KEPT_CALM))
        columns.append(statistics(windows(track.features, BINS)[used]))
        labels.append(track.labels[used])
        weights.append(weight[used])
    classes = np.concatenate(labels).astype(np.int64)
    weight = np.concatenate(weights)
    sums = np.bincount(classes, weight, minlength=len(CLASSES))
    shares = np.array([_SHARES[name] for name in CLASSES])
    factors = shares / np.maximum(sums, 1.0) * len(classes)
    return np.concatenate(columns), classes, weight * factors[classes]


def _sure(track: Track) -> NDArray[np.bool_]:
    sure = track.labels != UNSURE
    sure[: BINS - 1] = False  # the detector waits for a whole window
    return sure


def _weighed(track: Track) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the weight of each bin within its class, and which are near an episode."""
    start_s = track.flight.start_s
    weight, near = np.ones(len(start_s)), np.zeros(len(start_s), dtype=bool)
    for one in track.flight.episodes:
        here = (start_s >= one.start_s - 1.0) & (start_s < one.end_s + _NEAR_S)
        near |= here
        if one.is_attack:
            shown_s = one.start_s if one.shown_s is None else one.shown_s
            weight[(start_s >= shown_s - BIN_S) & (start_s < shown_s + _ONSET_S)] *= _ONSET
        else:
            weight[here & (track.labels == 0)] *= _LOOKALIKE
    return weight, near


def tree_table(saved: bytes | bytearray) -> NDArray[np.void]:
    """Return the trees that xgboost has saved as JSON, of the type TREE."""
    model = json.loads(saved)["learner"]["gradient_booster"]["model"]
    if model["tree_info"] != [number % len(CLASSES) for number in range(len(model["trees"]))]:
        raise ValueError("The trees are not one for each class in turn.")
    table = np.zeros(len(model["trees"]), dtype=TREE)
    for row, tree in zip(table, model["trees"], strict=True):
        _fill(row, tree, 0, 0)
    return table


def _fill(row: np.void, tree: dict[str, Any], node: int, place: int) -> None:
    """Copy a node of a tree, and all below it, to a place of the full tree."""
    left = tree["left_children"][node]
    # xgboost saves the value of a leaf as its split condition.
    value = tree["split_conditions"][node]
    inner = len(row["bound"])
    if place >= inner:
        row["leaf"][place - inner] = value
        return
    children = (left, tree["right_children"][node])
    if left == -1:
        children = (node, node)  # a leaf above the last level stands on both sides
    else:
        row["statistic"][place] = tree["split_indices"][node]
        row["bound"][place] = value
        row["unknown_left"][place] = tree["default_left"][node]
    for side, child in enumerate(children, 1):
        _fill(row, tree, child, 2 * place + side)


def _verify(content: bytes, tracks: list[Track], expected: NDArray[np.float64]) -> None:
    """Raise ValueError if the model gives other probabilities than what was trained."""
    given, done = [], 0
    for track in tracks:
        given.append(windows(track.features, BINS)[_sure(track)])
        done += len(given[-1])
        if done > 5000:
            break
    found = BoostedTrees("trees", BINS, content).probabilities(np.concatenate(given))
    worst = float(np.abs(found - expected[: len(found)]).max())
    if worst > 1e-3:
        raise ValueError(f"The file of the trees differs from the trees by {worst:.2g}.")
