# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A cell that was really run (data/observed_cell.json), and its metrics, for tests to change."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from pqc_bench.cell.observed import Observed
from pqc_bench.metrics.aggregator import aggregate
from pqc_bench.metrics.canonical import seal

DATA = Path(__file__).parent / "data"


def observed_cell() -> Observed:
    text = (DATA / "observed_cell.json").read_text(encoding="utf-8")
    return Observed(**json.loads(text))


@cache
def example_text() -> str:
    """Return the metrics of that cell as the text of a file."""
    return json.dumps(seal(aggregate(observed_cell())))


def example_metrics() -> dict[str, Any]:
    return json.loads(example_text())
