# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads files of /sys; a missing value is None, never zero."""

from __future__ import annotations

import re
from pathlib import Path

_NUMBER = re.compile(r"\d+")


def read_text(file: Path) -> str | None:
    """Return the text of a file with one line; None if it can't be read."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def read_int(file: Path) -> int | None:
    """Return the integer in a file; None if there is none."""
    text = read_text(file)
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def numbered(folder: Path, pattern: str) -> list[Path]:
    """Return what matches in a folder, ordered by the numbers in the names: 2 before 10."""
    return sorted(
        folder.glob(pattern), key=lambda file: [int(n) for n in _NUMBER.findall(file.name)]
    )
