# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One drone as the ground station serves it: what its sessions and rekeys have in common."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pqc_reference.anchor import AnchorSecrets
from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.challenges import Randoms
from pqc_reference.crypto.key_schedule import Psk, former_id
from pqc_reference.crypto.suites import Suite
from pqc_reference.gcs_handshake import OwnPrekey, agree, check_finish
from pqc_reference.handshake import Agreed, HandshakeFailed
from pqc_reference.identity import DroneRecord
from pqc_reference.peer import Peer
from pqc_reference.served_rekeys import ServedRekeys
from pqc_reference.served_session import NewSession
from pqc_reference.session.epoch_keys import EpochKeys, Session
from pqc_reference.session.layers import Layers
from pqc_reference.wire.control import Control, ControlMessage, Erased, RekeyKind
from pqc_reference.wire.messages import MessageType

if TYPE_CHECKING:
    from pqc_reference.ground import Ground

_CONFIRMATIONS = 24
_ERASE_LIMIT_S, _ERASE_RETRY_S = 10.0, 0.5
_REKEY_LIMIT_S = 120.0


@dataclass(eq=False)
class _Confirmation:
    """A message that is repeated until a frame under the new keys arrives."""

    keys: EpochKeys
    request: bytes  # the request that it answers
    send: Callable[[], None]
    tries_left: int = _CONFIRMATIONS
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = float("-inf")


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


@dataclass(eq=False)
class _PendingErasure:
    """The ground station asks the drone to erase its keys."""

    transaction: int
    deadline: float
    next_try: float = float("-inf")
    outcome: Future[str | None] = field(default_factory=Future)


class ServedDrone:
    """One drone at its ground station."""

    def __init__(self, ground: Ground, record: DroneRecord, peer: Peer) -> None:
        """`peer` is the drone's end."""
        self.record = record
        self.psk = Psk(record.psk)
        self.randoms = Randoms()
        self.ground, self.peer = ground, peer
        self.new_session = NewSession(self)
        self.rekeys = ServedRekeys(self)
        self._confirmation: _Confirmation | None = None
        self._pending: _PendingRekey | None = None
        self._erasure: _PendingErasure | None = None
        self._lost_at: float | None = None

    # --- For NewSession and ServedRekeys ---

    def is_live(self, session: Session) -> bool:
        keys = self.peer.slots.sending
        return keys is not None and keys.session is session

    def former_named(self, name: bytes) -> tuple[bytes, Layers]:
        """Return the rms with a name that a hello gives; empty if no live keys have it."""
        slots = self.peer.slots
        for keys in (slots.sending, *slots.pending):
            if keys is not None and former_id(keys.suite.wire_id, keys.resumption) == name:
                return keys.resumption, keys.layers
        return self.new_session.formers.get(name, (b"", {}))

    def accept(
        self,
        finish: bytes,
        suite: Suite,
        opening: bytes,
        prekey: OwnPrekey,
        resumption: bytes,
        before: Layers,
        done: Callable[[Agreed], None],
        failed: Callable[[HandshakeFailed], None],
        anchors: AnchorSecrets | None = None,
    ) -> None:
        """Check a Finish after its type: first the MAC that proves the pre-shared key."""
        policy, psk = self.ground.config.policy, self.psk.keys(suite.wire_id)
        try:
            proved = check_finish(finish, suite, policy, psk, opening, prekey, anchors)
        except HandshakeFailed as error:
            failed(error)
            return
        drone_key = self.record.public_keys.get(suite.signature)
        terms = (proved, suite, policy, psk, prekey, resumption, before, drone_key, anchors)
        self.ground.start(lambda: agree(*terms), done, failed)

    def install(
        self,
        suite: Suite,
        session: Session,
        epoch: int,
        agreed: Agreed,
        request: bytes,
        confirm: Callable[[], None],
        *,
        ratchet: bool = False,
    ) -> None:
        """Receive under new keys from now on, and confirm that."""
        traffic = agreed.secret.traffic(suite.cipher, agreed.th3)
        resumption = agreed.secret.resumption(agreed.th3)
        keys = self.ground.new_keys(suite, session, epoch, traffic, resumption, agreed.layers)
        self.peer.slots.install_pending(keys)
        self.ground.handshakes += not ratchet
        what = "ratchet" if ratchet else "handshake"
        self.ground.report(f"{what} completed with {self.record.name}", keys)
        self._confirmation = _Confirmation(keys, request, confirm)
        self._confirm(self._confirmation)

    def _confirm(self, confirmation: _Confirmation) -> None:
        confirmation.send()
        confirmation.tries_left -= 1
        wait = confirmation.retry.next() if confirmation.tries_left > 0 else float("inf")
        confirmation.next_try = self.ground.now + wait

    def _answers_again(self, request: bytes) -> bool:
        """Return whether a request is a repetition; it gets the same answer."""
        if self._confirmation is None or self._confirmation.request != request:
            return False
        self._confirm(self._confirmation)
        return True

    # --- Frames ---

    def handle_proved(self, keys: EpochKeys) -> None:
        self._lost_at = None
        self.new_session.formers.clear()
        self.peer.send_control(Control.KEEPALIVE, 0)  # the drone has waited for a frame
        if keys.epoch == 0:
            self.rekeys.forget()
        if self._confirmation is None or self._confirmation.keys is keys:  # no newer attempt
            self._confirmation = None
            if keys.epoch == 0:
                self.new_session.forget()
        if self._pending is not None and self._pending.suite == keys.suite:
            self._end_rekey(None)

    def handle_message(self, message: bytes, keys: EpochKeys) -> None:
        in_use, in_boot = self.peer.slots.sending, self.peer.is_boot(keys)
        if self._answers_again(message):
            return
        if in_boot and message[0] == MessageType.FINISH:
            self.new_session.handle_finish(message)
        elif not in_boot and message[0] == MessageType.REKEY and in_use is not None:
            self.rekeys.handle_rekey(message, in_use)

    def handle_control(self, message: ControlMessage, keys: EpochKeys) -> bool:
        """Handle a control message; False if the ground station ignores it."""
        kind, transaction, fields = message
        in_use, pending = self.peer.slots.sending, self._pending
        if self.peer.is_boot(keys) or in_use is None:
            return False
        if kind is Control.WANT:
            self.rekeys.handle_want(transaction, *fields, keys.session)
        elif kind is Control.RATCHET:
            if not self._answers_again(fields[1]):
                self.rekeys.handle_ratchet(transaction, fields, in_use)
        elif kind is Control.ABORT and pending and pending.transaction == transaction:
            self._end_rekey(f"the drone refuses, with reason {fields[0]}")
        elif kind is Control.ERASED:
            self._handle_erased(transaction, *fields)
        else:
            return False
        return True

    # --- The keys of the drone itself ---

    def request_erase(self) -> Future[str | None]:
        """Ask the drone to erase its keys; the outcome is a problem, or None."""
        if self.peer.slots.sending is None:
            return _failed(f"there is no session with {self.record.name}")
        deadline = self.ground.now + _ERASE_LIMIT_S
        self._erasure = _PendingErasure(secrets.randbits(32), deadline)
        return self._erasure.outcome

    def _handle_erased(self, transaction: int, outcome: int) -> None:
        erasure = self._erasure
        if erasure is not None and erasure.transaction == transaction:
            done = outcome == Erased.DONE
            self._end_erasure(None if done else f"the drone answers {outcome}")

    def _end_erasure(self, problem: str | None) -> None:
        erasure, self._erasure = self._erasure, None
        assert erasure is not None
        erasure.outcome.set_result(problem)

    def _handle_due_erasure(self) -> None:
        erasure, keys = self._erasure, self.peer.slots.sending
        if erasure is None:
            return
        if keys is None or self.ground.now >= erasure.deadline:
            self._end_erasure("the drone has not answered")
        elif self.ground.now >= erasure.next_try:
            erasure.next_try = self.ground.now + _ERASE_RETRY_S
            psk = self.psk.keys(keys.suite.wire_id)
            mac = psk.erase_mac(keys.session.id, erasure.transaction)
            self.peer.send_control(Control.ERASE, erasure.transaction, mac)

    # --- Rekeys that the ground station requests ---

    def request_rekey(self, suite: Suite | None, kind: RekeyKind) -> Future[str | None]:
        keys = self.peer.slots.sending
        if keys is None or self._lost_at is not None:
            return _failed(f"there is no session with {self.record.name}")
        suite = suite or keys.suite
        if self._pending is not None:
            return _failed("a rekey is in progress")
        if self.ground.refuses(suite, self.record):
            return _failed(f"{suite.name} can't be used")
        deadline = self.ground.now + _REKEY_LIMIT_S
        self._pending = _PendingRekey(suite, kind, secrets.randbits(32), deadline)
        return self._pending.outcome

    def _end_rekey(self, problem: str | None) -> None:
        pending, self._pending = self._pending, None
        assert pending is not None
        if problem is not None:
            self.ground.report(f"rekey failed: {problem}", self.peer.slots.sending)
        pending.outcome.set_result(problem)

    # --- Time ---

    def handle_answer(self, asked: float) -> None:
        """React to an answer to a TIME_REQ sent at a time."""
        if self._lost_at is not None and asked >= self._lost_at:
            self._lost_at = None
            self.ground.report(f"{self.record.name} sends again", self.peer.slots.sending)

    def handle_wiped(self) -> None:
        """Forget what depends on the keys that are wiped."""
        self.new_session.forget()
        self.new_session.formers.clear()
        self.rekeys.forget()
        self._confirmation = self._lost_at = None
        if self._pending is not None:
            self._end_rekey("all keys are wiped")

    def due(self) -> float:
        times = [self.new_session.next_later]
        if self.peer.slots.sending is not None and self._lost_at is None:
            times.append(self.peer.last_received + self.ground.config.peer_timeout_s)
        if self._confirmation is not None:
            times.append(self._confirmation.next_try)
        if self._pending is not None:
            times += [self._pending.next_try, self._pending.deadline]
        if self._erasure is not None:
            times += [self._erasure.next_try, self._erasure.deadline]
        return min(times)

    def handle_due(self) -> None:
        now, pending = self.ground.now, self._pending
        silent = now >= self.peer.last_received + self.ground.config.peer_timeout_s
        if self.peer.slots.sending is not None and silent and self._lost_at is None:
            self._lost_at = now
            self.ground.report(f"no packets arrive from {self.record.name}", None)
        if now >= self.new_session.next_later:
            self.new_session.send_later()
        if self._confirmation is not None and now >= self._confirmation.next_try:
            self._confirm(self._confirmation)
        self._handle_due_erasure()
        if pending is None:
            return
        if now >= pending.deadline:
            self._end_rekey("the drone did not rekey in time")
        elif now >= pending.next_try:
            pending.next_try = now + pending.retry.next()
            fields = (pending.suite.wire_id, pending.kind)
            self.peer.send_control(Control.REKEY_REQ, pending.transaction, *fields)


def _failed(problem: str) -> Future[str | None]:
    outcome: Future[str | None] = Future()
    outcome.set_result(problem)
    return outcome
