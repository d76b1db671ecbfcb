# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A cell that was really run (data/observed_cell.json), for tests to change."""

from __future__ import annotations

import json
from pathlib import Path

from pqc_bench.cell.observed import Observed

DATA = Path(__file__).parent / "data"


def observed_cell() -> Observed:
    """Return the observations of a sound cell."""
    text = (DATA / "observed_cell.json").read_text(encoding="utf-8")
    return Observed(**json.loads(text))
