# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Summary files: small JSON documents, replaced as a whole so that no reader sees half of one."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Replace the file by the summary, atomically; a device or a pipe gets it as it is."""
    text = json.dumps(summary, indent=2) + "\n"
    if _is_device(path):
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
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return content if isinstance(content, dict) else None


def require_folder(file: Path | None) -> None:
    """Raise RunFault if the folder of a file that is to be written does not exist."""
    if file is not None and not file.absolute().parent.is_dir():
        raise RunFault(f"there is no folder '{file.absolute().parent}' to write to")


def require_writable(file: Path | None) -> None:
    """Raise RunFault if a file can't be written."""
    require_folder(file)
    if file is None or _is_device(file):
        return
    try:
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if file.exists():
            file.open("ab").close()
        tempfile.TemporaryFile(dir=file.absolute().parent).close()
    except OSError as error:
        raise RunFault(f"'{file}' can't be written: {error.strerror}") from error


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()
