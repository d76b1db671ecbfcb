# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody on the path, who has frames come from the address of a third party first."""

from __future__ import annotations

import select
import socket
import time
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint

from pqc_bench.harness.places import ATTACKER, Places
from pqc_bench.harness.worker import Worker

_IS_HELLO = 0x80  # or more: the first byte of what is not sealed
_WAIT_S = 0.1


class Between(Worker):
    """Passes datagrams on between a drone and its ground station; a context manager."""

    def __init__(self, places: Places, ground: Endpoint) -> None:
        """Open the ports: the drone sends to `endpoint`, the ground station sees another."""
        super().__init__()
        self._ground, self._drone = ground, None
        self._to_drone, self._to_ground, self._third_party = (
            places.udp(ATTACKER) for _ in range(3)
        )
        self.endpoint = Endpoint(*self._to_drone.getsockname())
        self._target, self._again_s, self._next = "", 0.0, 0.0
        self._account = {"sent": 0, "received": 0}

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        for udp in (self._to_drone, self._to_ground, self._third_party):
            udp.close()

    def begin(self, target: str, again_s: float) -> None:
        """Make a frame to this end come from elsewhere, every so many seconds from now on."""
        self._account = {"sent": 0, "received": 0}
        self._again_s, self._next, self._target = again_s, 0.0, target

    def finish(self) -> dict[str, Any]:
        """Return the bytes in the third party's name, and those that it got."""
        self._target = ""
        return dict(self._account)

    def _work(self) -> None:
        while not self._over.is_set():
            sockets = [self._to_drone, self._to_ground, self._third_party]
            for udp in select.select(sockets, [], [], _WAIT_S)[0]:
                datagram, source = udp.recvfrom(65536)
                if udp is self._third_party:
                    self._account["received"] += len(datagram)
                elif udp is self._to_drone:
                    self._drone = source
                    self._pass_on(datagram, "gcs", self._to_ground, self._ground)
                elif self._drone is not None:
                    self._pass_on(datagram, "drone", self._to_drone, self._drone)

    def _pass_on(self, datagram: bytes, end: str, udp: socket.socket, to: tuple[str, int]) -> None:
        now = time.monotonic()
        if end == self._target and datagram[0] < _IS_HELLO and now >= self._next:
            self._next = now + self._again_s
            self._third_party.sendto(datagram, to)
            self._account["sent"] += len(datagram)
        udp.sendto(datagram, to)
