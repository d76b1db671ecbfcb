# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains the time-series transformer over 400 bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import onnxruntime
import optax
from numpy.typing import NDArray

from pqc_learning.data.dataset import Track, padded, windows
from pqc_learning.data.episodes import CLASSES, UNSURE
from pqc_learning.training import network
from pqc_learning.training.calibration import calibrated, softmax
from pqc_learning.training.network_graph import network_graph
from pqc_learning.training.training_state import TrainingState

BINS = network.BINS
_BATCH = 8
_PEAK_RATE = 1e-3
_DECAY = 1e-3
_CLASS_SHARE = 0.5  # of the loss, for the five classes of attack together
_SAVED_EVERY = 50  # steps
_CHECKED = 64  # windows on which graph and network are compared
_MOST_DIFFERENCE = 2e-3
Array = NDArray[np.float32]


def train_transformer(
    training: list[Track],
    validation: list[Track],
    seed: int,
    steps: int,
    say: Callable[[str], None] = print,
    state: Path | None = None,
) -> onnx.ModelProto:
    """Return the calibrated model after so many steps of 8 windows.

    With a file for its `state` a training that was interrupted goes on where it was saved last.
    """
    mean, deviation = _moments(training)
    weights = network.parameters(len(CLASSES), seed)
    rate = optax.warmup_cosine_decay_schedule(0.0, _PEAK_RATE, steps // 20, steps, 1e-5)
    chain = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=_DECAY))
    optimizer = chain.init(weights)
    bias = jnp.asarray(network.attention_bias())
    share = _class_weights(training)

    @jax.jit
    def step(weights, optimizer, given, labels):  # type: ignore[no-untyped-def]
        def loss(weights):  # type: ignore[no-untyped-def]
            margins = network.margins(weights, network.prepared(given, mean, deviation), bias)
            weight = jnp.where(labels == UNSURE, 0.0, share[labels])
            each = optax.softmax_cross_entropy_with_integer_labels(margins, jnp.maximum(labels, 0))
            return (weight * each).sum() / jnp.maximum(weight.sum(), 1e-6)

        value, gradient = jax.value_and_grad(loss)(weights)
        update, optimizer = chain.update(gradient, optimizer, weights)
        return optax.apply_updates(weights, update), optimizer, value

    done, recent = 0, 0.0
    saved = TrainingState(state, training, seed, steps)
    if (found := saved.read((weights, optimizer))) is not None:
        done, recent, (weights, optimizer) = found
        say(f"goes on after step {done} of {steps}")
    batches = _batches(training, seed, steps)
    for number, (given, labels) in enumerate(islice(batches, done, None), done + 1):
        weights, optimizer, value = step(weights, optimizer, given, labels)
        recent += (float(value) - recent) / min(number, 50)
        if number % _SAVED_EVERY == 0 or number == steps:
            say(f"step {number} of {steps}: loss {recent:.4f}")
            saved.write(number, recent, (weights, optimizer))
    plain = {name: np.asarray(value) for name, value in weights.items()}
    model = _calibrated(plain, mean, deviation, validation, seed)
    saved.remove()
    return model


def _moments(tracks: list[Track]) -> tuple[Array, Array]:
    """Return mean and standard deviation of what the tokens consist of, per feature."""
    rows = np.concatenate([track.features for track in tracks])
    patch = network.PATCH
    changes = np.concatenate([t.features[patch:] - t.features[:-patch] for t in tracks])
    mean = np.where(network.LEVELS, np.nanmean(changes, axis=0), np.nanmean(rows, axis=0))
    deviation = np.where(network.LEVELS, np.nanstd(changes, axis=0), np.nanstd(rows, axis=0))
    # What is nearly always the same must not be blown up.
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
    weights: dict[str, Array], mean: Array, deviation: Array, validation: list[Track], seed: int
) -> onnx.ModelProto:
    classes = len(CLASSES)
    plain = network_graph(
        weights, mean, deviation, np.ones(classes, np.float32), np.zeros(classes, np.float32)
    )
    session = onnxruntime.InferenceSession(plain.SerializeToString())
    rng = np.random.default_rng(seed)
    found, labels = [], []
    for track in validation:
        sure = np.flatnonzero(track.labels != UNSURE)
        some = rng.choice(sure, min(len(sure), 120), replace=False)
        given = np.ascontiguousarray(windows(track.features, BINS)[some])
        found.append(session.run(None, {"features": given})[0])
        labels.append(track.labels[some])
    # Logarithms of probabilities are margins.
    margins = np.log(np.maximum(np.concatenate(found).astype(np.float64), 1e-12))
    scale, shift = calibrated(margins, np.concatenate(labels).astype(np.int64))
    model = network_graph(weights, mean, deviation, scale, shift)
    _verify(model, weights, mean, deviation, scale, shift, validation[0])
    return model


def _verify(
    model: onnx.ModelProto,
    weights: dict[str, Array],
    mean: Array,
    deviation: Array,
    scale: Array,
    shift: Array,
    track: Track,
) -> None:
    """Raise ValueError if the graph computes something else than the network."""
    view = windows(track.features, BINS)
    given = np.ascontiguousarray(view[:: max(len(view) // _CHECKED, 1)][:_CHECKED])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found = session.run(None, {"features": given})[0]
    bias = jnp.asarray(network.attention_bias())
    tokens = network.prepared(jnp.asarray(given), mean, deviation)
    # As the graph's margins were, before its softmax.
    expected = np.asarray(network.margins(weights, tokens, bias))[:, -1].astype(np.float64)
    expected = softmax(np.log(softmax(expected)) * scale + shift)
    worst = float(np.abs(found - expected).max())
    if not worst <= _MOST_DIFFERENCE:
        raise ValueError(f"The graph of the transformer differs from the network by {worst:.2g}.")
