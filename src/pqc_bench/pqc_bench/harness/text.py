# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Results as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pqc_bench.harness.places import sentence


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return rows as lines: the first columns begin in line, the others end in line."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  "
        + "   ".join(
            f"{text:{'<' if place < left else '>'}{width}}"
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def conclusion(result: dict[str, Any], faults: Sequence[str]) -> list[str]:
    """Return where a measurement ran, as far as the result says so, and what failed."""
    lines = [sentence(result["network"])] if "network" in result else []
    lines += [f"  machine          {result['machine']}"] if "machine" in result else []
    return [*lines, *(f"  failed: {fault}" for fault in faults)]
