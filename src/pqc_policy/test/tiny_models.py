# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Small models of boosted trees for tests, in folders with their cards.

A model has one tree for each class. Its margin is the bias of the class, and that of the first
class of attack is high where strangers send more than some datagrams a second.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
from pqc_policy.sensing.boosted_trees import CALIBRATION, STATISTICS, TREE
from pqc_policy.sensing.model_card import CLASSES, FORMAT
from pqc_policy.sensing.traffic.features import FEATURES

TELLING = "dropped_unknown"
BINS = 5
_MANY = log10(1.0 + 20.0)
BIAS = (0.0, *[-8.0] * (len(CLASSES) - 1))


def trees(bias: Sequence[float] = BIAS) -> np.ndarray:
    made = np.zeros(len(CLASSES), dtype=TREE)
    made["leaf"] = np.array(bias)[:, np.newaxis]
    telling = made[1]
    telling["statistic"][0] = STATISTICS.index(f"last {TELLING}")
    telling["bound"][0] = _MANY
    telling["unknown_left"][0] = 1
    telling["leaf"][len(telling["leaf"]) // 2 :] += 16.0
    return made


def model(
    bias: Sequence[float] = BIAS, made: np.ndarray | None = None, scale: float = 1.0
) -> bytes:
    """Return the file of a model, with these trees or those of a bias."""
    calibration = np.zeros(1, dtype=CALIBRATION)
    calibration["scale"] = scale
    return calibration.tobytes() + (trees(bias) if made is None else made).tobytes()


def card(content: bytes, name: str, **changes: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "name": name,
        "kind": "trees",
        "bin_s": 0.6,
        "bins": BINS,
        "features": list(FEATURES),
        "classes": list(CLASSES),
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "training": {"seed": 1},
        "metrics": {},
        "thresholds": {"attack": 0.8},
        "usual_range": {key: [-4.0, 4.0] for key in FEATURES},
        **changes,
    }


def folder(parent: Path, name: str = "tiny", content: bytes | None = None, **changes: Any) -> Path:
    """Write a model and its card, with changes to the card, and return the folder."""
    content = model() if content is None else content
    place = parent / name
    place.mkdir(parents=True)
    (place / "model.bin").write_bytes(content)
    text = json.dumps(card(content, name, **changes))
    (place / "card.json").write_text(text, encoding="utf-8")
    return place


def infinite_card(place: Path) -> None:
    """Replace the threshold in a card by a number that is not finite."""
    file = place / "card.json"
    file.write_text(file.read_text("utf-8").replace('"attack": 0.8', '"attack": NaN'), "utf-8")
