# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts that drone and ground station share: sockets, peers, counters."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections import Counter
from concurrent.futures import Future

from pqc_reference import datagrams
from pqc_reference.config import Config
from pqc_reference.control import ControlFrame
from pqc_reference.datagrams import Address
from pqc_reference.epoch_keys import SESSION_FIELD, is_frame
from pqc_reference.loop import Loop
from pqc_reference.peer import Peer, Report
from pqc_reference.suites import Suite


class Role(ABC):
    """One end of the tunnel. Belongs to the packet thread."""

    def __init__(self, config: Config, loop: Loop, report: Report) -> None:
        """Open the sockets."""
        self.config = config
        self.loop = loop
        self.report = report
        self.handshakes = self.rekeys = self.rollbacks = 0
        self.unassigned_drops: Counter[str] = Counter()
        self._link = datagrams.bound_socket(
            socket.SOCK_DGRAM, config.bind_address, config.datagram_port, like=config.gcs_address
        )
        self.peers = [Peer(name, config, self, self._link, report) for name in config.plaintexts]
        self.loop.watch(self._link, lambda: datagrams.drain(self._link, self._handle_datagram))
        for peer in self.peers:
            self.loop.watch(peer.plaintext.socket, peer.handle_plaintext)

    @abstractmethod
    def start(self) -> None:
        """Start the other threads."""

    def close(self) -> None:
        """Close the sockets, after the end of the loop."""
        for opened in (self._link, *(peer.plaintext.socket for peer in self.peers)):
            opened.close()

    def _handle_datagram(self, datagram: bytes, sender: Address) -> None:
        if not is_frame(datagram):
            self.unassigned_drops["malformed"] += 1
        elif (peer := self.find_peer(datagram[SESSION_FIELD])) is None:
            self.unassigned_drops["unknown"] += 1
        else:
            peer.handle_frame(datagram, sender)

    @abstractmethod
    def find_peer(self, session_id: bytes) -> Peer | None:
        """Return the peer that a session belongs to."""

    @abstractmethod
    def handle_heard(self, peer: Peer) -> None:
        """React to any authenticated packet."""

    @abstractmethod
    def handle_proved(self, peer: Peer) -> None:
        """React to the first packet under new keys."""

    @abstractmethod
    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        """Handle a control frame; False if it means nothing here."""

    @abstractmethod
    def handle_timeout(self, now: float) -> float:
        """Do what is due; return when to call this next."""

    @abstractmethod
    def request_rekey(self, suite: Suite | None) -> Future[str | None]:
        """Rekey to a suite, or to fresh keys; the result says why that failed, or is None."""
