# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs at the ends of a tunnel, as plain UDP sockets."""

from __future__ import annotations

import socket
import threading
import time

from graph_client import PATIENCE_S

GREETING = b"here I am"


class Application:
    """A socket that talks to one end's plaintext port."""

    def __init__(self, tunnel: tuple[str, int]) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.connect(tunnel)

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def send(self, datagram: bytes) -> None:
        """Send a datagram to the tunnel; it is lost if the tunnel does not run, as on any link."""
        try:
            self.socket.send(datagram)
        except ConnectionRefusedError:  # the tunnel is not running (ICMP)
            self.socket.send(datagram)

    def receive(self, timeout_s: float = PATIENCE_S) -> bytes:
        """Return the next datagram from the tunnel, except greetings; TimeoutError without one."""
        while (datagram := self._receive(timeout_s)).startswith(GREETING):
            pass
        return datagram

    def hears_greeting(self, timeout_s: float) -> bool:
        """Return whether the next datagram is this one."""
        try:
            return self._receive(timeout_s).startswith(GREETING)
        except TimeoutError:
            return False

    def _receive(self, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        while True:
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                return self.socket.recv(65536)
            except ConnectionRefusedError:
                continue


def introduce(near: Application, far: Application) -> None:
    """Send until the far end receives it; both tunnels then know where to deliver."""
    deadline = time.monotonic() + PATIENCE_S
    near.send(GREETING)
    while not far.hears_greeting(timeout_s=0.1):
        assert time.monotonic() < deadline, "nothing passed through the tunnel"
        far.send(GREETING)  # its tunnel, which may have begun after it, delivers to who has sent
        near.send(GREETING)


class Stream:
    """Numbered datagrams from one application to another until stopped."""

    def __init__(self, near: Application, far: Application, interval_s: float = 1 / 320) -> None:
        self._near = near
        self._far = far
        self._interval_s = interval_s
        self._stopping = threading.Event()
        self.sent: list[bytes] = []
        self.received: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._send, daemon=True),
            threading.Thread(target=self._receive, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop sending and wait for datagrams in flight."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _send(self) -> None:
        while not self._stopping.wait(self._interval_s):
            datagram = f"datagram {len(self.sent)} ".encode() * 8
            self.sent.append(datagram)
            self._near.send(datagram)
        self._near.send(b"end")

    def _receive(self) -> None:
        while (datagram := self._far.receive()) != b"end":
            self.received.append(datagram)
