# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A relay in front of the ground station that owns every datagram of both directions."""

from __future__ import annotations

import contextlib
import selectors
import threading
import time

from pqc_sim.datagrams.udp_port import Endpoint

from pqc_bench.harness.places import ATTACKER, Places
from pqc_bench.harness.worker import Worker
from pqc_bench.hold.tactics import Tactic, passing

UP, DOWN = "up", "down"
_TICK_S = 0.002
_LARGEST = 65535


class Adversary(Worker):
    """Passes datagrams by the tactic of each direction; use it as a context manager."""

    def __init__(self, places: Places, ground: Endpoint) -> None:
        """Bind its sockets: the link forwards to `endpoint`, and it forwards to the ground."""
        super().__init__()
        # Where each direction arrives.
        self._facing = {way: places.udp(ATTACKER) for way in (UP, DOWN)}
        for facing in self._facing.values():
            facing.setblocking(False)
        self._facing[DOWN].connect(ground)
        self._drone: Endpoint | None = None
        self._tactics = {UP: passing(), DOWN: passing()}
        self._began = {UP: 0.0, DOWN: 0.0}
        self._lock = threading.Lock()

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(*self._facing[UP].getsockname())

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        for facing in self._facing.values():
            facing.close()

    def use(self, way: str, tactic: Tactic) -> None:
        """Treat a direction by a tactic from now on; what is still held goes on at once."""
        with self._lock:
            for _, datagram in self._tactics[way].held:
                self._send(way, datagram)
            self._tactics[way] = tactic
            self._began[way] = time.monotonic()

    def _work(self) -> None:
        with selectors.DefaultSelector() as selector:
            for way, facing in self._facing.items():
                selector.register(facing, selectors.EVENT_READ, way)
            while not self._over.is_set():
                arrived = [key.data for key, _ in selector.select(_TICK_S)]
                with self._lock:
                    for way in arrived:
                        self._receive(way)
                    for way, tactic in self._tactics.items():
                        for datagram in tactic.release(time.monotonic() - self._began[way]):
                            self._send(way, datagram)

    def _receive(self, way: str) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            while True:
                datagram, source = self._facing[way].recvfrom(_LARGEST)
                if way == UP:
                    self._drone = Endpoint(*source)
                self._tactics[way].take(datagram, time.monotonic() - self._began[way])

    def _send(self, way: str, datagram: bytes) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            if way == UP:
                self._facing[DOWN].send(datagram)
            elif self._drone is not None:
                self._facing[UP].sendto(datagram, self._drone)
