# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The same bytes over a plain TCP connection on this machine."""

from __future__ import annotations

import socket
import threading
import time

from pqc_testing.ports import LOOPBACK

_CHUNK = 65536


def transfer_s(size: int) -> float:
    """Return how long a request, and an answer of so many bytes, take over a new connection."""
    with socket.create_server((LOOPBACK, 0)) as server:
        sender = threading.Thread(target=_serve, args=(server, bytes(size)))
        sender.start()
        began = time.perf_counter()
        with socket.create_connection(server.getsockname()) as connection:
            connection.sendall(b"?")
            left = size
            while left and (received := connection.recv(_CHUNK)):
                left -= len(received)
        took = time.perf_counter() - began
        sender.join()
    assert left == 0
    return took


def _serve(server: socket.socket, answer: bytes) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(1)
        connection.sendall(answer)
