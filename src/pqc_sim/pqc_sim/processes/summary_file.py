# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Summary files: small JSON documents, replaced as a whole so that no reader sees half of one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pqc_policy.named_files import NoFile, read_document

from pqc_sim.processes.output_path import is_device


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Replace the file by the summary, atomically; a device or a pipe gets it as it is."""
    text = json.dumps(summary, indent=2) + "\n"
    if is_device(path):
        path.write_text(text, encoding="utf-8")
        return
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def read_summary(path: Path) -> dict[str, Any] | None:
    """Return the summary, or None while there is none."""
    try:
        content = read_document(path)
    except NoFile:
        return None
    return content if isinstance(content, dict) else None
