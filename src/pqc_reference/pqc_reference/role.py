# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts that drone and ground station share: sockets, peers, counters, the tick."""

from __future__ import annotations

import asyncio
import socket
import time
from abc import ABC, abstractmethod
from collections import Counter

from pqc_reference import datagrams
from pqc_reference.config import Config
from pqc_reference.control import ControlFrame
from pqc_reference.datagrams import Address
from pqc_reference.epoch_keys import SESSION_FIELD, is_frame
from pqc_reference.peer import Peer, Report
from pqc_reference.suites import Suite

_TICK_S = 0.02


class Role(ABC):
    """One end of the tunnel; everything but public-key operations runs in one event loop."""

    def __init__(self, config: Config, report: Report) -> None:
        """Open the sockets; OSError if one cannot be used."""
        self.config = config
        self.report = report
        self.handshakes = self.rekeys = self.rollbacks = 0
        self.unassigned_drops: Counter[str] = Counter()
        self._link = datagrams.bound_socket(
            socket.SOCK_DGRAM, config.bind_address, config.datagram_port, like=config.gcs_address
        )
        self.peers = [Peer(name, config, self, self._link, report) for name in config.plaintexts]

    async def run(self) -> None:
        """Run until cancelled, then close the sockets."""
        loop = asyncio.get_running_loop()
        readers = {peer.plaintext.socket: peer.handle_plaintext for peer in self.peers}
        readers[self._link] = lambda: datagrams.drain(self._link, self._handle_datagram)
        try:
            for source, handle in readers.items():
                loop.add_reader(source, handle)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._tick())
                tasks.create_task(self.work())
        finally:
            for source in readers:
                loop.remove_reader(source)
                source.close()

    async def _tick(self) -> None:
        while True:
            now = time.monotonic()
            for peer in self.peers:
                peer.handle_tick(now)
                self.handle_tick(peer, now)
            await asyncio.sleep(_TICK_S)

    def _handle_datagram(self, datagram: bytes, sender: Address) -> None:
        if not is_frame(datagram):
            self.unassigned_drops["malformed"] += 1
        elif (peer := self.find_peer(datagram[SESSION_FIELD])) is None:
            self.unassigned_drops["unknown"] += 1
        else:
            peer.handle_frame(datagram, sender)

    @abstractmethod
    async def work(self) -> None:
        """Do handshakes until cancelled."""

    @abstractmethod
    def find_peer(self, session_id: bytes) -> Peer | None:
        """Return the peer that a session belongs to."""

    @abstractmethod
    def handle_authenticated(self, peer: Peer) -> None:
        """React to any authenticated packet."""

    @abstractmethod
    def handle_proved(self, peer: Peer) -> None:
        """React to the first packet under new keys."""

    @abstractmethod
    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        """Handle a control frame; False if this role ignores it."""

    @abstractmethod
    def handle_tick(self, peer: Peer, now: float) -> None:
        """Do what is due for a peer; `now` is monotonic, in s."""

    @abstractmethod
    def request_rekey(self, suite: Suite | None) -> asyncio.Future[str | None]:
        """Rekey to a suite, or to fresh keys; the result is None, or why the rekey failed."""
