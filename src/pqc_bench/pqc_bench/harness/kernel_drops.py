# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Datagrams that the kernel dropped because the buffer of a socket was full."""

from __future__ import annotations

import contextlib
from pathlib import Path

# Those of the network namespace of this thread.
_TABLES = (Path("/proc/thread-self/net/udp"), Path("/proc/thread-self/net/udp6"))


def kernel_drops(port: int) -> int:
    """Return the datagrams dropped so far at all UDP sockets of a port."""
    total = 0
    for table in _TABLES:
        with contextlib.suppress(FileNotFoundError):
            total += _drops(table.read_text(encoding="ascii"), port)
    return total


def _drops(table: str, port: int) -> int:
    rows = (line.split() for line in table.splitlines()[1:])
    return sum(int(row[-1]) for row in rows if int(row[1].rpartition(":")[2], 16) == port)
