# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tell whether a process runs, whoever its parent is."""

from __future__ import annotations

from pathlib import Path


def runs(pid: int) -> bool:
    """Tell whether a process runs; whoever inherits an ended one may leave it unreaped."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
