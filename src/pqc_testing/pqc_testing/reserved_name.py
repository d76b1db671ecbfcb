# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Names that programs of this machine reserve by abstract sockets."""

from __future__ import annotations

import socket


def reserve(name: str) -> socket.socket | None:
    """Reserve a name until the socket is closed; None if another program has it."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        holder.bind(f"\0{name}")
    except OSError:
        holder.close()
        return None
    return holder
