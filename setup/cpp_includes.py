# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Checks which C++ code includes which: between packages, and between the rooms of pqc_tunnel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

TUNNEL = PurePosixPath("src/pqc_tunnel")
# Packages that use the libraries which pqc_tunnel installs.
USERS = (PurePosixPath("src/pqc_exposure"), PurePosixPath("src/pqc_tools"))
# The rooms of pqc_tunnel: each may include those before it.
FOLDERS = (
    "base",
    "crypto/suites", "crypto", "crypto/self_test",
    "link/framing", "link/mavlink", "link/estimate", "link/paths", "link/shaping",
    "protocol/wire", "protocol/session", "protocol/handshake", "protocol/rekey",
    "protocol/streams", "protocol/peer", "protocol/drone", "protocol/ground", "protocol/tunnel",
    "os", "net", "command_line", "config", "identity",
    "engine/sockets", "engine/loop",
    "control",
    "node/messages", "node/diagnosis", "node/interface",
    "daemon", "command", "command/check",
)  # fmt: skip
# Programs of their own, and the two ends.
STRANGERS = {
    ("daemon", "node"),
    ("command", "node"),
    ("command", "daemon"),
    ("protocol/ground", "protocol/drone"),
}
# The core gets time and bytes as arguments.
CORE = FOLDERS[: FOLDERS.index("os")]
OUTSIDE_OF_CORE = re.compile(
    r"#include <(rclcpp|sys/socket|sys/epoll|netinet|arpa|poll|pthread|thread)"
    r"|(steady|system|high_resolution)_clock::now"
)
# They measure how long a computation took, on the thread that runs it.
STOPWATCHES = ("self_test.cpp", "handshake_crypto.cpp")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def include_findings(root: Path, files: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each violation; `files` are the tracked ones, relative to the root."""
    for name in files:
        path = PurePosixPath(name)
        if path.suffix not in (".cpp", ".hpp"):
            continue
        text = (root / name).read_text(encoding="utf-8")
        if any(path.is_relative_to(package) for package in USERS):
            yield from _user_findings(path, text)
        elif path.is_relative_to(TUNNEL):
            yield from _tunnel_findings(path, text)


def _user_findings(path: PurePosixPath, text: str) -> Iterator[str]:
    for header in INCLUDE.findall(text):
        if header.rpartition("/")[0] in FOLDERS:
            yield f"{path}: {header} is not installed by pqc_tunnel"


def _tunnel_findings(path: PurePosixPath, text: str) -> Iterator[str]:
    folder = _folder(path.relative_to(TUNNEL).parts)
    if folder is None:
        return
    if folder not in FOLDERS:
        yield f"{path}: setup/cpp_includes.py does not know the room {folder}"
        return
    if folder in CORE and path.name not in STOPWATCHES and (found := OUTSIDE_OF_CORE.search(text)):
        yield f"{path}: the core knows no socket, clock, thread or ROS: {found[0]}"
    for header in INCLUDE.findall(text):
        used = header.rpartition("/")[0]
        if used not in FOLDERS:
            continue
        if FOLDERS.index(used) > FOLDERS.index(folder) or any(
            folder.startswith(one) and used.startswith(other) for one, other in STRANGERS
        ):
            yield f"{path}: {folder} must not include {header}"


def _folder(parts: tuple[str, ...]) -> str | None:
    """Return the room of a source or header; None for tests and others."""
    return "/".join(parts[1:-1]) if parts[0] == "src" else None
