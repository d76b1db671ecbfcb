# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the time-series transformer over 400 bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from pqc_learning import transformer as network
from pqc_learning.data.dataset import Track, padded, windows
from pqc_learning.data.episodes import CLASSES, UNSURE
from pqc_learning.training.calibration import calibrated
from pqc_learning.transformer import BINS

_BATCH = 8
_PEAK_RATE = 1e-3
_DECAY = 1e-3
_CLASS_SHARE = 0.5  # share of the loss for the five attack classes
_SAID_EVERY = 50  # steps
_EXAMPLES = 120  # windows of a flight that the calibration is made with
Array = NDArray[np.float32]


def train_transformer(
    training: list[Track],
    validation: list[Track],
    seed: int,
    steps: int,
    say: Callable[[str], None] = print,
) -> bytes:
    """Return the file of the calibrated model after so many steps of 8 windows."""
    mean, deviation = _moments(training)
    weights = _random_weights(seed)
    rate = optax.warmup_cosine_decay_schedule(0.0, _PEAK_RATE, steps // 20, steps, 1e-5)
    chain = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=_DECAY))
    optimizer = chain.init(weights)
    bias = jnp.asarray(network.attention_bias())
    share = _class_weights(training)

    @jax.jit
    def step(weights, optimizer, given, labels):  # type: ignore[no-untyped-def]
        def loss(weights):  # type: ignore[no-untyped-def]
            tokens = network.prepared(given, mean, deviation, jnp)
            margins = network.margins(weights, tokens, bias, jnp)
            weight = jnp.where(labels == UNSURE, 0.0, share[labels])
            each = optax.softmax_cross_entropy_with_integer_labels(margins, jnp.maximum(labels, 0))
            return (weight * each).sum() / jnp.maximum(weight.sum(), 1e-6)

        value, gradient = jax.value_and_grad(loss)(weights)
        update, optimizer = chain.update(gradient, optimizer, weights)
        return optax.apply_updates(weights, update), optimizer, value

    recent = 0.0
    for number, (given, labels) in enumerate(_batches(training, seed, steps), 1):
        weights, optimizer, value = step(weights, optimizer, given, labels)
        recent += (float(value) - recent) / min(number, 50)
        if number % _SAID_EVERY == 0 or number == steps:
            say(f"step {number} of {steps}: loss {recent:.4f}")
    trained = {name: np.asarray(value) for name, value in weights.items()}
    trained |= {"mean": mean, "deviation": deviation}
    scale, shift = _calibrated(trained, validation, seed)
    return network.to_bytes(trained | {"scale": scale, "shift": shift})


def _random_weights(seed: int) -> dict[str, jax.Array]:
    """Return the weights before the training; the ends of the layers and the head begin small."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, shape in network.shapes().items():
        kind = name.rpartition(".")[2]
        if kind in ("mean", "deviation", "scale", "shift"):
            continue
        if len(shape) == 1:
            value = np.zeros(shape) if kind.endswith("_shift") else np.ones(shape)
        else:
            gain = {"head": 0.1, "joined": 1.0 / network.LAYERS, "narrow": 1.0 / network.LAYERS}
            value = rng.standard_normal(shape) * gain.get(kind, 1.0) / np.sqrt(shape[0])
        found[name] = jnp.asarray(value, dtype=jnp.float32)
    return found


def _moments(tracks: list[Track]) -> tuple[Array, Array]:
    """Return mean and standard deviation of what the tokens consist of, per feature."""
    rows = np.concatenate([track.features for track in tracks])
    patch = network.PATCH
    changes = np.concatenate([t.features[patch:] - t.features[:-patch] for t in tracks])
    mean = np.where(network.IS_LEVEL, np.nanmean(changes, axis=0), np.nanmean(rows, axis=0))
    deviation = np.where(network.IS_LEVEL, np.nanstd(changes, axis=0), np.nanstd(rows, axis=0))
    # An input that is nearly constant must not be scaled up.
    return np.nan_to_num(mean).astype(np.float32), np.maximum(
        np.nan_to_num(deviation), 0.05
    ).astype(np.float32)


def _class_weights(tracks: list[Track]) -> jax.Array:
    labels = np.concatenate([track.labels for track in tracks])
    counts = np.bincount(labels[labels != UNSURE], minlength=len(CLASSES)).astype(np.float64)
    attacks = len(CLASSES) - 1
    share = np.array([1.0 - _CLASS_SHARE, *[_CLASS_SHARE / attacks] * attacks])
    return jnp.asarray(share / np.maximum(counts, 1.0) * counts.sum(), dtype=jnp.float32)


def _batches(
    tracks: list[Track], seed: int, steps: int
) -> Iterator[tuple[Array, NDArray[np.int32]]]:
    """Yield windows at random places, also of flights that have just begun."""
    rng = np.random.default_rng(seed)
    whole = [padded(track.features, BINS) for track in tracks]
    marks = [
        np.concatenate((np.full(BINS - 1, UNSURE, np.int32), track.labels)) for track in tracks
    ]
    for _ in range(steps):
        given, labels = [], []
        for flight in rng.integers(len(tracks), size=_BATCH).tolist():
            start = int(rng.integers(len(tracks[flight].labels)))
            given.append(whole[flight][start : start + BINS])
            ends = marks[flight][start : start + BINS]
            labels.append(ends[network.PATCH - 1 :: network.PATCH])
        yield np.stack(given), np.stack(labels).astype(np.int32)


def _calibrated(
    weights: dict[str, Array], validation: list[Track], seed: int
) -> tuple[Array, Array]:
    """Return scale and shift of the margins."""
    rng = np.random.default_rng(seed)
    bias = network.attention_bias()
    margins, labels = [], []
    for track in validation:
        sure = np.flatnonzero(track.labels != UNSURE)
        some = rng.choice(sure, min(len(sure), _EXAMPLES), replace=False)
        given = windows(track.features, BINS)[some]
        margins.append(network.newest_margins(weights, given, bias))
        labels.append(track.labels[some])
    return calibrated(np.concatenate(margins), np.concatenate(labels).astype(np.int64))
