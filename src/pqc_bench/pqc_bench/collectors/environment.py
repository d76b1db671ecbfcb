# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The environment collector: values that do not change during a run."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import re
from functools import cache
from pathlib import Path
from typing import Any

from pqc_bench.collectors.collector import Collector
from pqc_bench.harness.machine import commit, machine_kind

_KIB_PER_MIB = 1024.0


class EnvironmentCollector(Collector):
    """Machine, system and versions."""

    name = "environment"
    static = True

    def _begin(self) -> None:
        self._facts: dict[str, Any] = {}

    def _look(self) -> bool:
        self._facts = facts()
        return True

    def _result(self) -> dict[str, Any]:
        return dict(self._facts)


@cache
def facts() -> dict[str, Any]:
    """Return the environment for category A; null where the machine provides no value."""
    return {
        "git_commit": commit() or None,
        "machine_kind": machine_kind(),
        "cpu_model": _field(Path("/proc/cpuinfo"), r"(?:model name|Model)\s*:\s*(.+)"),
        "cpu_cores": len(os.sched_getaffinity(0)),
        "memory_mib": _memory_mib(),
        "os": _field(Path("/etc/os-release"), r'PRETTY_NAME="?([^"\n]+)'),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "ros_distro": os.environ.get("ROS_DISTRO") or None,
        "rmw": os.environ.get("RMW_IMPLEMENTATION") or "rmw_fastrtps_cpp",
        "liboqs": _liboqs_version(),
    }


def _field(path: Path, pattern: str) -> str | None:
    try:
        found = re.search(pattern, path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return found[1].strip() if found else None


def _memory_mib() -> float | None:
    total = _field(Path("/proc/meminfo"), r"MemTotal:\s*(\d+) kB")
    return round(int(total) / _KIB_PER_MIB, 1) if total else None


def _liboqs_version() -> str | None:
    """Return the version of the liboqs that the workspace built, or else the machine's own."""
    try:
        # An end of a test bed has no workspace.
        from ament_index_python.packages import PackageNotFoundError, get_package_prefix
    except ModuleNotFoundError:
        return None
    try:
        built = Path(get_package_prefix("liboqs_vendor")) / "lib" / "liboqs.so"
        path = str(built) if built.exists() else ctypes.util.find_library("oqs")
    except (PackageNotFoundError, OSError):
        return None
    if path is None:
        return None
    library = ctypes.CDLL(path)
    library.OQS_version.restype = ctypes.c_char_p
    return library.OQS_version().decode()
