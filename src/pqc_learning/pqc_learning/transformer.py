# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The time-series transformer: 3 layers, 16 heads, d = 128 over 400 bins.

Five bins are one token. Attention looks back only, and falls off with distance (ALiBi), so that
each token of a window is an example: its class is that of its last bin. The same functions compute
a verdict with numpy and train with jax.numpy, which the argument `xp` is.

A model's file has the arrays of `shapes`, one after the other, as little-endian float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.boosted_trees import LEVELS, softmax
from pqc_policy.sensing.detector_fault import DetectorFault
from pqc_policy.sensing.features import FEATURES
from pqc_policy.sensing.model_card import CLASSES

BINS, PATCH = 400, 5
TOKENS = BINS // PATCH
LAYERS, HEADS, WIDTH, HIDDEN = 3, 16, 128, 256
HEAD = WIDTH // HEADS
MOST = 6.0  # standard deviations; what is farther away counts as so far
NORM = 1e-5
# Absolute levels: only their change over a token's length counts.
IS_LEVEL = np.isin(np.arange(len(FEATURES)), LEVELS)
_FAR = np.float32(-1e9)
Array = NDArray[np.float32]
Weights = Mapping[str, Any]  # arrays of numpy or of jax


def shapes() -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a model, in the order of its file."""
    features, classes = len(FEATURES), len(CLASSES)
    found: dict[str, tuple[int, ...]] = {
        "mean": (features,),
        "deviation": (features,),
        "scale": (classes,),
        "shift": (classes,),
        "embed": (PATCH * 2 * features, WIDTH),
        "embed_shift": (WIDTH,),
        "norm": (WIDTH,),
        "norm_shift": (WIDTH,),
        "head": (WIDTH, classes),
        "head_shift": (classes,),
    }
    for layer in range(LAYERS):
        for name, shape in (
            ("norm", (WIDTH,)),
            ("heads", (WIDTH, 3 * WIDTH)),
            ("joined", (WIDTH, WIDTH)),
            ("norm2", (WIDTH,)),
            ("wide", (WIDTH, HIDDEN)),
            ("narrow", (HIDDEN, WIDTH)),
        ):
            found |= {f"{layer}.{name}": shape, f"{layer}.{name}_shift": shape[-1:]}
    return found


def to_bytes(weights: Mapping[str, Array]) -> bytes:
    """Return a model's file."""
    return b"".join(weights[name].astype("<f4").tobytes() for name in shapes())


class Transformer:
    """A trained model."""

    def __init__(self, name: str, bins: int, content: bytes) -> None:
        """Read its arrays; raise DetectorFault if the file is not as it must be."""
        if bins != BINS or len(content) != 4 * sum(map(prod, shapes().values())):
            raise DetectorFault(f"The model {name} has not the size of the transformer.")
        values, at = np.frombuffer(content, "<f4"), 0
        if not np.isfinite(values).all():
            raise DetectorFault(f"The model {name} has a number that is not finite.")
        self._weights: dict[str, Array] = {}
        for key, shape in shapes().items():
            self._weights[key] = values[at : at + prod(shape)].reshape(shape)
            at += prod(shape)
        self._bias = attention_bias()

    def probabilities(self, windows: Array) -> NDArray[np.float64]:
        """Return the probabilities of windows; shape (N, BINS, F) to (N, classes)."""
        found = newest_margins(self._weights, windows, self._bias)
        return softmax(found * self._weights["scale"] + self._weights["shift"])


def newest_margins(weights: Weights, windows: Array, bias: Array) -> NDArray[np.float64]:
    """Return the margins of the newest tokens of windows, without calibration; (N, classes)."""
    tokens = prepared(windows, weights["mean"], weights["deviation"])
    return np.asarray(margins(weights, tokens, bias)[:, -1], dtype=np.float64)


def attention_bias() -> Array:
    """Return what is added to the attention scores; shape (HEADS, TOKENS, TOKENS)."""
    slopes = 2.0 ** (-8.0 * (np.arange(HEADS) + 1) / HEADS)
    place = np.arange(TOKENS)
    back = place[:, None] - place[None, :]
    bias = -slopes[:, None, None] * back[None]
    return np.where(back[None] < 0, _FAR, bias).astype(np.float32)


def prepared(windows: Any, mean: Any, deviation: Any, xp: Any = np) -> Any:
    """Return tokens of windows; (N, BINS, F) to (N, TOKENS, PATCH * 2 * F), 0 where unknown."""
    before = xp.concatenate((windows[:, :PATCH], windows[:, :-PATCH]), axis=1)
    values = xp.where(IS_LEVEL, windows - before, windows)
    known = ~xp.isnan(values)
    values = xp.clip((values - mean) / deviation, -MOST, MOST)
    values = xp.where(known, values, np.float32(0.0))
    both = xp.concatenate((values, known.astype(np.float32)), axis=-1)
    return both.reshape(windows.shape[0], TOKENS, -1)


def margins(weights: Weights, tokens: Any, bias: Any, xp: Any = np) -> Any:
    """Return the margins of the classes of each token; shape (N, TOKENS, classes)."""
    state = _linear(weights, "embed", tokens)
    for layer in range(LAYERS):
        state = state + _attended(weights, layer, state, bias, xp)
        inner = _linear(weights, f"{layer}.wide", _normed(weights, f"{layer}.norm2", state, xp))
        state = state + _linear(weights, f"{layer}.narrow", xp.maximum(inner, 0.0))
    return _linear(weights, "head", _normed(weights, "norm", state, xp))


def _linear(weights: Weights, name: str, state: Any) -> Any:
    return state @ weights[name] + weights[f"{name}_shift"]


def _attended(weights: Weights, layer: int, state: Any, bias: Any, xp: Any) -> Any:
    mixed = _linear(weights, f"{layer}.heads", _normed(weights, f"{layer}.norm", state, xp))
    count, tokens = state.shape[:2]
    split = mixed.reshape(count, tokens, 3, HEADS, HEAD).transpose(2, 0, 3, 1, 4)
    scores = split[0] @ split[1].transpose(0, 1, 3, 2) * np.float32(1.0 / sqrt(HEAD)) + bias
    raised = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    found = raised / raised.sum(axis=-1, keepdims=True) @ split[2]
    joined = found.transpose(0, 2, 1, 3).reshape(count, tokens, WIDTH)
    return _linear(weights, f"{layer}.joined", joined)


def _normed(weights: Weights, name: str, state: Any, xp: Any) -> Any:
    mean = state.mean(axis=-1, keepdims=True)
    variance = ((state - mean) ** 2).mean(axis=-1, keepdims=True)
    return (state - mean) / xp.sqrt(variance + NORM) * weights[name] + weights[f"{name}_shift"]
