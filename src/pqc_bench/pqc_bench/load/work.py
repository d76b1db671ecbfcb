# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the detectors, on random numbers: one call is some milliseconds at most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Work = Callable[[], float]


def boosted_trees() -> Work:
    """Return the evaluation of gradient-boosted trees on some windows of five packets."""
    random = np.random.default_rng(1)
    trees, depth, features, windows = 100, 6, 5, 64
    inner = 2**depth - 1
    feature = random.integers(0, features, (trees, inner))
    threshold = random.standard_normal((trees, inner))
    leaf = random.standard_normal((trees, inner + 1))
    rows = np.arange(trees)[:, None]

    def evaluate() -> float:
        window = random.standard_normal((windows, features))
        columns = np.arange(windows)[None, :]
        node = np.zeros((trees, windows), dtype=np.int64)
        for _ in range(depth):
            right = window[columns, feature[rows, node]] > threshold[rows, node]
            node = 2 * node + 1 + right
        return float(leaf[rows, node - inner].sum())

    return evaluate


def transformer() -> Work:
    """Return one layer of a time series transformer: window of 400, 16 heads, 128 wide.

    Successive calls go through the three layers.
    """
    random = np.random.default_rng(1)
    length, width, heads, layers = 400, 128, 16, 3
    each = width // heads

    def matrix(rows: int, columns: int) -> np.ndarray:
        return random.standard_normal((rows, columns), dtype=np.float32) / np.sqrt(np.float32(rows))

    weights = [
        (matrix(width, 3 * width), matrix(width, width), matrix(width, 256), matrix(256, width))
        for _ in range(layers)
    ]
    state = random.standard_normal((length, width), dtype=np.float32)
    number = 0

    def evaluate() -> float:
        nonlocal state, number
        mixing, joining, widening, narrowing = weights[number % layers]
        number += 1
        query, key, value = (
            part.reshape(length, heads, each).transpose(1, 0, 2)
            for part in np.split(state @ mixing, 3, axis=1)
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(each))
        scores = np.exp(scores - scores.max(axis=2, keepdims=True))
        attention = (scores / scores.sum(axis=2, keepdims=True)) @ value
        state = _normal(state + attention.transpose(1, 0, 2).reshape(length, width) @ joining)
        state = _normal(state + np.maximum(state @ widening, 0.0) @ narrowing)
        return float(state[0, 0])

    return evaluate


def _normal(rows: np.ndarray) -> np.ndarray:
    return (rows - rows.mean(axis=1, keepdims=True)) / (rows.std(axis=1, keepdims=True) + 1e-5)


WORK: dict[str, Callable[[], Work]] = {"light": boosted_trees, "heavy": transformer}
