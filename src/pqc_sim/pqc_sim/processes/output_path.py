# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the paths to write to, before anything starts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault


def is_device(path: Path) -> bool:
    """Return whether it is there, but neither a file nor a folder: a device or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def require_folder(file: Path | None) -> None:
    """Raise RunFault if the folder of a file that is to be written does not exist."""
    if file is not None and not file.absolute().parent.is_dir():
        raise RunFault(f"there is no folder '{file.absolute().parent}' to write to")


def require_writable(file: Path | None) -> None:
    """Raise RunFault if a file can't be written or replaced."""
    require_folder(file)
    if file is None or is_device(file):
        return
    if file.is_dir():
        raise RunFault(f"'{file}' is a folder; name a file in it")
    try:
        if file.exists():
            file.open("ab").close()
        _create_file_in(file.absolute().parent)
    except OSError as error:
        raise RunFault(f"'{file}' can't be written: {error.strerror}") from error


def require_writable_folder(folder: Path) -> None:
    """Raise RunFault if no file can be written in a folder, which need not exist yet."""
    there = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    try:
        _create_file_in(there)
    except OSError as error:
        raise RunFault(f"'{folder}' can't be written: {error.strerror}") from error


def _create_file_in(folder: Path) -> None:
    tempfile.TemporaryFile(dir=folder).close()
