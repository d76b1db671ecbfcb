# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the folder of a learned detector's model, and checks it before anything uses it.

A folder has the name of the model, and two files: `card.json` (model_card.py) and `model.bin`. The
checked bytes are those that are used: the file is not read again.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path

from pqc_policy.named_files import FileFault, read_bytes, read_text
from pqc_policy.sensing.detector_fault import DetectorFault
from pqc_policy.sensing.model_card import (
    MOST_CARD_BYTES,
    MOST_MODEL_BYTES,
    ModelCard,
    parse_card,
)

CARD = "card.json"
MODEL = "model.bin"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# A package that reads models of a kind may have some, too.
MODEL_GROUP = "pqc_policy.models"
_PACKAGE = "pqc_policy"


@dataclass(frozen=True)
class Model:
    """A model whose files are complete and belong together."""

    card: ModelCard
    content: bytes = field(repr=False)  # of model.bin


def find_model(name: str, model_dir: Path | None = None) -> Path | None:
    """Return the folder of a model, one's own before a shipped one; None if there is none."""
    if not _NAME.fullmatch(name):
        return None
    folders = [*([model_dir] if model_dir is not None else []), *shipped_models()]
    # Unlike Path.is_dir, a folder that must not be looked into is none.
    return next((place / name for place in folders if os.path.isdir(place / name)), None)


def shipped_models() -> list[Path]:
    """Return the folders in which shipped models may be: of the sources, and installed."""
    sources = Path(__file__).resolve().parents[3]
    readers = (one.dist.name for one in entry_points(group=MODEL_GROUP) if one.dist is not None)
    packages = (_PACKAGE, *readers)
    places = [sources / package / "models" for package in packages]
    for package in packages:
        # No such package, or no environment of ROS: the training has none.
        with suppress(ImportError, LookupError, OSError):
            from ament_index_python.packages import get_package_share_directory

            places.append(Path(get_package_share_directory(package)) / "models")
    return places


def read_model(folder: Path) -> Model:
    """Return the model of a folder; raise DetectorFault if it is missing, altered or foreign."""
    name = folder.name
    file = folder / CARD
    try:
        card = parse_card(read_text(file, MOST_CARD_BYTES, trusted=True), name)
        file = folder / MODEL
        content = read_bytes(file, MOST_MODEL_BYTES, trusted=True)
    except FileFault as fault:
        raise DetectorFault(f"The model {name} can't be used: {file.name} {fault}.") from fault
    if len(content) != card.size:
        raise DetectorFault(
            f"The model {name} has {len(content)} bytes in place of the {card.size} of its card."
        )
    if hashlib.sha256(content).hexdigest() != card.sha256:
        raise DetectorFault(f"The model {name} is not the file that its card describes (SHA-256).")
    return Model(card, content)
