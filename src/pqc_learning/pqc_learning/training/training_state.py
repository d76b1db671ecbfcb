# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a long training has got to, in a file, so that it can go on after an interruption."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import jax
import jax.numpy as jnp
import numpy as np

from pqc_learning.data.dataset import Track

_KEY, _PLACE, _LOSS = "key", "place", "loss"
# What is trained, and how.
_SOURCES = ("network.py", "transformer.py")


class TrainingState:
    """The file of one training: of these sources and data, this seed and number of steps."""

    def __init__(self, file: Path | None, training: Sequence[Track], seed: int, steps: int) -> None:
        """Use a file; None: nothing is saved."""
        self._file = file
        digest = hashlib.sha256(f"{seed} {steps}".encode())
        for source in _SOURCES:
            digest.update(Path(__file__).with_name(source).read_bytes())
        for track in training:
            digest.update(track.features.tobytes())
            digest.update(track.labels.tobytes())
        self._key = digest.hexdigest()

    def read(self, like: Any) -> tuple[int, float, Any] | None:
        """Return steps done, loss and the values in the form of `like`; None if none are saved."""
        if self._file is None or not self._file.is_file():
            return None
        leaves, form = jax.tree.flatten(like)
        try:
            with np.load(self._file, allow_pickle=False) as saved:
                if str(saved[_KEY]) != self._key:
                    return None
                values = [jnp.asarray(saved[str(place)]) for place in range(len(leaves))]
                return int(saved[_PLACE]), float(saved[_LOSS]), jax.tree.unflatten(form, values)
        except (OSError, ValueError, KeyError, BadZipFile):
            return None  # begin again

    def write(self, place: int, loss: float, values: Any) -> None:
        """Save the values after a step."""
        if self._file is None:
            return
        leaves = {str(at): np.asarray(leaf) for at, leaf in enumerate(jax.tree.leaves(values))}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_name(f".{self._file.name}.new")
        with new.open("wb") as stream:
            np.savez(stream, **leaves, **{_KEY: self._key, _PLACE: place, _LOSS: loss})
        new.replace(self._file)

    def remove(self) -> None:
        """Remove the file of a training that is complete."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)
