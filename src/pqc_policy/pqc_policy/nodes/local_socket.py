# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Opens a UDP port that programs of this machine send to."""

from __future__ import annotations

import socket

from pqc_policy.parameters import ParameterFault, Unavailable

_BUFFER_BYTES = 1 << 20


def listen(address: str, port: int, parameter: str) -> socket.socket:
    """Return a socket that does not block; raise ParameterFault or Unavailable without one.

    `parameter` is the one that has the address.
    """
    try:
        family, kind, _, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_DGRAM)[0]
        listening = socket.socket(family, kind)
    except OSError as error:
        raise ParameterFault(f"{parameter} {address!r} is no address: {error}.") from None
    try:
        listening.bind(where)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        reason = error.strerror or error
        raise Unavailable(f"UDP port {port} of {address} can't be used: {reason}.") from None
    return listening
