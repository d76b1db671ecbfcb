# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station: takes handshakes of many drones, and makes keys when one is announced."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections import Counter, deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from pqc_reference import datagrams, gcs_handshake, liboqs
from pqc_reference.admission import Doorkeeper
from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.channel import Channel
from pqc_reference.config import Config
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.datagrams import Address
from pqc_reference.gcs_handshake import Admission, PreKey, make_prekey
from pqc_reference.handshake import HELLO_TIMEOUT_S, HandshakeFailed
from pqc_reference.identity import DroneRecord, GcsIdentity
from pqc_reference.key_schedule import NOTHING_TO_RESUME, PskKeys, SessionSecrets
from pqc_reference.loop import Loop, Stopped
from pqc_reference.messages import ClientHello, RejectReason
from pqc_reference.peer import Peer, Report, is_frame
from pqc_reference.rekey import new_transaction
from pqc_reference.session import SESSION_FIELD, Session
from pqc_reference.suites import Suite, suite_of

_REMEMBERED_RANDOMS = 256
_PREKEY_LIFETIME_S = 3600.0
_FIRST_ESTIMATE_MS = 250
_WISH_LIMIT_S = 120.0
_LAST_EPOCH = 255


@dataclass
class _Wish:
    """A rekey that the ground station has asked the drone for."""

    suite: Suite
    transaction: int
    deadline: float
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = 0.0
    outcome: Future[str | None] = field(default_factory=Future)


@dataclass
class _Drone:
    record: DroneRecord
    psk: PskKeys
    peer: Peer
    channel: Channel | None = None  # its handshake in flight
    prekey: PreKey | None = None  # kept for its next handshake
    prekey_made: float = 0.0
    preparing: bytes = b""  # suite[0:4] of the keys being made for it
    announced: int = 0  # the transaction of its newest PREPARE
    wish: _Wish | None = None
    lost: bool = False
    randoms: deque[bytes] = field(default_factory=lambda: deque(maxlen=_REMEMBERED_RANDOMS))


class Ground:
    """The loop's thread for packets, one thread per handshake, and one that makes keys."""

    def __init__(
        self,
        config: Config,
        identity: GcsIdentity,
        records: list[DroneRecord],
        loop: Loop,
        report: Report,
    ) -> None:
        """Open the sockets."""
        self.policy = config.policy
        self.handshakes = self.rekeys = self.rollbacks = 0
        self.last_handshake_s = 0.0
        self.unassigned_drops: Counter[str] = Counter()
        self._config = config
        self._identity = identity
        self._loop = loop
        self._report = report
        host = config.bind_address
        self._link = datagrams.bound_socket(socket.SOCK_DGRAM, host, config.datagram_port)
        self._listener = datagrams.bound_socket(socket.SOCK_STREAM, host, config.handshake_port)
        self._listener.listen()
        self._drones = [
            _Drone(r, PskKeys.of(r.psk), Peer(r.name, config, self, self._link, report))
            for r in records
        ]
        self._by_id = {drone.record.id: drone for drone in self._drones}
        self._stranger = PskKeys.of(secrets.token_bytes(32))
        self._boot = secrets.token_bytes(8)
        self._key_counter = 0
        self._doorkeeper = Doorkeeper()
        self._key_maker = ThreadPoolExecutor(1, "key maker")
        self._durations_ms: dict[bytes, int] = {}
        loop.watch(self._link, lambda: datagrams.drain(self._link, self._handle_datagram))
        loop.watch(self._listener, self._accept)
        for drone in self._drones:
            loop.watch(drone.peer.plaintext.socket, drone.peer.handle_plaintext)

    @property
    def peers(self) -> list[Peer]:
        """The drones."""
        return [drone.peer for drone in self._drones]

    def start(self) -> None:
        """Nothing: drones come by themselves."""

    def close(self) -> None:
        """Close the sockets, once the loop has ended."""
        self._key_maker.shutdown(wait=False, cancel_futures=True)
        plaintexts = (drone.peer.plaintext.socket for drone in self._drones)
        for opened in (self._link, self._listener, *plaintexts):
            opened.close()

    # --- Packets ---

    def _handle_datagram(self, datagram: bytes, sender: Address) -> None:
        if not is_frame(datagram):
            self.unassigned_drops["malformed"] += 1
            return
        session_id = datagram[SESSION_FIELD]
        for drone in self._drones:
            if session_id in drone.peer.slots.session_ids:
                drone.peer.handle_frame(datagram, sender)
                return
        self.unassigned_drops["unknown"] += 1

    def handle_heard(self, peer: Peer) -> None:
        """Note that the drone is there."""
        drone = self._drone_of(peer)
        if drone.lost:
            drone.lost = False
            self._report(f"{peer.name} is heard again", peer.slots.sending)

    def handle_proved(self, peer: Peer) -> None:
        """Send under the keys under which the drone does."""
        session = peer.slots.sending
        assert session is not None
        drone = self._drone_of(peer)
        if session.epoch > 0:
            self.rekeys += 1
        self._report(f"sending under the new keys of {peer.name}", session)
        if drone.wish is not None and drone.wish.suite == session.suite:
            self._fulfil(drone, None)

    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        """Handle what only drones say."""
        drone = self._drone_of(peer)
        if frame.kind is Control.PREPARE:
            self._handle_prepare(drone, frame)
            return True
        if frame.kind is Control.COMMIT:
            session = peer.slots.sending
            assert session is not None
            if frame.fields == (session.id, session.epoch, session.transcript_tag):
                peer.send_control(Control.COMMIT_ACK, frame.transaction)
                return True
        wish = drone.wish
        if frame.kind is Control.ABORT and wish and wish.transaction == frame.transaction:
            self._fulfil(drone, f"the drone refuses, for reason {frame.fields[0]}")
            return True
        return False

    def _drone_of(self, peer: Peer) -> _Drone:
        return next(drone for drone in self._drones if drone.peer is peer)

    # --- Keys made ahead ---

    def _handle_prepare(self, drone: _Drone, frame: ControlFrame) -> None:
        """READY if keys are kept for the drone, or else BUSY until they are made."""
        suite = suite_of(frame.fields[1])
        peer, transaction = drone.peer, frame.transaction
        if suite is None or self._objection(suite, drone):
            peer.send_control(Control.ABORT, transaction, Abort.SUITE_REFUSED)
            return
        drone.announced = transaction
        pair = suite.wire_id[:4]
        if self._kept(drone, suite) is not None:
            peer.send_control(Control.READY, transaction, 0)
            return
        if drone.preparing != pair:
            drone.preparing = pair
            self._key_maker.submit(self._prepare, drone, suite, self._next_key_id())
        estimate = self._durations_ms.get(pair, _FIRST_ESTIMATE_MS)
        peer.send_control(Control.BUSY, transaction, estimate)

    def _prepare(self, drone: _Drone, suite: Suite, key_id: bytes) -> None:
        """Make keys; in the key maker's thread."""
        began = time.monotonic()
        pair = suite.wire_id[:4]
        signing_key = self._identity.signing_keys[suite.signature]
        try:
            prekey = make_prekey(
                suite, self.policy.mode, key_id, self._identity.id, signing_key, None
            )
        except liboqs.Unavailable:
            prekey = None
        took_ms = round((time.monotonic() - began) * 1000)

        def keep() -> None:
            self._durations_ms[pair] = took_ms
            if drone.preparing != pair:  # it has asked for others meanwhile
                return
            drone.preparing = b""
            if prekey is None:
                drone.peer.send_control(Control.ABORT, drone.announced, Abort.FAILED)
                return
            drone.prekey, drone.prekey_made = prekey, time.monotonic()
            drone.peer.send_control(Control.READY, drone.announced, 0)

        self._loop.post(keep)

    def _kept(self, drone: _Drone, suite: Suite) -> PreKey | None:
        """Return the keys kept for a drone, if they serve a suite: they do so with any cipher."""
        prekey = drone.prekey
        if prekey is None or prekey.suite.wire_id[:4] != suite.wire_id[:4]:
            return None
        fresh = time.monotonic() < drone.prekey_made + _PREKEY_LIFETIME_S
        return prekey if fresh else None

    def _next_key_id(self) -> bytes:
        self._key_counter += 1
        return self._boot + self._key_counter.to_bytes(8, "big")

    def _objection(self, suite: Suite, drone: _Drone) -> bool:
        return (
            suite not in self.policy.allowed
            or suite.signature not in self._identity.signing_keys
            or (self.policy.drone_signs and suite.signature not in drone.record.public_keys)
        )

    # --- Handshakes ---

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except OSError:
            return
        if not self._doorkeeper.admit(address[0], time.monotonic()):
            connection.close()
            return
        connection.setblocking(True)
        threading.Thread(target=self._serve, args=(connection, address[0]), daemon=True).start()

    def _serve(self, connection: socket.socket, host: str) -> None:
        """Do one handshake; in a thread of its own."""
        began = time.monotonic()
        channel = Channel(connection, HELLO_TIMEOUT_S)

        def end(text: str) -> None:
            for drone in self._drones:
                if drone.channel is channel:
                    drone.channel = None
            self._doorkeeper.release(host)
            if text:
                self._report(text, None)
            else:
                self.last_handshake_s = time.monotonic() - began

        text = "handshake failed"
        try:
            gcs_handshake.shake_hands(channel, self)
            text = ""
        except HandshakeFailed as failed:
            text = f"handshake failed: {failed}"
        except Stopped:
            pass
        finally:
            channel.close()
            self._loop.post(lambda: end(text))

    # What gcs_handshake.py needs (its Ground), called in the handshake's thread

    def psk_of(self, drone_id: bytes) -> tuple[PskKeys, bool]:
        """Return a drone's keys; a stranger costs the same."""
        drone = self._by_id.get(drone_id)
        return (drone.psk, True) if drone is not None else (self._stranger, False)

    def may_skip_challenge(self, hello: ClientHello) -> bool:
        """Whether a hello is fresh by itself."""

        def look() -> bool:
            drone = self._by_id[hello.drone_id]
            fresh = hello.client_random not in drone.randoms
            return self._names_live_session(drone, hello) and fresh and not self._doorkeeper.busy

        return self._loop.call(look)

    def _names_live_session(self, drone: _Drone, hello: ClientHello) -> bool:
        session = drone.peer.slots.sending
        return (
            session is not None
            and session.epoch < _LAST_EPOCH
            and hello.previous_session == session.id
            and hello.previous_epoch == session.epoch
            and hello.next_epoch == session.epoch + 1
        )

    def admit(self, hello: ClientHello, channel: Channel) -> Admission | RejectReason:
        """Let a drone in, or tell why not."""
        return self._loop.call(lambda: self._admit(hello, channel))

    def _admit(self, hello: ClientHello, channel: Channel) -> Admission | RejectReason:
        drone = self._by_id[hello.drone_id]
        rekeys = self._names_live_session(drone, hello)
        if rekeys:
            drone.randoms.append(hello.client_random)
        if hello.policy_hash != self.policy.hash or hello.mode != self.policy.mode:
            return RejectReason.POLICY_MISMATCH
        suite = suite_of(hello.suite)
        if suite is None or self._objection(suite, drone):
            return RejectReason.SUITE_REFUSED
        if not rekeys and not hello.asks_for_new_session:
            return RejectReason.SESSION_UNKNOWN
        # One handshake in flight per drone: the newest that proved itself.
        if drone.channel is not None:
            drone.channel.abandon()
        drone.channel = channel
        # What is taken is used up, whatever becomes of the handshake.
        prekey = self._kept(drone, suite)
        if prekey is not None:
            drone.prekey = None
        session = drone.peer.slots.sending
        resumes = session is not None and rekeys
        return Admission(
            suite=suite,
            session_id=hello.previous_session if rekeys else None,
            epoch=hello.next_epoch,
            resumption=session.resumption if session and resumes else NOTHING_TO_RESUME,
            timeout_s=self._config.timeout_of(suite),
            prekey=prekey,
            key_id=self._next_key_id(),
            gcs_id=self._identity.id,
            signing_key=self._identity.signing_keys[suite.signature],
            drone_public_key=drone.record.public_keys.get(suite.signature),
        )

    def install(self, hello: ClientHello, admission: Admission, keys: SessionSecrets) -> None:
        """Receive under new keys from now on."""

        def install() -> None:
            drone = self._by_id[hello.drone_id]
            session = Session(
                admission.suite,
                admission.session_id or keys.session_id,
                admission.epoch,
                keys,
                drone=False,
                replay_window=self._config.replay_window,
            )
            drone.peer.slots.install_pending(session)
            self.handshakes += 1
            self._report(f"handshake completed with {drone.record.name}", session)

        self._loop.call(install)

    # --- Rekeys that the ground station wants ---

    def request_rekey(self, suite: Suite | None, name: str = "") -> Future[str | None]:
        """Ask a drone (or the first) for a rekey; the future tells why not, or None."""
        drone = next(d for d in self._drones if name in ("", d.record.name))
        session = drone.peer.slots.sending
        wanted = suite or (session.suite if session is not None else None)
        outcome: Future[str | None] = Future()
        if session is None or wanted is None or drone.lost:
            outcome.set_result(f"there is no session with {drone.record.name}")
        elif drone.wish is not None:
            outcome.set_result("a rekey is under way")
        elif self._objection(wanted, drone):
            outcome.set_result(f"{wanted.name} can't be used")
        else:
            deadline = time.monotonic() + _WISH_LIMIT_S
            drone.wish = _Wish(wanted, new_transaction(), deadline, outcome=outcome)
            self.handle_timeout(time.monotonic())
        return outcome

    def _fulfil(self, drone: _Drone, problem: str | None) -> None:
        assert drone.wish is not None
        drone.wish.outcome.set_result(problem)
        drone.wish = None
        if problem is not None:
            self._report(f"rekey failed: {problem}", drone.peer.slots.sending)

    def handle_timeout(self, now: float) -> float:
        """Do what is due; return when it is needed next."""
        due = float("inf")
        for drone in self._drones:
            due = min(due, drone.peer.handle_timeout(now))
            if drone.peer.slots.sending is not None and not drone.lost:
                silent_at = drone.peer.last_heard + self._config.peer_timeout_s
                if now >= silent_at:
                    drone.lost = True
                    self._report(f"nothing is heard from {drone.record.name}", None)
                due = min(due, silent_at)
            wish = drone.wish
            if wish is None:
                continue
            if now >= wish.deadline:
                self._fulfil(drone, "the drone did not rekey in time")
                continue
            if now >= wish.next_try:
                wish.next_try = now + wish.retry.next()
                fields = (wish.transaction, wish.suite.wire_id)
                drone.peer.send_control(Control.REKEY_REQ, *fields)
            due = min(due, wish.next_try)
        return due
