# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The time-series transformer in JAX: 3 layers, 16 heads, d = 128 over 400 bins.

Five bins are one token. Attention looks back only, and falls off with distance (ALiBi), so that
each token of a window is an example: its class is that of its last bin.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.traffic.features import FEATURES

BINS, PATCH = 400, 5
TOKENS = BINS // PATCH
LAYERS, HEADS, WIDTH, HIDDEN = 3, 16, 128, 256
HEAD = WIDTH // HEADS
MOST = 6.0  # standard deviations; what is farther away counts as so far
NORM = 1e-5
# Absolute levels: only their change over a token's length counts.
LEVELS = np.array(
    [
        name.endswith(("_sent", "_received", "_size")) and not name.startswith("dropped")
        for name in FEATURES
    ]
)
_FAR = np.float32(-1e9)
Parameters = dict[str, jax.Array]


def attention_bias() -> NDArray[np.float32]:
    """Return what is added to the attention scores; shape (HEADS, TOKENS, TOKENS)."""
    slopes = 2.0 ** (-8.0 * (np.arange(HEADS) + 1) / HEADS)
    place = np.arange(TOKENS)
    back = place[:, None] - place[None, :]
    bias = -slopes[:, None, None] * back[None]
    return np.where(back[None] < 0, _FAR, bias).astype(np.float32)


def parameters(classes: int, seed: int) -> Parameters:
    """Return random weights."""
    rng = np.random.default_rng(seed)

    def matrix(*shape: int, gain: float = 1.0) -> jax.Array:
        return jnp.asarray(rng.standard_normal(shape) * gain / np.sqrt(shape[0]), dtype=jnp.float32)

    made = {
        "embed": matrix(PATCH * 2 * len(FEATURES), WIDTH),
        "embed_shift": jnp.zeros(WIDTH),
        "norm": jnp.ones(WIDTH),
        "norm_shift": jnp.zeros(WIDTH),
        "head": matrix(WIDTH, classes, gain=0.1),
        "head_shift": jnp.zeros(classes),
    }
    for layer in range(LAYERS):
        made |= {
            f"{layer}.norm": jnp.ones(WIDTH),
            f"{layer}.norm_shift": jnp.zeros(WIDTH),
            f"{layer}.heads": matrix(WIDTH, 3 * WIDTH),
            f"{layer}.heads_shift": jnp.zeros(3 * WIDTH),
            f"{layer}.joined": matrix(WIDTH, WIDTH, gain=1.0 / LAYERS),
            f"{layer}.joined_shift": jnp.zeros(WIDTH),
            f"{layer}.norm2": jnp.ones(WIDTH),
            f"{layer}.norm2_shift": jnp.zeros(WIDTH),
            f"{layer}.wide": matrix(WIDTH, HIDDEN),
            f"{layer}.wide_shift": jnp.zeros(HIDDEN),
            f"{layer}.narrow": matrix(HIDDEN, WIDTH, gain=1.0 / LAYERS),
            f"{layer}.narrow_shift": jnp.zeros(WIDTH),
        }
    return made


def prepared(
    windows: jax.Array, mean: NDArray[np.float32], deviation: NDArray[np.float32]
) -> jax.Array:
    """Return tokens of windows; (N, BINS, F) to (N, TOKENS, PATCH * 2 * F), 0 where unknown."""
    before = jnp.concatenate((windows[:, :PATCH], windows[:, :-PATCH]), axis=1)
    values = jnp.where(LEVELS, windows - before, windows)
    known = ~jnp.isnan(values)
    values = jnp.clip((values - mean) / deviation, -MOST, MOST)
    values = jnp.where(known, values, 0.0)
    both = jnp.concatenate((values, known.astype(jnp.float32)), axis=-1)
    return both.reshape(windows.shape[0], TOKENS, -1)


def margins(weights: Parameters, tokens: jax.Array, bias: jax.Array) -> jax.Array:
    """Return the margins of the classes of each token; shape (N, TOKENS, classes)."""
    state = tokens @ weights["embed"] + weights["embed_shift"]
    for layer in range(LAYERS):
        state = state + _attended(weights, layer, state, bias)
        inner = _normed(weights, f"{layer}.norm2", state)
        inner = jax.nn.relu(inner @ weights[f"{layer}.wide"] + weights[f"{layer}.wide_shift"])
        state = state + inner @ weights[f"{layer}.narrow"] + weights[f"{layer}.narrow_shift"]
    return _normed(weights, "norm", state) @ weights["head"] + weights["head_shift"]


def _attended(weights: Parameters, layer: int, state: jax.Array, bias: jax.Array) -> jax.Array:
    inner = _normed(weights, f"{layer}.norm", state)
    mixed = inner @ weights[f"{layer}.heads"] + weights[f"{layer}.heads_shift"]
    count, tokens = state.shape[:2]
    split = mixed.reshape(count, tokens, 3, HEADS, HEAD).transpose(2, 0, 3, 1, 4)
    scores = split[0] @ split[1].transpose(0, 1, 3, 2) / np.sqrt(HEAD) + bias
    found = jax.nn.softmax(scores, axis=-1) @ split[2]
    joined = found.transpose(0, 2, 1, 3).reshape(count, tokens, WIDTH)
    return joined @ weights[f"{layer}.joined"] + weights[f"{layer}.joined_shift"]


def _normed(weights: Parameters, name: str, state: jax.Array) -> jax.Array:
    mean = state.mean(axis=-1, keepdims=True)
    variance = ((state - mean) ** 2).mean(axis=-1, keepdims=True)
    return (state - mean) / jnp.sqrt(variance + NORM) * weights[name] + weights[f"{name}_shift"]
