# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a detector from generated flights, and writes its model and its card."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.boosted_trees import BoostedTrees
from pqc_policy.sensing.learned_detector import Reader, ReadModel
from pqc_policy.sensing.model_card import FORMAT
from pqc_policy.sensing.model_folder import CARD, MODEL
from pqc_policy.sensing.traffic.features import FEATURES

from pqc_learning import transformer
from pqc_learning.data.dataset import TRAINING, VERSIONS, Track, tracks, windows
from pqc_learning.data.episodes import ATTACKS, CLASSES, UNSURE
from pqc_learning.data.recording import BIN_S
from pqc_learning.intervals import poisson
from pqc_learning.judging.alarms import (
    SUSPICIOUS,
    Account,
    account,
    alarmed,
    false_alarms_per_hour,
    normal_hours,
    threshold_for,
)
from pqc_learning.training.calibration import expected_error

_TRAINING_SEED, _VALIDATION_SEED = 11, 12
_SEED = 1  # seed of the training itself
_WITHOUT_ATTACKS = 100_000  # the first number of such flights
_SOON_S = 6.0
_USUAL = (0.001, 0.999)  # quantiles
_BATCH = 8  # windows; more of them do not fit into a cache


@dataclass(frozen=True)
class Size:
    training: tuple[int, int]  # flights with attacks and without
    validation: tuple[int, int]
    effort: int  # rounds of trees, or steps of the transformer
    bins: int
    read: Reader
    most_per_hour: float  # false alarms on validation
    suspicious: float = SUSPICIOUS  # share of the threshold; 1: all bins in a row must reach it
    calm: int = 0  # further validation flights without attacks, for the threshold alone


# The trees fly: a rate of one in ten hours needs many hours of validation. The transformer has 80
# examples in each window, and a verdict of it costs more.
SIZES = {
    "trees": Size((480, 240), (96, 96), 110, 5, BoostedTrees, 0.1, 1.0, calm=480),
    "transformer": Size((160, 80), (12, 12), 700, transformer.BINS, transformer.Transformer, 0.8),
}


def train(
    name: str,
    folder: Path,
    jobs: int,
    commit: str,
    command: str,
    size: Size | None = None,
) -> dict[str, Any]:
    """Train a detector, write model and card into a folder, and return the card."""
    size = size or SIZES[name]
    counts = (size.training, size.validation)
    training = _flights(_TRAINING_SEED, counts[0], jobs)
    validation = _flights(_VALIDATION_SEED, counts[1], jobs)
    hours = sum(one.flight.seconds for one in training) / 3600.0
    print(f"{name}: {hours:.0f} h of flight to learn from", flush=True)
    content = _trained(name, training, validation, size)
    model = size.read(name, size.bins, content)
    calm = _calm_flights(_VALIDATION_SEED, range(counts[1][1], counts[1][1] + size.calm), jobs)
    thresholds, metrics = _validated(model, size, validation + calm)
    card = {
        "format": FORMAT,
        "name": name,
        "kind": name,
        "bin_s": BIN_S,
        "bins": size.bins,
        "features": list(FEATURES),
        "classes": list(CLASSES),
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "training": {
            "data": {
                "generator": f"{TRAINING} {VERSIONS[TRAINING]}",
                "seeds": [_TRAINING_SEED, _VALIDATION_SEED],
                "flights": [*counts[0], *counts[1], size.calm],
                "hours": round(hours, 1),
            },
            "seed": _SEED,
            "commit": commit,
            "command": command,
        },
        "metrics": metrics,
        "thresholds": thresholds,
        "usual_range": _usual(training),
    }
    _write(folder, content, card)
    return card


def _trained(name: str, training: list[Track], validation: list[Track], size: Size) -> bytes:
    """Return the file of the model; the libraries of the other kind need not be there."""
    if name == "trees":
        from pqc_learning.training.trees import train_trees

        return train_trees(training, validation, _SEED, size.effort)
    from pqc_learning.training.transformer import train_transformer

    return train_transformer(training, validation, _SEED, size.effort)


def _flights(seed: int, counts: tuple[int, int], jobs: int) -> list[Track]:
    attacked, calm = counts
    found = tracks(TRAINING, seed, range(attacked), attacks=True, jobs=jobs)
    return found + _calm_flights(seed, range(calm), jobs)


def _calm_flights(seed: int, numbers: range, jobs: int) -> list[Track]:
    return tracks(
        TRAINING, seed, [_WITHOUT_ATTACKS + one for one in numbers], attacks=False, jobs=jobs
    )


def _validated(
    model: ReadModel, size: Size, validation: list[Track]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the thresholds of an attack, and what they achieve on validation."""
    probabilities = [_probabilities(model, track, size.bins) for track in validation]
    flights = [track.flight for track in validation]
    scores = [1.0 - one[:, 0] for one in probabilities]
    threshold = threshold_for(flights, scores, size.most_per_hour, size.suspicious)
    thresholds = {"attack": round(min(max(threshold, 0.01), 0.99), 4)}
    if size.suspicious == 1.0:
        thresholds["suspicious"] = thresholds["attack"]
    accounts = [
        account(flight, alarmed(one, thresholds["attack"], size.suspicious))
        for flight, one in zip(flights, scores, strict=True)
    ]
    labels = np.concatenate([track.labels for track in validation])
    sure = labels != UNSURE
    together = np.concatenate(probabilities)[sure]
    named = 1 + together[:, 1:].argmax(axis=1)
    attacked = labels[sure] > 0
    hours = normal_hours(accounts)
    interval = poisson(sum(one.false_alarms for one in accounts), hours)
    assert interval is not None, "Validation flights last a while."
    metrics = {
        "false_alarms_per_hour": false_alarms_per_hour(accounts),
        "false_alarms_low": interval[0],
        "false_alarms_high": interval[1],
        **{f"soon_{label}": _soon(accounts, label) for label in ATTACKS},
        "class_named_right": float((named == labels[sure])[attacked].mean()),
        "calibration_error": expected_error(1.0 - together[:, 0], attacked),
        "normal_hours": hours,
    }
    return thresholds, {name: round(value, 4) for name, value in metrics.items()}


def _soon(accounts: list[Account], label: str) -> float:
    """Return the share of a class's attacks that are detected soon enough."""
    delays_s = [one.delay_s for each in accounts for one in each.detections if one.label == label]
    soon = [delay_s is not None and delay_s <= _SOON_S for delay_s in delays_s]
    return sum(soon) / len(soon) if soon else 0.0


def _probabilities(model: ReadModel, track: Track, bins: int) -> NDArray[np.float64]:
    view = windows(track.features, bins)
    parts = [
        model.probabilities(view[start : start + _BATCH]) for start in range(0, len(view), _BATCH)
    ]
    found = np.concatenate(parts)
    found[:4] = np.eye(len(CLASSES))[0]  # the detector waits for five bins
    return found


def _usual(training: list[Track]) -> dict[str, list[float] | None]:
    rows = np.concatenate([track.features for track in training])
    found: dict[str, list[float] | None] = {}
    for index, name in enumerate(FEATURES):
        column = rows[:, index]
        known = column[~np.isnan(column)]
        low_high = np.quantile(known, _USUAL) if len(known) else None
        found[name] = None if low_high is None else [round(float(one), 5) for one in low_high]
    return found


def _write(folder: Path, content: bytes, card: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (
        (MODEL, content),
        (CARD, (json.dumps(card, indent=2) + "\n").encode()),
    ):
        new = folder / f".{name}.new"
        new.write_bytes(data)
        new.replace(folder / name)
