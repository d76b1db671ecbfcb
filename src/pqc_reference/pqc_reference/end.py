# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One end of the tunnel without sockets, clocks and threads: what drone and ground station share.

Everything that happens to an end is a call with the time in s of a monotonic clock; the call
returns the datagrams to send. Public-key operations are jobs, which the caller runs where it likes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, NamedTuple

from pqc_reference.config import Config
from pqc_reference.crypto.key_schedule import Traffic
from pqc_reference.crypto.suites import Suite
from pqc_reference.handshake import HandshakeFailed
from pqc_reference.peer import Peer, Report
from pqc_reference.session.epoch_keys import Dropped, EpochKeys, Session, is_sealed, key_id_of
from pqc_reference.session.layers import Layers
from pqc_reference.session.replay_window import ReplayWindow
from pqc_reference.wire.control import ControlMessage
from pqc_reference.wire.streams import Streams

Address = Hashable
Deliver = Callable[[str, bytes], None]  # takes the name of a peer and a datagram

_HELLO_BITS = 0b10


class Datagram(NamedTuple):
    payload: bytes
    address: Address


@dataclass(frozen=True)
class Job:
    """A public-key operation: `work` may run in any thread; it raises HandshakeFailed."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[HandshakeFailed], None]

    def run(self) -> Any:
        """Return the outcome, for End.handle_outcome."""
        try:
            return self.work()
        except HandshakeFailed as failed:
            return failed


class End(ABC):
    def __init__(self, config: Config, report: Report, deliver: Deliver) -> None:
        """`report` takes events, `deliver` datagrams for the application."""
        self.config = config
        self.report, self.deliver = report, deliver
        self.now = 0.0
        self.handshakes = self.rekeys = self.rollbacks = 0
        self.unassigned_drops: Counter[str] = Counter()
        self.peers = [Peer(name, config, self) for name in config.plaintexts]
        self._outgoing: list[Datagram] = []
        self._jobs: list[Job] = []

    # --- What happens to an end ---

    def handle_datagram(self, datagram: bytes, sender: Address, now: float) -> list[Datagram]:
        self.now = now
        if not datagram:
            return self._flush()
        if is_sealed(datagram):
            self._handle_sealed(datagram, sender)
        elif datagram[0] >> 6 == _HELLO_BITS:
            self.handle_hello(datagram, sender)
        else:
            self.unassigned_drops["malformed"] += 1
        return self._flush()

    def handle_plaintext(self, name: str, datagram: bytes, now: float) -> list[Datagram]:
        self.now = now
        next(peer for peer in self.peers if peer.name == name).seal(datagram)
        return self._flush()

    def handle_timeout(self, now: float) -> list[Datagram]:
        """Do what is due; call it at `next_timeout`, or earlier."""
        self.now = now
        for peer in self.peers:
            peer.handle_timeout()
            self.handle_due(peer)
        return self._flush()

    def handle_outcome(self, job: Job, outcome: Any, now: float) -> list[Datagram]:
        self.now = now
        if isinstance(outcome, HandshakeFailed):
            job.failed(outcome)
        else:
            job.done(outcome)
        return self._flush()

    def next_timeout(self) -> float:
        """Return when `handle_timeout` has something to do."""
        times = (time for peer in self.peers for time in (peer.next_timeout(), self.due(peer)))
        return min(times)

    def take_jobs(self) -> list[Job]:
        """Return the jobs to run; call it after everything else."""
        jobs, self._jobs = self._jobs, []
        return jobs

    @abstractmethod
    def request_rekey(
        self,
        suite: Suite | None,
        now: float,
        *,
        ratchet: bool = False,
        one_time_key: bool = False,
    ) -> Future[str | None]:
        """Rekey to a suite, or to fresh keys; the result is None, or why the rekey failed.

        A one-time key of the anchor goes into a ratchet.

        Call `handle_timeout` afterwards.
        """

    # --- For the roles and for Peer ---

    def send(self, datagram: bytes, address: Address) -> None:
        self._outgoing.append(Datagram(datagram, address))

    def start(
        self,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[HandshakeFailed], None],
    ) -> None:
        self._jobs.append(Job(work, done, failed))

    def new_session(self, limit: int) -> Session:
        """Return a session that receives messages up to a size in bytes."""
        return Session(Streams(limit, self.config.part_size, self.config.small_part_size))

    def new_keys(
        self,
        suite: Suite,
        session: Session,
        epoch: int,
        traffic: Traffic,
        resumption: bytes = b"",
        layers: Layers | None = None,
    ) -> EpochKeys:
        window = ReplayWindow(self.config.replay_window_packets, self.config.max_age_s)
        drone = self.config.role == "drone"
        return EpochKeys(
            suite,
            session,
            epoch,
            traffic,
            drone=drone,
            window=window,
            installed=self.now,
            max_age_s=self.config.max_age_s,
            resumption=resumption,
            layers=layers,
        )

    def _handle_sealed(self, frame: bytes, sender: Address) -> None:
        drops, reason = self.unassigned_drops, "unknown"
        for peer in self.peers:
            for keys in peer.find(key_id_of(frame)):
                drops = peer.drops
                try:
                    if not peer.slots.accepts(keys, self.now):
                        raise Dropped("seq_old")
                    kind, payload = keys.open(frame, self.now)
                except Dropped as dropped:
                    reason = dropped.counter
                    peer.meter.duplicates += reason == "replay"
                    continue
                peer.handle_payload(keys, kind, payload, len(frame), sender)
                return
        drops[reason] += 1

    def _flush(self) -> list[Datagram]:
        for peer in self.peers:
            peer.flush_streams()
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    # --- What the roles do ---

    @abstractmethod
    def handle_hello(self, frame: bytes, sender: Address) -> None:
        """Handle a frame in clear."""

    @abstractmethod
    def handle_boot_frame(self, peer: Peer) -> None:
        """React to any authentic frame under boot keys."""

    @abstractmethod
    def handle_proved(self, peer: Peer) -> None:
        """React to the first frame under new keys."""

    @abstractmethod
    def handle_answer(self, peer: Peer, asked: float) -> None:
        """React to an answer under the newest keys to a TIME_REQ sent at a time."""

    @abstractmethod
    def handle_stream(self, peer: Peer, keys: EpochKeys) -> None:
        """React to any progress of a stream."""

    @abstractmethod
    def handle_message(self, peer: Peer, message: bytes, keys: EpochKeys) -> None:
        """Handle a message of a stream that arrived under some keys."""

    @abstractmethod
    def handle_control(self, peer: Peer, message: ControlMessage, keys: EpochKeys) -> bool:
        """Handle a control message; False if this role ignores it."""

    @abstractmethod
    def handle_wiped(self, peer: Peer) -> None:
        """React to the wiping of all keys."""

    @abstractmethod
    def due(self, peer: Peer) -> float:
        """Return when `handle_due` has something to do."""

    @abstractmethod
    def handle_due(self, peer: Peer) -> None:
        """Do what is due for a peer."""
