# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's second thread: it opens sessions and rekeys them, step by step."""

from __future__ import annotations

import queue
import secrets
import socket
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.channel import Channel
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.drone_handshake import DroneTerms, Resumed, shake_hands
from pqc_reference.epoch_keys import LAST_EPOCH, EpochKeys
from pqc_reference.handshake import Failure, HandshakeFailed
from pqc_reference.identity import DroneIdentity
from pqc_reference.key_schedule import PskKeys, SessionSecrets
from pqc_reference.loop import Stopped
from pqc_reference.suites import Suite

if TYPE_CHECKING:
    from pqc_reference.drone import Drone

_REMEMBERED_KEYS = 1024
_CONTROL_TRIES = 5
_HANDSHAKE_TRIES = 3
_PREPARE_LIMIT_S = 120.0


class RekeyFailed(Exception):
    """A rekey that failed: the old keys stay."""

    def __init__(self, text: str, *, blames_suite: bool = False) -> None:
        super().__init__(text)
        self.blames_suite = blames_suite


class SessionLost(Exception):
    """The session needs a successor."""


@dataclass
class RekeyOrder:
    """A rekey that somebody wants; the outcome is None for success, or says why it failed."""

    suite: Suite
    gcs_transaction: int | None = None  # of the REKEY_REQ, if the GCS wants it
    outcome: Future[str | None] = field(default_factory=Future)


class DroneWorker:
    """Does what waits: handshakes, rekeys, pauses. It touches the drone through the loop alone."""

    def __init__(self, drone: Drone, identity: DroneIdentity) -> None:
        self._drone = drone
        self._config = drone.config
        self._identity = identity
        self._psk = PskKeys.of(identity.psk)
        self._call = drone.loop.call
        self._seen_keys: deque[bytes] = deque(maxlen=_REMEMBERED_KEYS)
        self._reconnect = Backoff(0.2, 5.0)
        self._attempt: Channel | None = None  # of a new session, not of a rekey
        # Orders, answers of the GCS, and None: the state of the drone has changed.
        self._inbox: queue.SimpleQueue[RekeyOrder | ControlFrame | None] = queue.SimpleQueue()

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._run, name="worker", daemon=True).start()

    # --- Called by the packet thread ---

    def handle(self, message: RekeyOrder | ControlFrame | None) -> None:
        """Take an order, an answer of the GCS, or None for a change of the drone's state."""
        self._inbox.put(message)

    def handle_proved(self) -> None:
        """The latest keys are confirmed."""
        self._reconnect.reset()
        self._inbox.put(None)

    def cancel_new_session(self) -> None:
        """End a handshake for a session that is no longer needed."""
        if self._attempt is not None:
            self._attempt.abandon()
        self.handle_proved()

    def send_commit(self, keys: EpochKeys, transaction: int | None = None) -> None:
        """Tell the GCS, under new keys, that the drone has them."""
        number = _new_transaction() if transaction is None else transaction
        fields = (keys.id, keys.epoch, keys.transcript_tag)
        self._drone.peer.send_control(Control.COMMIT, number, *fields)

    # --- The worker's thread ---

    def _run(self) -> None:
        try:
            while True:
                if self._needs_session():
                    self._open_session()
                elif isinstance(order := self._inbox.get(), RekeyOrder):
                    self._rekey(order)
        except Stopped:
            return

    def _needs_session(self) -> bool:
        return self._call(self._drone.needs_session)

    def _open_session(self) -> None:
        slots = self._drone.peer.slots
        if slots.sending is not None and not slots.confirmed:
            # Handshakes succeed but datagrams do not arrive: more handshakes would not help.
            self._pause(self._reconnect.next())
            if not self._needs_session():
                return
        suite = self._drone.suite
        try:
            keys = self._shake_hands(suite, None)
        except HandshakeFailed as failed:
            self._call(self._drone.report, f"handshake failed: {failed}", None)
            if not self._needs_session():
                return
            if failed.failure.blames_suite and suite != self._config.suite:
                self._call(self._drone.fall_back, suite)
            self._pause(self._reconnect.next())
        else:
            self._call(self._drone.begin_session, suite, keys)

    def _pause(self, seconds: float) -> None:
        """Wait as long as a new session is needed, but no longer than this."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0 and self._needs_session():
            try:
                order = self._inbox.get(timeout=remaining)
            except queue.Empty:
                return
            if isinstance(order, RekeyOrder):
                self._call(self._drone.end_rekey, order, "the session was lost")

    def _rekey(self, order: RekeyOrder) -> None:
        slots = self._drone.peer.slots
        current = slots.sending
        problem: str | None = None
        if current is None or not slots.confirmed:  # there is a new session since the order
            problem = "the session was lost"
        else:
            self._call(self._drone.report, f"rekey to {order.suite.name} started", current)
            try:
                self._make_and_break(order.suite, current)
            except RekeyFailed as failed:
                problem = str(failed)
                if failed.blames_suite:
                    self._call(self._drone.blame, order.suite)
            except SessionLost:
                problem = "the session was lost during the rekey"
        self._call(self._drone.end_rekey, order, problem)

    def _make_and_break(self, suite: Suite, current: EpochKeys) -> None:
        """Do a rekey: PREPARE until the GCS is ready, a handshake, COMMIT until it is confirmed."""
        transaction = _new_transaction()
        if current.epoch < LAST_EPOCH:
            resumed = Resumed(current.id, current.epoch, current.resumption)
            session_id, epoch = current.id, current.epoch + 1
        else:
            resumed, session_id, epoch = None, b"", 0

        for tries_left in reversed(range(_HANDSHAKE_TRIES)):
            self._prepare(suite, epoch, transaction)
            try:
                agreed = self._shake_hands(suite, resumed)
                break
            except HandshakeFailed as failed:
                again = failed.failure in (Failure.UNPROVED, Failure.BUSY)
                if not again or not tries_left:
                    blamed = failed.failure.blames_suite
                    raise RekeyFailed(str(failed), blames_suite=blamed) from failed
                self._call(self._drone.report, f"handshake failed: {failed}", current)
                self._await_frame(transaction, control_retries().next())

        session_id = session_id or agreed.session_id
        keys = self._call(self._drone.install, suite, session_id, epoch, agreed)
        retry = control_retries()
        while not self._confirmed():
            self._call(self.send_commit, keys, transaction)
            self._await_frame(transaction, retry.next())

    def _prepare(self, suite: Suite, epoch: int, transaction: int) -> None:
        """Ask for keys until the ground station has them ready."""
        retry = control_retries()
        limit = time.monotonic() + _PREPARE_LIMIT_S
        while retry.tries < _CONTROL_TRIES and time.monotonic() < limit:
            fields = (epoch, suite.wire_id)
            self._call(self._drone.peer.send_control, Control.PREPARE, transaction, *fields)
            wait = retry.next()
            while (frame := self._await_frame(transaction, wait)) is not None:
                if frame.kind is Control.READY:
                    return
                if frame.kind is Control.BUSY:
                    # It works on them: the tries start again, after about its estimate.
                    retry.reset()
                    wait = min(max(frame.fields[0] / 1000, 0.25), 4.0)
                elif frame.kind is Control.ABORT:
                    in_progress = frame.fields[0] == Abort.IN_PROGRESS
                    text = f"the ground station can't rekey to {suite.name}"
                    raise RekeyFailed(text, blames_suite=not in_progress)
        raise RekeyFailed("the ground station did not get ready in time")

    def _await_frame(self, transaction: int, seconds: float) -> ControlFrame | None:
        """Return the next frame of a transaction; None after a time or a change of state."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            try:
                message = self._inbox.get(timeout=remaining)
            except queue.Empty:
                return None
            if self._drone.lost:
                raise SessionLost
            if message is None:
                return None
            if isinstance(message, ControlFrame) and message.transaction == transaction:
                return message
        return None

    def _confirmed(self) -> bool:
        if self._drone.lost:
            raise SessionLost
        return self._drone.peer.slots.confirmed

    def _shake_hands(self, suite: Suite, resumed: Resumed | None) -> SessionSecrets:
        """Connect and do a handshake."""
        timeout = self._config.timeout_of(suite)
        identity, policy = self._identity, self._config.policy
        terms = DroneTerms(identity, self._psk, policy, suite, resumed, self._is_new_key)
        address = (self._config.gcs_address, self._config.handshake_port)
        try:
            channel = Channel(socket.create_connection(address, timeout), timeout)
        except OSError as error:
            text = f"the ground station can't be reached: {error.strerror or error}"
            raise HandshakeFailed(Failure.UNPROVED, text) from error
        if resumed is None:
            self._attempt = channel
        try:
            return shake_hands(channel, terms)
        except HandshakeFailed as failed:
            if failed.failure is Failure.SESSION_UNKNOWN:
                self._call(self._drone.lose, "the ground station has lost the session")
            raise
        finally:
            self._attempt = None
            channel.close()

    def _is_new_key(self, key_id: bytes) -> bool:
        if key_id in self._seen_keys:
            return False
        self._seen_keys.append(key_id)
        return True


def _new_transaction() -> int:
    return secrets.randbits(32)
