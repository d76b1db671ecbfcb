# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A detector whose judgement is a trained model: boosted trees, or a transformer.

The model maps the features of the newest bins (features.py) to a calibrated probability of normal
traffic and of each class of attack. Models of other kinds than trees are read by other packages: an
entry point of the group pqc_policy.models, named as the kind, refers to the function that does it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pqc_policy.parameters import parameter
from pqc_policy.plugins import load_plugin
from pqc_policy.sensing.boosted_trees import BoostedTrees
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.sensing.detectors.drift import Drift, drift
from pqc_policy.sensing.detectors.evidence import standing_out
from pqc_policy.sensing.detectors.finding import SUSPICIOUS, Finding
from pqc_policy.sensing.model_card import ModelCard
from pqc_policy.sensing.model_folder import MODEL_GROUP, Model, read_model
from pqc_policy.sensing.traffic.bins import BIN_S, Bin
from pqc_policy.sensing.traffic.feature_words import words
from pqc_policy.sensing.traffic.features import FEATURES, vector
from pqc_policy.sensing.traffic.usual_traffic import Usual

TREES = "trees"  # the kind of model that this package reads
# A model of more bins judges from so many on; unknown values stand for those before.
_LEAST_BINS = 5
# A link quicker than all of the training is no reason for doubt, nor for anything that the model
# makes of a number it has never seen.
_AT_LEAST = "rtt"
# Of the threshold: a lower probability names no class.
_NAMED_FROM = 0.5


@dataclass(frozen=True)
class LearnedSettings:
    """What is common to all learned detectors."""

    model_dir: str = parameter(
        "",
        "Folder with models of one's own, NAME/model.bin and NAME/card.json each, searched before "
        "the shipped ones; empty: none.",
        section="Learned detectors",
    )
    drift_bins: int = parameter(
        500, "Bins in which the traffic is compared with the training data.", "", 50, 10000
    )
    # Share of these bins in which a feature is outside the range of the training data, above which
    # the heuristic judges, too.
    drift_share: float = 0.5


class ReadModel(Protocol):
    """A model of any kind."""

    def probabilities(self, windows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probabilities of windows; shape (N, bins, F) to (N, classes)."""


# Makes a model of its name, its number of bins, and the content of its file.
Reader = Callable[[str, int, bytes], ReadModel]


class LearnedDetector:
    """Scores bins by a model."""

    def __init__(
        self, model: Model, settings: LearnedSettings | None = None, attack_score: float = 0.9
    ) -> None:
        """Raise DetectorFault if the model can't be read.

        A probability at the card's threshold becomes `attack_score`.
        """
        self.card: ModelCard = model.card
        self._settings = settings if settings is not None else LearnedSettings()
        self._attack_score = attack_score
        self._low = np.array(model.card.low, dtype=np.float32)
        self._high = np.array(model.card.high, dtype=np.float32)
        self._least = np.full(len(FEATURES), -inf, dtype=np.float32)
        quick = FEATURES.index(_AT_LEAST)
        self._least[quick] = self._low[quick]
        self._rows: dict[int, tuple[Bin, NDArray[np.float32]]] = {}
        self._model = _reader(model.card.kind)(model.card.name, model.card.bins, model.content)

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def bins(self) -> int:
        """Return the number of bins that it looks at, for its model or for the drift."""
        return max(self.card.bins, self._settings.drift_bins)

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
        """Return the score and class of the newest bins; None before there are enough."""
        if len(bins) < min(self.card.bins, _LEAST_BINS):
            return None
        rows = self._features(bins)
        span = self._settings.drift_bins
        # Half of the span, so that the start of a flight is no drift.
        found = drift(rows[-span:], self._low, self._high, span // 2)
        share = None if found is None else found.share
        window = _padded(rows[-self.card.bins :], self.card.bins)
        (probabilities,) = self._model.probabilities(window[np.newaxis])
        attack = min(max(1.0 - float(probabilities[0]), 0.0), 1.0)
        kind, evidence = "", f"the probability of an attack is {attack:.3f}"
        if attack >= _NAMED_FROM * self.card.threshold:
            kind = self.card.classes[1 + int(probabilities[1:].argmax())]
            named = standing_out(rows, self._low, self._high)
            evidence = f"{evidence}, most likely {kind}: {named}"
        doubt = self._doubt(found)
        return Finding(self._score(attack), kind, evidence, attack, doubt, share)

    def _features(self, bins: Sequence[Bin]) -> NDArray[np.float32]:
        """Return the features of bins, shape (N, F); those of earlier calls are kept."""
        kept = self._rows
        self._rows = {
            id(one): kept[id(one)] if id(one) in kept else (one, self._vector(one)) for one in bins
        }
        return np.stack([self._rows[id(one)][1] for one in bins])

    def _vector(self, one: Bin) -> NDArray[np.float32]:
        return np.maximum(vector(one), self._least)

    def _score(self, attack: float) -> float:
        """Return the score: linear up to each threshold of the card, and from the last up to 1."""
        threshold, at, suspicious = self.card.threshold, self._attack_score, self.card.suspicious
        if attack >= threshold:
            return at + (1.0 - at) * (attack - threshold) / (1.0 - threshold)
        if suspicious is None:
            return at * attack / threshold
        if attack < suspicious:
            return SUSPICIOUS * attack / suspicious
        return SUSPICIOUS + (at - SUSPICIOUS) * (attack - suspicious) / (threshold - suspicious)

    def _doubt(self, found: Drift | None) -> str:
        if found is None or found.share <= self._settings.drift_share:
            return ""
        label, text = words(FEATURES[found.feature])
        low, high = self.card.low[found.feature], self.card.high[found.feature]
        return (
            f"The traffic is unlike the training data of {self.name}: {label} is not from "
            f"{text(low)} to {text(high)} in {100.0 * found.share:.0f} % of the bins."
        )


def load_learned(
    folder: Path,
    settings: LearnedSettings | None = None,
    attack_score: float = 0.9,
) -> LearnedDetector:
    """Return the detector of a model's folder; raise DetectorFault if it can't be used."""
    model = read_model(folder)
    if abs(model.card.bin_s - BIN_S) > 1e-9:
        raise DetectorFault(
            f"The model {model.card.name} needs bins of {model.card.bin_s:g} s, and they have "
            f"{BIN_S:g} s."
        )
    return LearnedDetector(model, settings, attack_score)


def _reader(kind: str) -> Reader:
    if kind == TREES:
        return BoostedTrees
    reader: Reader = load_plugin(MODEL_GROUP, "reader of models of the kind", kind, DetectorFault)
    return reader


def _padded(rows: NDArray[np.float32], bins: int) -> NDArray[np.float32]:
    """Return the rows after as many unknown ones as are missing, shape (bins, F)."""
    missing = bins - len(rows)
    if missing <= 0:
        return rows
    unknown = np.full((missing, rows.shape[1]), nan, dtype=np.float32)
    return np.concatenate([unknown, rows])
