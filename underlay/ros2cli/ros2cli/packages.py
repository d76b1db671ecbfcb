# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Files and programs that packages install."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)

from .cli import CommandError


def package_prefix(package: str) -> Path:
    """Return the install prefix of a package; CommandError if there is no such package."""
    try:
        return Path(get_package_prefix(package))
    except (PackageNotFoundError, ValueError) as error:
        raise CommandError(f"Package '{package}' not found") from error


def executables(package: str) -> list[Path]:
    """Return the programs a package installs for `ros2 run`."""
    folder = package_prefix(package) / "lib" / package
    if not folder.is_dir():
        return []
    found = (path for path in folder.rglob("*") if path.is_file() and os.access(path, os.X_OK))
    return sorted(found)


def executable(package: str, name: str) -> Path:
    """Return the path of one program; CommandError if there is none or more than one."""
    paths = [path for path in executables(package) if path.name == name]
    if not paths:
        raise CommandError("No executable found")
    if len(paths) > 1:
        listed = "".join(f"\n- {path}" for path in paths)
        raise CommandError(f"Multiple executables found:{listed}")
    return paths[0]


def share_file(package: str, name: str) -> Path:
    """Return the path of a file below the share folder; CommandError if it is not exactly one."""
    package_prefix(package)
    share = Path(get_package_share_directory(package))
    # Folders may be symbolic links, which Path.rglob does not enter.
    paths = [
        Path(folder) / name
        for folder, _, files in os.walk(share, followlinks=True)
        if name in files
    ]
    if not paths:
        raise CommandError(
            f"file '{name}' was not found in the share directory of package '{package}' "
            f"which is at '{share}'"
        )
    if len(paths) > 1:
        listed = ", ".join(f"'{path}'" for path in paths)
        raise CommandError(
            f"file '{name}' was found more than once in the share directory of package "
            f"'{package}': [{listed}]"
        )
    return paths[0]
