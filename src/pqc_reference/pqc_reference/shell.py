# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The shell of an End: sockets, clock, timer, and threads for public-key operations."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

from pqc_reference import datagrams
from pqc_reference.crypto.suites import Suite
from pqc_reference.datagrams import Address, PlaintextPort
from pqc_reference.drone import Drone
from pqc_reference.end import Datagram, End, Job
from pqc_reference.peer import Peer
from pqc_reference.session.epoch_keys import Kind

_RESOLVE_AGAIN_S = 10.0
_RESOLVE_RETRY_S = 1.0


class Shell:
    """Runs one end in an asyncio event loop."""

    def __init__(self, end: End, ports: dict[str, PlaintextPort]) -> None:
        """Open the socket of the encrypted side; OSError if it cannot be used.

        `ports` are the plaintext sides by the names of the peers.
        """
        self.end = end
        self._ports = ports
        self._link = datagrams.bound_socket(end.config.bind_address, end.config.datagram_port)
        self._timer: asyncio.TimerHandle | None = None
        self._jobs: set[asyncio.Future[Any]] = set()
        self._loop = asyncio.get_running_loop()

    @property
    def port(self) -> int:
        return self._link.getsockname()[1]

    async def run(self) -> None:
        """Run until cancelled, then close the sockets."""
        readers = {self._ports[peer.name].socket: partial(self._seal, peer) for peer in self._peers}
        readers[self._link] = partial(datagrams.drain, self._link, self._open)
        try:
            for source, handle in readers.items():
                self._loop.add_reader(source, handle)
            self._send(self.end.handle_timeout(time.monotonic()))
            await self._keep_resolving()
        finally:
            if self._timer is not None:
                self._timer.cancel()
            for source in readers:
                self._loop.remove_reader(source)
                source.close()

    async def request_rekey(
        self, suite: Suite | None = None, *, ratchet: bool = False, one_time_key: bool = False
    ) -> str | None:
        """Rekey; return None, or why the rekey failed."""
        now = time.monotonic()
        outcome = self.end.request_rekey(suite, now, ratchet=ratchet, one_time_key=one_time_key)
        self._send(self.end.handle_timeout(now))
        return await asyncio.wrap_future(outcome)

    def prefetch(self, suite: Suite) -> str | None:
        """Fetch a suite's key in the background; return why not, or None. A drone only."""
        assert isinstance(self.end, Drone)
        now = time.monotonic()
        problem = self.end.prefetch(suite, now)
        self._send(self.end.handle_timeout(now))
        return problem

    def ask_for_echo(self, number: int, padding: int) -> None:
        """Ask the first peer to answer; its answers are in `Peer.echoes`."""
        self._peers[0].ask_for_echo(number, padding)
        self._send(self.end.handle_timeout(time.monotonic()))

    def send_frame(self, peer: Peer, kind: Kind, payload: bytes) -> None:
        """Send any frame under the newest keys, as an end that misbehaves does."""
        assert peer.slots.sending is not None
        frame = peer.slots.sending.seal(kind, payload, time.monotonic())
        self._send([Datagram(frame, peer.address)])

    @property
    def _peers(self) -> list[Peer]:
        return self.end.peers

    async def _keep_resolving(self) -> None:
        """Look up the addresses of the GCS, again and again: it may move."""
        config = self.end.config
        while not isinstance(self.end, Drone):
            await asyncio.sleep(_RESOLVE_AGAIN_S)
        name = (config.gcs_address, config.gcs_datagram_port)
        while True:
            try:
                home = await asyncio.to_thread(datagrams.resolve, *name, self._link)
            except OSError:
                await asyncio.sleep(_RESOLVE_RETRY_S)
                continue
            self._send(self.end.handle_home(list(home), time.monotonic()))
            await asyncio.sleep(_RESOLVE_AGAIN_S)

    def _open(self, datagram: bytes, sender: Address, waited: float) -> None:
        if waited > self.end.config.max_age_s:
            self.end.unassigned_drops["stale"] += 1
        else:
            self._send(self.end.handle_datagram(datagram, sender, time.monotonic()))

    def _seal(self, peer: Peer) -> None:
        port = self._ports[peer.name]

        def handle(datagram: bytes, sender: Address, waited: float) -> None:
            if not port.accepts(sender):
                peer.drops["foreign"] += 1
            elif waited > self.end.config.max_age_s:
                peer.drops["stale"] += 1
            else:
                self._send(self.end.handle_plaintext(peer.name, datagram, time.monotonic()))

        datagrams.drain(port.socket, handle)

    def _send(self, outgoing: list[Datagram]) -> None:
        """Send datagrams, start jobs, and set the timer."""
        for datagram in outgoing:
            if not datagrams.send(self._link, datagram.payload, datagram.address):
                self.end.unassigned_drops["queue_full"] += 1
        for job in self.end.take_jobs():
            future = self._loop.run_in_executor(None, job.run)
            self._jobs.add(future)
            future.add_done_callback(partial(self._finish, job))
        if self._timer is not None:
            self._timer.cancel()
        due = self.end.next_timeout()
        self._timer = self._loop.call_at(due, self._handle_timeout) if due < float("inf") else None

    def _handle_timeout(self) -> None:
        self._send(self.end.handle_timeout(time.monotonic()))

    def _finish(self, job: Job, future: asyncio.Future[Any]) -> None:
        self._jobs.discard(future)
        if not future.cancelled():
            self._send(self.end.handle_outcome(job, future.result(), time.monotonic()))
