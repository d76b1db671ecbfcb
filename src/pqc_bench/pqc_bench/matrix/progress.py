# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a run: a line per cell, with the time left."""

from __future__ import annotations

from typing import Any

from pqc_bench.matrix.state_file import COMPLETED, Entry


def line(number: int, total: int, entry: Entry, metrics: dict[str, Any] | None) -> str:
    head = f"{number:>{len(str(total))}}/{total}  {entry.cell}  {entry.seconds or 0.0:.1f} s"
    if entry.status != COMPLETED:
        return f"{head}  FAILED: {entry.reason}"
    parts = []
    if metrics is not None:
        parts = [
            _figure("handshake", metrics["d_handshake"]["total_ms"], "ms"),
            _figure("rekey", metrics["f_rekey"]["total_ms"], "ms"),
            _figure("lost", metrics["g_data_plane"]["loss_ratio"], "%", 100.0),
        ]
    flags = [f"flags: {entry.flag_words}"] if entry.flags else []
    return "  ".join([head, *parts, *flags])


def _figure(name: str, value: float | None, unit: str, factor: float = 1.0) -> str:
    return f"{name} -" if value is None else f"{name} {factor * value:.3g} {unit}"
