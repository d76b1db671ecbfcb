# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Many flights at once, and the arrays that a detector learns from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.traffic.features import FEATURES

from pqc_learning.data.judging_flights import judging_flight
from pqc_learning.data.recording import Recorded, record
from pqc_learning.data.training_flights import training_flight
from pqc_learning.pool import mapped

TRAINING, JUDGING = "training", "judging"
_FLIGHTS = {TRAINING: training_flight, JUDGING: judging_flight}
# Changed with what a generator draws, so that a card tells the data of a model.
VERSIONS = {TRAINING: "2", JUDGING: "1"}


def recorded_flight(generator: str, seed: int, number: int, *, attacks: bool) -> Recorded:
    """Record one flight of a generator; the same arguments give the same flight."""
    conditions = _FLIGHTS[generator](seed, number, attacks=attacks)
    return record(conditions, np.random.default_rng((seed, number, 3)))


@dataclass(frozen=True)
class Track:
    """The features of one flight's bins, oldest first, and their classes."""

    flight: Recorded  # its bins are not stored
    features: NDArray[np.float32]  # (bins, F)
    labels: NDArray[np.int8]

    @classmethod
    def of(cls, flight: Recorded) -> Track:
        return cls(replace(flight, bins=()), flight.features(), flight.labels())


def tracks(
    generator: str, seed: int, numbers: Iterable[int], *, attacks: bool, jobs: int = 1
) -> list[Track]:
    """Record flights in so many processes, in the order of their numbers."""
    return list(mapped(partial(_track, generator, seed, attacks=attacks), numbers, jobs))


def _track(generator: str, seed: int, number: int, *, attacks: bool) -> Track:
    return Track.of(recorded_flight(generator, seed, number, attacks=attacks))


def padded(features: NDArray[np.float32], bins: int) -> NDArray[np.float32]:
    """Return features with so many unknown bins before them that each bin ends a window."""
    before = np.full((bins - 1, len(FEATURES)), np.nan, dtype=np.float32)
    return np.concatenate((before, features))


def windows(features: NDArray[np.float32], bins: int) -> NDArray[np.float32]:
    """Return a view of the window that ends with each bin; shape (bins of the flight, bins, F)."""
    whole = padded(features, bins)
    view = np.lib.stride_tricks.sliding_window_view(whole, bins, axis=0)
    return view.transpose(0, 2, 1)
