# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of boosted trees gives the probabilities that other programs give."""

from __future__ import annotations

import numpy as np
import pytest
import tiny_models
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pqc_policy.sensing.boosted_trees import (
    CALIBRATION,
    DEPTH,
    STATISTICS,
    TREE,
    BoostedTrees,
    statistics,
)
from pqc_policy.sensing.learned_detector import load_learned
from pqc_policy.sensing.model_card import CLASSES
from pqc_policy.sensing.model_folder import find_model
from pqc_policy.sensing.traffic.features import FEATURES

# onnxruntime 1.32.0 gives this for the shipped trees and the windows of `windows`.
EXPECTED = (
    (0.1452068, 0.6107047, 0.0257600, 0.1774027, 0.0123764, 0.0285495),
    (0.0461597, 0.2476490, 0.0268690, 0.6616417, 0.0009356, 0.0167450),
    (0.0661915, 0.0113760, 0.0379618, 0.8620332, 0.0092778, 0.0131597),
    (0.1967883, 0.0115190, 0.0162170, 0.6556454, 0.0309431, 0.0888872),
    (0.0353684, 0.3726912, 0.0271176, 0.5363098, 0.0053510, 0.0231620),
    (0.4039195, 0.0092409, 0.0031775, 0.5262724, 0.0153898, 0.0419998),
    (0.3390667, 0.1087311, 0.0225963, 0.4474908, 0.0598660, 0.0222491),
    (0.3007748, 0.1264401, 0.0384828, 0.5159255, 0.0040414, 0.0143353),
)


def windows(low: np.ndarray, high: np.ndarray, count: int = 8) -> np.ndarray:
    """Return windows within the usual ranges, one value of ten unknown."""
    rng = np.random.default_rng(7)
    shape = (count, tiny_models.BINS, len(FEATURES))
    values = rng.uniform(np.maximum(low, -9.0), np.minimum(high, 9.0), shape)
    return np.where(rng.random(shape) < 0.1, np.nan, values).astype(np.float32)


def test_the_shipped_trees_give_what_another_program_gives() -> None:
    folder = find_model("trees")
    assert folder is not None
    card = load_learned(folder).card
    trees = BoostedTrees("trees", card.bins, (folder / "model.bin").read_bytes())
    found = trees.probabilities(windows(np.array(card.low), np.array(card.high)))
    assert found == pytest.approx(np.array(EXPECTED), abs=1e-6)


def walked(tree: np.void, seen: np.ndarray) -> float:
    node = 0
    for _ in range(DEPTH):
        value = seen[tree["statistic"][node]]
        left = tree["unknown_left"][node] if np.isnan(value) else value < tree["bound"][node]
        node = 2 * node + (1 if left else 2)
    return float(tree["leaf"][node - 2**DEPTH + 1])


@given(
    seed=st.integers(0, 2**32 - 1),
    window=arrays(
        np.float32,
        (2, tiny_models.BINS, len(FEATURES)),
        elements=st.floats(-2.0, 2.0, width=32) | st.just(float("nan")),
    ),
)
def test_each_tree_is_walked_from_its_root_to_a_leaf(seed: int, window: np.ndarray) -> None:
    rng = np.random.default_rng(seed)
    trees = np.zeros(2 * len(CLASSES), dtype=TREE)
    for field, values in (
        ("statistic", rng.integers(0, len(STATISTICS), trees["statistic"].shape)),
        # Among few bounds some are equal to a value.
        ("bound", rng.integers(-2, 3, trees["bound"].shape)),
        ("unknown_left", rng.integers(0, 2, trees["unknown_left"].shape)),
        ("leaf", rng.normal(0.0, 1.0, trees["leaf"].shape)),
    ):
        trees[field] = values
    calibration = np.zeros(1, dtype=CALIBRATION)
    calibration["scale"], calibration["shift"] = 0.5, rng.normal(0.0, 1.0, len(CLASSES))
    model = BoostedTrees("any", tiny_models.BINS, calibration.tobytes() + trees.tobytes())
    for seen, found in zip(statistics(window), model.probabilities(window), strict=True):
        margins = np.zeros(len(CLASSES))
        for number, tree in enumerate(trees):
            margins[number % len(CLASSES)] += walked(tree, seen)
        raised = np.exp(margins * 0.5 + calibration["shift"][0])
        assert found == pytest.approx(raised / raised.sum(), abs=1e-6)


def test_statistics_are_of_the_known_values_of_a_window() -> None:
    window = np.full((1, tiny_models.BINS, len(FEATURES)), np.nan, dtype=np.float32)
    rtt, sent = FEATURES.index("rtt"), FEATURES.index("up_sent")
    window[0, 1:4, rtt] = (1.0, 2.0, 6.0)
    window[0, :, sent] = (4.0, 1.0, 1.0, 1.0, 3.0)
    (found,) = statistics(window)
    named = dict(zip(STATISTICS, found.tolist(), strict=True))
    assert np.isnan(named["last rtt"])
    assert (named["mean rtt"], named["least rtt"], named["most rtt"]) == (3.0, 1.0, 6.0)
    assert (named["rise up_sent"], named["range up_sent"]) == (1.0, 3.0)
    assert np.isnan(named["mean heard"])
