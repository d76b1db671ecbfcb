# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One drone as the ground station serves it: its attempt, its prekeys, its rekeys."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.challenges import Randoms
from pqc_reference.control import Abort, Control, ControlMessage, RekeyKind
from pqc_reference.epoch_keys import LAST_EPOCH, EpochKeys, Session
from pqc_reference.gcs_handshake import OwnPrekey, agree, check_finish, make_prekey
from pqc_reference.handshake import Agreed, Failure, HandshakeFailed, bind_ahead
from pqc_reference.identity import DroneRecord
from pqc_reference.key_schedule import Psk, Ratchet, boot_traffic, digest
from pqc_reference.messages import (
    ClientHello,
    Malformed,
    MessageType,
    largest_rekey,
)
from pqc_reference.messages import Rekey as Opening
from pqc_reference.peer import Boot, Peer
from pqc_reference.suites import Suite, suite_of

if TYPE_CHECKING:
    from pqc_reference.end import Address
    from pqc_reference.ground import Ground

_ATTEMPT_S = 60.0
_FIRST_ESTIMATE_MS = 250
_LATER_S = 1.0
_CONFIRMATIONS = 24
_MAX_PREKEYS = 16
_REKEY_LIMIT_S = 120.0
_NEVER = float("inf")

_ABORTS = {
    Failure.REFUSED: Abort.SUITE_REFUSED,
    Failure.BUSY: Abort.IN_PROGRESS,
    Failure.UNKNOWN_PREKEY: Abort.UNKNOWN_PREKEY,
}


def _reason(failed: HandshakeFailed) -> Abort:
    return _ABORTS.get(failed.failure, Abort.FAILED)


@dataclass(eq=False)
class _Attempt:
    """A new session that is not confirmed yet."""

    hello: bytes
    suite: Suite
    boot: Boot
    prekey: OwnPrekey | None = None  # until a Finish uses it
    finish: bytes = b""  # the latest


@dataclass(eq=False)
class _Confirmation:
    """A message that is repeated until a frame under the new keys arrives."""

    keys: EpochKeys
    send: Callable[[], None]
    request: bytes  # that it answers
    tries_left: int = _CONFIRMATIONS
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = float("-inf")


@dataclass(eq=False)
class _Want:
    """A prekey that the drone wants."""

    suite: Suite
    made: bool = False


@dataclass(eq=False)
class _PendingRekey:
    """A rekey that the ground station requests of the drone."""

    suite: Suite
    kind: RekeyKind
    transaction: int
    deadline: float
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = float("-inf")
    outcome: Future[str | None] = field(default_factory=Future)


class ServedDrone:
    """One drone at its ground station."""

    def __init__(self, ground: Ground, record: DroneRecord, peer: Peer) -> None:
        """`peer` is the drone's end."""
        self.record = record
        self.psk = Psk(record.psk)
        self.randoms = Randoms()
        self._ground, self._peer = ground, peer
        self._attempt: _Attempt | None = None
        self._confirmation: _Confirmation | None = None
        self._next_later = _NEVER
        self._wants: dict[int, _Want] = {}  # by transaction, of the session in use
        self._prekeys: dict[bytes, OwnPrekey] = {}  # by key_id, of the session in use
        self._expiry: dict[bytes, float] = {}
        self._rekey: bytes = b""  # the message that is being worked on
        self._pending: _PendingRekey | None = None
        self._lost_at: float | None = None

    @property
    def _now(self) -> float:
        return self._ground.now

    # --- A new session ---

    def continues_attempt(self, hello: bytes, sender: Address) -> bool:
        """Whether a hello is that of the attempt under way; follow it to another address."""
        attempt = self._attempt
        if attempt is None or attempt.hello != hello:
            return False
        attempt.boot.address = sender
        self._next_later = self._now if self._next_later < _NEVER else _NEVER
        return True

    def open(self, hello: ClientHello, frame: bytes, suite: Suite, sender: Address) -> None:
        """Begin a new session, instead of one that is being opened."""
        ground, psk = self._ground, self.psk.keys(hello.suite)
        policy, identity = ground.config.policy, ground.identity
        traffic = boot_traffic(psk, hello.client_random, hello.challenge, suite.cipher)
        session = ground.new_session(largest_rekey(suite, policy.mode))
        keys = ground.new_keys(suite, session, 0, traffic)
        attempt = _Attempt(frame, suite, Boot(keys, sender, self._now + _ATTEMPT_S))
        self._attempt, self._peer.boot = attempt, attempt.boot
        if self._confirmation is not None and self._confirmation.keys.epoch == 0:
            self._confirmation = None  # of the attempt that this one replaces

        def done(prekey: OwnPrekey) -> None:
            attempt.prekey = prekey
            session.streams.send(prekey.public.encode())
            if self._attempt is attempt:
                self._next_later = _NEVER

        bind = digest(frame)
        ground.start(
            lambda: make_prekey(suite, policy, identity, bind),
            done,
            lambda failed: self._fail(attempt, failed),
        )
        # The drone would give up if nothing came while the key is made.
        self._next_later = self._now
        self._send_later()

    def _send_later(self) -> None:
        self._next_later = self._now + _LATER_S
        self._peer.send_boot_control(Control.LATER, _FIRST_ESTIMATE_MS)

    def handle_boot_frame(self) -> None:
        """Keep the boot keys while the attempt goes on."""
        if self._attempt is not None:
            self._attempt.boot.until = self._now + _ATTEMPT_S

    def _fail(self, attempt: _Attempt, failed: HandshakeFailed) -> None:
        self._ground.report(f"handshake failed: {failed}", None)
        if self._attempt is attempt:
            self._attempt, self._next_later = None, _NEVER
            self._peer.send_boot_control(Control.ABORT, _reason(failed))

    def _handle_finish(self, message: bytes) -> None:
        attempt, confirmation = self._attempt, self._confirmation
        if confirmation is not None and confirmation.request == message:
            self._confirm()
        if attempt is None or message == attempt.finish:
            return
        prekey = attempt.prekey
        if prekey is None:
            failed = HandshakeFailed(Failure.UNKNOWN_PREKEY, "the prekey is used up")
            self._fail(attempt, failed)
            return
        attempt.finish = message

        def install(agreed: Agreed) -> None:
            if self._attempt is not attempt:
                return
            session = self._ground.new_session(self._ground.largest_message)
            session.id, session.origin = agreed.secret.session_id(agreed.th3), agreed.th3
            self._install(
                attempt.suite,
                session,
                0,
                agreed,
                message,
                lambda: self._peer.send_boot_control(Control.CONFIRM, agreed.confirmation),
            )

        def use() -> None:
            attempt.prekey = None

        terms = (message[1:], attempt.suite, attempt.hello, prekey, b"")
        self._accept(*terms, use, install, lambda failed: self._fail(attempt, failed))

    # --- Both ---

    def _accept(
        self,
        finish: bytes,
        suite: Suite,
        opening: bytes,
        prekey: OwnPrekey,
        resumption: bytes,
        use: Callable[[], None],
        done: Callable[[Agreed], None],
        failed: Callable[[HandshakeFailed], None],
    ) -> None:
        """Check a Finish; `use` forgets the prekey once the drone has proved its key."""
        policy, psk = self._ground.config.policy, self.psk.keys(suite.wire_id)
        try:
            proved = check_finish(finish, suite, policy, psk, opening, prekey)
        except HandshakeFailed as error:
            failed(error)
            return
        use()
        drone_key = self.record.public_keys.get(suite.signature)
        terms = (proved, suite, policy, psk, prekey, resumption, drone_key)
        self._ground.start(lambda: agree(*terms), done, failed)

    def _install(
        self,
        suite: Suite,
        session: Session,
        epoch: int,
        agreed: Agreed,
        request: bytes,
        send: Callable[[], None],
    ) -> None:
        """Receive under new keys from now on, and confirm that."""
        traffic = agreed.secret.traffic(suite.cipher, agreed.th3)
        resumption = agreed.secret.resumption(agreed.th3)
        keys = self._ground.new_keys(suite, session, epoch, traffic, resumption)
        self._peer.slots.install_pending(keys)
        self._ground.handshakes += 1
        self._ground.report(f"handshake completed with {self.record.name}", keys)
        self._confirmation = _Confirmation(keys, send, request)
        self._confirm()

    def _confirm(self) -> None:
        confirmation = self._confirmation
        assert confirmation is not None
        confirmation.next_try = self._now + confirmation.retry.next()
        confirmation.tries_left -= 1
        confirmation.send()
        if confirmation.tries_left <= 0:
            confirmation.next_try = _NEVER

    def handle_proved(self, keys: EpochKeys) -> None:
        """React to the first frame under new keys."""
        self._confirmation = None
        self._lost_at = None
        if keys.epoch == 0:
            self._attempt = None
            self._wants, self._prekeys, self._expiry = {}, {}, {}
        self._rekey = b""
        pending = self._pending
        if pending is not None and pending.suite == keys.suite:
            self._end_rekey(None)

    # --- Prekeys sent ahead ---

    def _handle_want(self, transaction: int, wire_id: bytes, keys: EpochKeys) -> None:
        suite = suite_of(wire_id)
        if not self._is_live(keys.session):
            return
        if suite is None or self._ground.refuses(suite, self.record):
            self._peer.send_control(Control.ABORT, transaction, Abort.SUITE_REFUSED)
            return
        want = self._wants.get(transaction)
        if want is None:
            self._wants[transaction] = want = _Want(suite)
            if len(self._wants) > _MAX_PREKEYS:
                del self._wants[next(iter(self._wants))]
            self._make_prekey(want, transaction, keys.session)
        if not want.made:
            self._peer.send_control(Control.LATER, transaction, _FIRST_ESTIMATE_MS)

    def _make_prekey(self, want: _Want, transaction: int, session: Session) -> None:
        ground = self._ground
        bind = bind_ahead(self.record.id, session.id, session.origin)
        terms = (want.suite, ground.config.policy, ground.identity, bind)

        def done(prekey: OwnPrekey) -> None:
            want.made = True
            if not self._is_live(session):
                return
            key_id = prekey.public.key_id
            self._prekeys[key_id] = prekey
            self._expiry[key_id] = self._now + ground.config.prekey_max_age_s
            if len(self._prekeys) > _MAX_PREKEYS:
                del self._prekeys[next(iter(self._prekeys))]
            session.streams.send_in_background(prekey.public.encode())

        def failed(error: HandshakeFailed) -> None:
            self._wants.pop(transaction, None)
            self._peer.send_control(Control.ABORT, transaction, _reason(error))

        ground.start(lambda: make_prekey(*terms), done, failed)

    def _is_live(self, session: Session) -> bool:
        keys = self._peer.slots.sending
        return keys is not None and keys.session is session

    # --- Rekeys ---

    def handle_message(self, message: bytes, keys: EpochKeys) -> None:
        """Handle a message of a stream."""
        in_boot = self._peer.boot is not None and keys is self._peer.boot.keys
        if in_boot and message[0] == MessageType.FINISH:
            self._handle_finish(message)
        elif not in_boot and message[0] == MessageType.REKEY:
            try:
                self._handle_rekey(message)
            except HandshakeFailed as failed:
                self._refuse(failed)

    def _refuse(self, failed: HandshakeFailed) -> None:
        self._rekey = b""
        self._ground.report(f"rekey failed: {failed}", self._peer.slots.sending)
        self._peer.send_control(Control.ABORT, 0, _reason(failed))

    def _handle_rekey(self, message: bytes) -> None:
        keys, confirmation = self._peer.slots.sending, self._confirmation
        assert keys is not None
        if confirmation is not None and confirmation.request == message:
            self._confirm()
            return
        if message == self._rekey:
            return
        if self._rekey:
            raise HandshakeFailed(Failure.BUSY, "another rekey is under way")
        opening, suite, finish = self._read_opening(message, keys)
        prekey = self._prekeys.get(opening.key_id)
        expired = self._expiry.get(opening.key_id, 0.0) <= self._now
        if prekey is None or expired or prekey.public.pair != suite.pair:
            raise HandshakeFailed(Failure.UNKNOWN_PREKEY, "the prekey is unknown")
        self._rekey = message
        epoch = opening.next_epoch

        def use() -> None:
            del self._prekeys[opening.key_id]

        def install(agreed: Agreed) -> None:
            self._rekey = b""
            if self._peer.slots.sending is keys:
                send = self._sender(Control.CONFIRM, 0, agreed.confirmation)
                self._install(suite, keys.session, epoch, agreed, message, send)

        terms = (finish, suite, opening.encode(), prekey, keys.resumption)
        self._accept(*terms, use, install, self._refuse)

    def _sender(self, *fields: Any) -> Callable[[], None]:
        return lambda: self._peer.send_control(*fields)

    def _read_opening(self, message: bytes, keys: EpochKeys) -> tuple[Opening, Suite, bytes]:
        try:
            opening, finish = Opening.decode(message)
        except Malformed as error:
            raise HandshakeFailed(Failure.FAILED, f"it is malformed: {error}") from error
        suite = suite_of(opening.suite)
        if suite is None or self._ground.refuses(suite, self.record):
            raise HandshakeFailed(Failure.REFUSED, "the suite can't be used")
        if opening.mode != self._ground.config.policy.mode:
            raise HandshakeFailed(Failure.REFUSED, "it is in another key-exchange mode")
        wanted = (keys.session.id, keys.epoch + 1)
        if keys.epoch >= LAST_EPOCH or (opening.session_id, opening.next_epoch) != wanted:
            raise HandshakeFailed(Failure.FAILED, "it names another session or epoch")
        return opening, suite, finish

    def _handle_ratchet(
        self, transaction: int, next_epoch: int, drone_random: bytes, mac: bytes
    ) -> None:
        keys, confirmation = self._peer.slots.sending, self._confirmation
        assert keys is not None
        if confirmation is not None and confirmation.request == drone_random:
            self._confirm()
            return
        psk, session = self.psk.keys(keys.suite.wire_id), keys.session
        ratchet = Ratchet(psk, keys.resumption, session.id, next_epoch)
        right = secrets.compare_digest(mac, ratchet.drone_mac(drone_random))
        if keys.epoch >= LAST_EPOCH or next_epoch != keys.epoch + 1 or not right:
            self._peer.send_control(Control.ABORT, transaction, Abort.FAILED)
            return
        gcs_random = secrets.token_bytes(32)
        secret, th3 = ratchet.agree(drone_random, gcs_random)
        answer = ratchet.gcs_mac(drone_random, gcs_random)
        send = self._sender(Control.RATCHET_OK, transaction, gcs_random, answer)
        agreed = Agreed(secret, th3, answer)
        self._install(keys.suite, session, next_epoch, agreed, drone_random, send)

    def handle_control(self, message: ControlMessage, keys: EpochKeys) -> bool:
        """Handle a control message; False if the ground station ignores it."""
        kind, transaction, fields = message
        if self._peer.boot is not None and keys is self._peer.boot.keys:
            return False
        pending = self._pending
        if kind is Control.WANT:
            self._handle_want(transaction, *fields, keys)
        elif kind is Control.RATCHET:
            self._handle_ratchet(transaction, *fields)
        elif kind is Control.ABORT and pending and pending.transaction == transaction:
            self._end_rekey(f"the drone refuses, with reason {fields[0]}")
        else:
            return False
        return True

    # --- Rekeys that the ground station requests ---

    def request_rekey(self, suite: Suite | None, *, ratchet: bool) -> Future[str | None]:
        """Ask the drone for a rekey."""
        keys = self._peer.slots.sending
        if keys is None or self._lost_at is not None:
            return _failed(f"there is no session with {self.record.name}")
        suite = suite or keys.suite
        if self._pending is not None:
            return _failed("a rekey is in progress")
        if self._ground.refuses(suite, self.record):
            return _failed(f"{suite.name} can't be used")
        kind = RekeyKind.RATCHET if ratchet else RekeyKind.FULL
        deadline = self._now + _REKEY_LIMIT_S
        self._pending = _PendingRekey(suite, kind, secrets.randbits(32), deadline)
        return self._pending.outcome

    def _end_rekey(self, problem: str | None) -> None:
        pending, self._pending = self._pending, None
        assert pending is not None
        if problem is not None:
            self._ground.report(f"rekey failed: {problem}", self._peer.slots.sending)
        pending.outcome.set_result(problem)

    # --- Time ---

    def handle_answer(self, asked: float) -> None:
        """React to an answer to a TIME_REQ sent at a time."""
        if self._lost_at is not None and asked >= self._lost_at:
            self._lost_at = None
            self._ground.report(f"{self.record.name} sends again", self._peer.slots.sending)

    def handle_wiped(self) -> None:
        """Forget what depends on the keys that are wiped."""
        self._attempt = self._confirmation = self._lost_at = None
        self._wants, self._prekeys, self._expiry, self._rekey = {}, {}, {}, b""
        self._next_later = _NEVER
        if self._pending is not None:
            self._end_rekey("all keys are wiped")

    def due(self) -> float:
        """Return when `handle_due` has something to do."""
        times = [self._next_later]
        if self._peer.slots.sending is not None and self._lost_at is None:
            times.append(self._peer.last_received + self._ground.config.peer_timeout_s)
        if self._confirmation is not None:
            times.append(self._confirmation.next_try)
        if self._pending is not None:
            times += [self._pending.next_try, self._pending.deadline]
        return min(times)

    def handle_due(self) -> None:
        """Do what is due."""
        now, pending = self._now, self._pending
        silent = now >= self._peer.last_received + self._ground.config.peer_timeout_s
        if self._peer.slots.sending is not None and silent and self._lost_at is None:
            self._lost_at = now
            self._ground.report(f"no packets arrive from {self.record.name}", None)
        if now >= self._next_later:
            self._send_later()
        if self._confirmation is not None and now >= self._confirmation.next_try:
            self._confirm()
        if pending is None:
            return
        if now >= pending.deadline:
            self._end_rekey("the drone did not rekey in time")
        elif now >= pending.next_try:
            pending.next_try = now + pending.retry.next()
            fields = (pending.suite.wire_id, pending.kind)
            self._peer.send_control(Control.REKEY_REQ, pending.transaction, *fields)


def _failed(problem: str) -> Future[str | None]:
    outcome: Future[str | None] = Future()
    outcome.set_result(problem)
    return outcome
