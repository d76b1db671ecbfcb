# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station: answers the handshakes of many drones, and makes keys for announced ones."""

from __future__ import annotations

import asyncio
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from pqc_reference import datagrams, gcs_handshake, liboqs
from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.channel import Channel
from pqc_reference.config import Config
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.epoch_keys import LAST_EPOCH, EpochKeys
from pqc_reference.gcs_handshake import Admission, PreKey, make_prekey
from pqc_reference.handshake import HELLO_TIMEOUT_S, HandshakeFailed
from pqc_reference.identity import DroneRecord, GcsIdentity
from pqc_reference.key_schedule import NOTHING_TO_RESUME, PskKeys, SessionSecrets
from pqc_reference.messages import ClientHello, RejectReason
from pqc_reference.peer import Peer, Report
from pqc_reference.role import Role
from pqc_reference.suites import Suite, suite_of

_REMEMBERED_RANDOMS = 256
_PREKEY_LIFETIME_S = 3600.0
_FIRST_ESTIMATE_MS = 250
_REKEY_LIMIT_S = 120.0


@dataclass
class _PendingRekey:
    """A rekey that the ground station requests of the drone; outcome as of Role.request_rekey."""

    suite: Suite
    transaction: int
    deadline: float
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = 0.0
    outcome: asyncio.Future[str | None] = field(default_factory=asyncio.Future)


@dataclass
class _Drone:
    record: DroneRecord
    psk: PskKeys
    peer: Peer
    channel: Channel | None = None  # of its handshake in progress
    prekey: PreKey | None = None  # kept for its next handshake
    prekey_made: float = 0.0
    preparing: bytes = b""  # suite[0:4] of the keys that are being made for it
    key_maker: asyncio.Task[None] | None = None
    announced: int = 0  # the transaction of its latest PREPARE
    pending_rekey: _PendingRekey | None = None
    lost: bool = False
    randoms: deque[bytes] = field(default_factory=lambda: deque(maxlen=_REMEMBERED_RANDOMS))

    def names_live_session(self, hello: ClientHello) -> bool:
        """Whether a hello asks for the next epoch of the session in use."""
        keys = self.peer.slots.sending
        asked = (hello.previous_session, hello.previous_epoch, hello.next_epoch)
        return (
            keys is not None
            and keys.epoch < LAST_EPOCH
            and asked == (keys.id, keys.epoch, keys.epoch + 1)
        )

    def kept_prekey(self, suite: Suite) -> PreKey | None:
        """Return the keys kept for it, if they serve a suite: they do with any cipher."""
        prekey = self.prekey
        if prekey is None or prekey.suite.wire_id[:4] != suite.wire_id[:4]:
            return None
        return prekey if time.monotonic() < self.prekey_made + _PREKEY_LIFETIME_S else None


class Ground(Role):
    """The ground station's end: packets are handled as they come, a task does each handshake."""

    def __init__(
        self, config: Config, identity: GcsIdentity, records: list[DroneRecord], report: Report
    ) -> None:
        """Open the sockets, with a record for each drone of the configuration."""
        super().__init__(config, report)
        self.policy = config.policy
        self._identity = identity
        host, port = config.bind_address, config.handshake_port
        self._listener = datagrams.bound_socket(socket.SOCK_STREAM, host, port)
        self._drones = [
            _Drone(record, PskKeys.of(record.psk), peer)
            for record, peer in zip(records, self.peers, strict=True)
        ]
        self._by_id = {drone.record.id: drone for drone in self._drones}
        self._stranger = PskKeys.of(secrets.token_bytes(32))
        self._boot = secrets.token_bytes(8)
        self._key_counter = 0
        self._durations_ms: dict[bytes, int] = {}

    async def work(self) -> None:
        async with await asyncio.start_server(self._serve, sock=self._listener) as server:
            await server.serve_forever()

    # --- Packets ---

    def find_peer(self, session_id: bytes) -> Peer | None:
        return next((p for p in self.peers if session_id in p.slots.session_ids), None)

    def _drone_of(self, peer: Peer) -> _Drone:
        return self._drones[self.peers.index(peer)]

    def handle_authenticated(self, peer: Peer) -> None:
        drone = self._drone_of(peer)
        if drone.lost:
            drone.lost = False
            self.report(f"{peer.name} sends again", peer.slots.sending)

    def handle_proved(self, peer: Peer) -> None:
        keys = peer.slots.sending
        assert keys is not None
        drone = self._drone_of(peer)
        self.rekeys += keys.epoch > 0
        self.report(f"sending under the new keys of {peer.name}", keys)
        if drone.pending_rekey is not None and drone.pending_rekey.suite == keys.suite:
            self._end_rekey(drone, None)

    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        drone = self._drone_of(peer)
        if frame.kind is Control.PREPARE:
            self._handle_prepare(drone, frame)
            return True
        keys, pending = peer.slots.sending, drone.pending_rekey
        assert keys is not None
        committed = (keys.id, keys.epoch, keys.transcript_tag)
        if frame.kind is Control.COMMIT and frame.fields == committed:
            peer.send_control(Control.COMMIT_ACK, frame.transaction)
            return True
        if frame.kind is Control.ABORT and pending and pending.transaction == frame.transaction:
            self._end_rekey(drone, f"the drone refuses, with reason {frame.fields[0]}")
            return True
        return False

    def handle_tick(self, peer: Peer, now: float) -> None:
        drone = self._drone_of(peer)
        silent = now >= peer.last_received + self.config.peer_timeout_s
        if peer.slots.sending is not None and silent and not drone.lost:
            drone.lost = True
            self.report(f"no packets arrive from {peer.name}", None)
        pending = drone.pending_rekey
        if pending is None:
            return
        if now >= pending.deadline:
            self._end_rekey(drone, "the drone did not rekey in time")
        elif now >= pending.next_try:
            pending.next_try = now + pending.retry.next()
            peer.send_control(Control.REKEY_REQ, pending.transaction, pending.suite.wire_id)

    # --- Keys made ahead ---

    def _handle_prepare(self, drone: _Drone, frame: ControlFrame) -> None:
        """Answer READY if keys are kept for the drone, or else BUSY until they are made."""
        suite = suite_of(frame.fields[1])
        peer, transaction = drone.peer, frame.transaction
        if suite is None or self._refuses(suite, drone):
            peer.send_control(Control.ABORT, transaction, Abort.SUITE_REFUSED)
            return
        drone.announced = transaction
        if drone.kept_prekey(suite) is not None:
            peer.send_control(Control.READY, transaction, 0)
            return
        pair = suite.wire_id[:4]
        if drone.preparing != pair:
            drone.preparing = pair
            drone.key_maker = asyncio.create_task(self._prepare(drone, suite))
        estimate = self._durations_ms.get(pair, _FIRST_ESTIMATE_MS)
        peer.send_control(Control.BUSY, transaction, estimate)

    async def _prepare(self, drone: _Drone, suite: Suite) -> None:
        """Make keys and keep them for a drone."""
        start = time.monotonic()
        pair = suite.wire_id[:4]
        try:
            prekey = await asyncio.to_thread(self._prekey_maker(suite), None)
        except liboqs.Unavailable:
            prekey = None
        self._durations_ms[pair] = round((time.monotonic() - start) * 1000)
        if drone.preparing != pair:  # it has asked for others since
            return
        drone.preparing = b""
        if prekey is None:
            drone.peer.send_control(Control.ABORT, drone.announced, Abort.FAILED)
            return
        drone.prekey, drone.prekey_made = prekey, time.monotonic()
        drone.peer.send_control(Control.READY, drone.announced, 0)

    def _prekey_maker(self, suite: Suite) -> Callable[[bytes | None], PreKey]:
        """Return a function that makes keys for a ClientHello, or ahead of any (None)."""
        self._key_counter += 1
        key_id = self._boot + self._key_counter.to_bytes(8, "big")
        signing_key = self._identity.signing_keys[suite.signature]
        return partial(make_prekey, suite, self.policy.mode, key_id, self._identity.id, signing_key)

    def _refuses(self, suite: Suite, drone: _Drone) -> bool:
        return (
            suite not in self.policy.allowed
            or suite.signature not in self._identity.signing_keys
            or (self.policy.drone_signs and suite.signature not in drone.record.public_keys)
        )

    # --- Handshakes ---

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = Channel(reader, writer, HELLO_TIMEOUT_S)
        try:
            await gcs_handshake.shake_hands(channel, self)
        except HandshakeFailed as failed:
            self.report(f"handshake failed: {failed}", None)
        finally:
            channel.close()
            for drone in self._drones:
                if drone.channel is channel:
                    drone.channel = None

    # The interface of Ground to gcs_handshake

    def psk_of(self, drone_id: bytes) -> tuple[PskKeys, bool]:
        """Return the keys of a drone and whether it is known; a stranger costs the same."""
        drone = self._by_id.get(drone_id)
        return (drone.psk, True) if drone is not None else (self._stranger, False)

    def may_skip_challenge(self, hello: ClientHello) -> bool:
        """Whether a hello is certainly fresh."""
        drone = self._by_id[hello.drone_id]
        return drone.names_live_session(hello) and hello.client_random not in drone.randoms

    def admit(self, hello: ClientHello, channel: Channel) -> Admission | RejectReason:
        """Accept a drone that has proved itself, or reject it."""
        drone = self._by_id[hello.drone_id]
        rekeys = drone.names_live_session(hello)
        if rekeys:
            drone.randoms.append(hello.client_random)
        if hello.policy_hash != self.policy.hash or hello.mode != self.policy.mode:
            return RejectReason.POLICY_MISMATCH
        suite = suite_of(hello.suite)
        if suite is None or self._refuses(suite, drone):
            return RejectReason.SUITE_REFUSED
        if not rekeys and not hello.asks_for_new_session:
            return RejectReason.SESSION_UNKNOWN
        # One handshake per drone: the latest that proved itself.
        if drone.channel is not None:
            drone.channel.close()
        drone.channel = channel
        # Used up from here on, whether the handshake succeeds or not.
        prekey = drone.kept_prekey(suite)
        if prekey is not None:
            drone.prekey = None
        keys = drone.peer.slots.sending
        return Admission(
            suite=suite,
            session_id=hello.previous_session if rekeys else None,
            epoch=hello.next_epoch,
            resumption=keys.resumption if keys is not None and rekeys else NOTHING_TO_RESUME,
            timeout_s=self.config.timeout_of(suite),
            prekey=prekey,
            make_prekey=self._prekey_maker(suite),
            drone_public_key=drone.record.public_keys.get(suite.signature),
        )

    def install(self, hello: ClientHello, admission: Admission, agreed: SessionSecrets) -> None:
        """Receive under new keys from now on."""
        drone = self._by_id[hello.drone_id]
        session_id = admission.session_id or agreed.session_id
        window = self.config.replay_window_packets
        suite, epoch = admission.suite, admission.epoch
        keys = EpochKeys(suite, session_id, epoch, agreed, drone=False, replay_window=window)
        drone.peer.slots.install_pending(keys)
        self.handshakes += 1
        self.report(f"handshake completed with {drone.record.name}", keys)

    # --- Rekeys that the ground station requests ---

    def request_rekey(self, suite: Suite | None, name: str = "") -> asyncio.Future[str | None]:
        drone = next(d for d in self._drones if name in ("", d.record.name))
        keys = drone.peer.slots.sending
        if keys is None or drone.lost:
            return _failed(f"there is no session with {drone.record.name}")
        suite = suite or keys.suite
        if drone.pending_rekey is not None:
            return _failed("a rekey is in progress")
        if self._refuses(suite, drone):
            return _failed(f"{suite.name} can't be used")
        deadline = time.monotonic() + _REKEY_LIMIT_S
        drone.pending_rekey = pending = _PendingRekey(suite, secrets.randbits(32), deadline)
        self.handle_tick(drone.peer, time.monotonic())
        return pending.outcome

    def _end_rekey(self, drone: _Drone, problem: str | None) -> None:
        assert drone.pending_rekey is not None
        drone.pending_rekey.outcome.set_result(problem)
        drone.pending_rekey = None
        if problem is not None:
            self.report(f"rekey failed: {problem}", drone.peer.slots.sending)


def _failed(problem: str) -> asyncio.Future[str | None]:
    outcome: asyncio.Future[str | None] = asyncio.Future()
    outcome.set_result(problem)
    return outcome
