# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone: opens sessions, keeps them alive, and is the only one to start rekeys."""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from pqc_reference import datagrams
from pqc_reference.backoff import Backoff
from pqc_reference.channel import Channel
from pqc_reference.config import Config
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.datagrams import Address
from pqc_reference.drone_handshake import DroneTerms, Resumed, shake_hands
from pqc_reference.handshake import Failure, HandshakeFailed
from pqc_reference.identity import DroneIdentity
from pqc_reference.key_schedule import PskKeys, SessionSecrets
from pqc_reference.loop import Loop, Stopped
from pqc_reference.peer import Peer, Report, is_frame
from pqc_reference.rekey import RekeyFailed, SessionLost, new_transaction, rekey
from pqc_reference.session import ASK_REKEY_PACKETS, Session
from pqc_reference.suites import Suite, suite_of

_REMEMBERED_KEYS = 1024
_OWN_REKEY_RETRY_S = 60.0


@dataclass
class RekeyOrder:
    """A rekey that somebody wants; the outcome is None for success, or why not."""

    suite: Suite
    gcs_transaction: int | None = None
    outcome: Future[str | None] = field(default_factory=Future)


@dataclass
class _GcsRequest:
    transaction: int
    failed: bool = False


class Drone:
    """Two threads: the loop's for packets, and a conductor's for handshakes and rekeys."""

    def __init__(self, config: Config, identity: DroneIdentity, loop: Loop, report: Report) -> None:
        """Open the sockets; `start` does the rest."""
        assert config.suite is not None
        self.handshakes = self.rekeys = self.rollbacks = 0
        self.last_handshake_s = 0.0
        self.unassigned_drops: dict[str, int] = {}  # a drone has one peer: all is counted there
        self._config = config
        self._identity = identity
        self._psk = PskKeys.of(identity.psk)
        self._loop = loop
        self._report = report
        self._suite = config.suite
        self._home = datagrams.resolve(config.gcs_address, config.gcs_datagram_port)
        self._link = datagrams.bound_socket(
            socket.SOCK_DGRAM, config.bind_address, config.datagram_port, like=config.gcs_address
        )
        self.peer = Peer("", config, self, self._link, report)
        self._seen_keys: deque[bytes] = deque(maxlen=_REMEMBERED_KEYS)
        self._blacklist: dict[Suite, float] = {}
        self._gcs_request: _GcsRequest | None = None
        self._reconnect = Backoff(0.2, 5.0)
        self._order: RekeyOrder | None = None  # under way
        self._lost = False
        self._rekey_due = float("inf")  # for the age of the keys
        self._last_own_rekey = float("-inf")
        self._attempt: Channel | None = None  # of a new session, not of a rekey
        # Control frames for the conductor, orders, and None for "look again".
        self._inbox: queue.SimpleQueue[RekeyOrder | ControlFrame | None] = queue.SimpleQueue()
        loop.watch(self._link, lambda: datagrams.drain(self._link, self._handle_datagram))
        loop.watch(self.peer.plaintext.socket, self.peer.handle_plaintext)

    @property
    def peers(self) -> list[Peer]:
        """The ground station."""
        return [self.peer]

    def start(self) -> None:
        """Begin with the first handshake."""
        threading.Thread(target=self._conduct, name="conductor", daemon=True).start()

    def close(self) -> None:
        """Close the sockets, once the loop has ended."""
        for opened in (self._link, self.peer.plaintext.socket):
            opened.close()

    # --- The packet thread ---

    def _handle_datagram(self, datagram: bytes, sender: Address) -> None:
        if is_frame(datagram):
            self.peer.handle_frame(datagram, sender)
        else:
            self.peer.drops["malformed"] += 1

    def handle_heard(self, peer: Peer) -> None:
        """Call off a new session if the keys still hold after all."""
        # Only confirmed keys do that: the GCS may have given up those before them.
        assert peer.slots.sending is not None
        if self._lost and peer.slots.confirmed and not peer.slots.sending.used_up:
            self._lost = False
            if self._attempt is not None:
                self._attempt.abandon()
            self._reconnect.reset()
            self._report("the ground station is heard again", peer.slots.sending)
            self._inbox.put(None)

    def handle_proved(self, peer: Peer) -> None:
        """Note that the GCS has the new keys."""
        assert peer.slots.sending is not None
        self._suite = peer.slots.sending.suite
        self._order = None
        self._reconnect.reset()
        age = self._config.max_key_age_s
        self._rekey_due = time.monotonic() + age if age > 0 else float("inf")
        self._report("the ground station has the new keys", peer.slots.sending)
        self._inbox.put(None)

    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        """Pass on what the conductor waits for; take requests for rekeys."""
        if frame.kind is Control.REKEY_REQ:
            self._handle_rekey_request(frame)
        elif frame.kind in (Control.READY, Control.BUSY, Control.ABORT):
            self._inbox.put(frame)
        elif frame.kind is not Control.COMMIT_ACK:  # any packet under new keys says as much
            return False
        return True

    def _handle_rekey_request(self, frame: ControlFrame) -> None:
        former = self._gcs_request
        if former is not None and former.transaction == frame.transaction:
            if former.failed:
                self.peer.send_control(Control.ABORT, frame.transaction, Abort.FAILED)
            return
        suite = suite_of(frame.fields[0])
        if suite is None or self._objection(suite) is not None:
            later = self._order is not None or not self.peer.slots.confirmed
            reason = Abort.IN_PROGRESS if later else Abort.SUITE_REFUSED
            self.peer.send_control(Control.ABORT, frame.transaction, reason)
            return
        self._gcs_request = _GcsRequest(frame.transaction)
        self._begin(RekeyOrder(suite, frame.transaction))

    def request_rekey(self, suite: Suite | None) -> Future[str | None]:
        """Rekey to a suite, or with the same; the future tells why not, or None."""
        order = RekeyOrder(suite or self._suite)
        objection = self._objection(order.suite)
        if objection is None:
            self._begin(order)
        else:
            self._report(f"rekey refused: {objection}", self.peer.slots.sending)
            order.outcome.set_result(objection)
        return order.outcome

    def _begin(self, order: RekeyOrder) -> None:
        self._order = order
        self._inbox.put(order)

    def _objection(self, suite: Suite) -> str | None:
        slots = self.peer.slots
        if slots.sending is None or self._lost or slots.sending.used_up:
            return "there is no session to rekey"
        if self._order is not None:
            return "a rekey is under way"
        if not slots.confirmed:
            return "the ground station has not confirmed the current keys yet"
        if suite not in self._config.policy.allowed:
            return f"{suite.name} is not allowed by the configuration"
        if suite.signature not in self._identity.gcs_keys:
            return f"no public key of the ground station is known for {suite.name}"
        if self._config.policy.drone_signs and suite.signature not in self._identity.signing_keys:
            return f"the drone has no signing key for {suite.name}"
        if self._blacklist.get(suite, 0.0) > time.monotonic():
            return f"{suite.name} failed lately and is blacklisted"
        return None

    def handle_timeout(self, now: float) -> float:
        """Do what is due; return when it is needed next."""
        due = self.peer.handle_timeout(now)
        session = self.peer.slots.sending
        if session is None or self._lost:
            return due
        silent_at = self.peer.last_heard + self._config.peer_timeout_s
        if now >= silent_at:
            self._lose("nothing is heard from the ground station")
        elif session.used_up:
            self._lose("the keys are used up")
        own_rekey = self._rekey_due if session.packets < ASK_REKEY_PACKETS else now
        # Not more often than once a minute if rekeying keeps failing.
        own_rekey = max(own_rekey, self._last_own_rekey + _OWN_REKEY_RETRY_S)
        if now >= own_rekey:
            self._last_own_rekey = now
            self.request_rekey(session.suite)
        return min(due, silent_at, own_rekey)

    def _lose(self, why: str) -> None:
        self._lost = True
        self._report(why, self.peer.slots.sending)
        self._inbox.put(None)

    def _install(
        self, suite: Suite, session_id: bytes, epoch: int, keys: SessionSecrets, *, new: bool
    ) -> Session:
        window = self._config.replay_window
        session = Session(suite, session_id, epoch, keys, drone=True, replay_window=window)
        self._lost = False
        if new:
            self.peer.address = self._home
        self.peer.slots.install_for_sending(session)
        self.peer.start_listening()
        self.handshakes += 1
        self._report("handshake completed", session)
        return session

    # --- The conductor's thread ---

    def _conduct(self) -> None:
        try:
            while True:
                if self._needs_session():
                    self._open_session()
                    continue
                # What happens in the packet thread puts something into the inbox.
                order = self._inbox.get()
                if isinstance(order, RekeyOrder):
                    self._rekey(order)
        except Stopped:
            return

    def _needs_session(self) -> bool:
        return self._loop.call(lambda: self.peer.slots.sending is None or self._lost)

    def _open_session(self) -> None:
        slots = self.peer.slots
        if slots.sending is not None and not slots.confirmed:
            # Handshakes pass and datagrams don't: handshakes in a row won't change that.
            self._pause(self._reconnect.next())
            if not self._needs_session():
                return
        suite = self._suite
        try:
            keys = self.shake_hands(suite, None)
        except HandshakeFailed as failed:
            text = f"handshake failed: {failed}"
            self._loop.call(lambda: self._report(text, None))
            if not self._needs_session():
                return
            if failed.failure.blames_suite and suite != self._config.suite:
                self._loop.call(lambda: self._give_up_suite(suite))
            self._pause(self._reconnect.next())
            return

        def begin() -> None:
            session = self._install(suite, keys.session_id, 0, keys, new=True)
            # Any packet proves the new keys to the ground station; this one goes at once.
            fields = (session.id, session.epoch, session.transcript_tag)
            self.peer.send_control(Control.COMMIT, new_transaction(), *fields)

        self._loop.call(begin)

    def _give_up_suite(self, suite: Suite) -> None:
        """Go back to the configured suite, as one that failed under the pre-shared key."""
        assert self._config.suite is not None
        self._blacklist[suite] = time.monotonic() + self._config.blacklist_ttl_s
        self._suite = self._config.suite
        self.rollbacks += 1

    def _pause(self, seconds: float) -> None:
        """Wait, unless a new session isn't needed any more."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0 and self._needs_session():
            try:
                order = self._inbox.get(timeout=remaining)
            except queue.Empty:
                return
            if isinstance(order, RekeyOrder):
                self._answer(order, "the session was lost")

    def _rekey(self, order: RekeyOrder) -> None:
        slots = self.peer.slots
        current = slots.sending
        if current is None or not slots.confirmed:  # a new session has come in between
            self._answer(order, "the session was lost")
            return
        problem: str | None = None
        blamed = False
        self._loop.call(lambda: self._report(f"rekey to {order.suite.name} started", current))
        try:
            rekey(self, order.suite, current, self._report_later)
        except RekeyFailed as failed:
            problem, blamed = str(failed), failed.blames_suite
        except SessionLost:
            problem = "the session was lost during the rekey"
        if blamed:
            expiry = time.monotonic() + self._config.blacklist_ttl_s
            self._blacklist[order.suite] = expiry
            self.rollbacks += 1
        elif problem is None:
            self.rekeys += 1
        self._answer(order, problem)

    def _answer(self, order: RekeyOrder, problem: str | None) -> None:
        def end() -> None:
            if self._order is order:  # else it has succeeded, and another may have begun
                self._order = None
            text = (
                f"rekeyed to {order.suite.name}" if problem is None else f"rekey failed: {problem}"
            )
            self._report(text, self.peer.slots.sending)
            request = self._gcs_request
            if problem is not None and request and request.transaction == order.gcs_transaction:
                request.failed = True
                self.peer.send_control(Control.ABORT, request.transaction, Abort.FAILED)

        self._loop.call(end)
        order.outcome.set_result(problem)

    def _report_later(self, text: str) -> None:
        self._loop.call(lambda: self._report(text, self.peer.slots.sending))

    # What rekey.py needs (its Line)

    def send(self, kind: Control, transaction: int, *fields: Any) -> None:
        """Send a control frame."""
        self._loop.call(lambda: self.peer.send_control(kind, transaction, *fields))

    def await_frame(self, transaction: int, seconds: float) -> ControlFrame | None:
        """Wait for a frame of a transaction, or until keys are confirmed."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            try:
                message = self._inbox.get(timeout=remaining)
            except queue.Empty:
                return None
            if self._lost:
                raise SessionLost
            if message is None:
                return None
            if isinstance(message, ControlFrame) and message.transaction == transaction:
                return message
        return None

    def shake_hands(self, suite: Suite, resumed: Resumed | None) -> SessionSecrets:
        """Connect and do a handshake."""
        timeout = self._config.timeout_of(suite)
        terms = DroneTerms(
            self._identity, self._psk, self._config.policy, suite, resumed, self._is_new_key
        )
        began = time.monotonic()
        address = (self._config.gcs_address, self._config.handshake_port)
        try:
            channel = Channel(socket.create_connection(address, timeout), timeout)
        except OSError as error:
            text = f"the ground station can't be reached: {error.strerror or error}"
            raise HandshakeFailed(Failure.UNPROVED, text) from error
        if resumed is None:
            self._attempt = channel
        try:
            keys = shake_hands(channel, terms)
        except HandshakeFailed as failed:
            if failed.failure is Failure.SESSION_UNKNOWN:
                self._loop.call(lambda: self._lose("the ground station has lost the session"))
            raise
        finally:
            self._attempt = None
            channel.close()
        self.last_handshake_s = time.monotonic() - began
        return keys

    def install(self, suite: Suite, session_id: bytes, epoch: int, keys: SessionSecrets) -> Session:
        """Send under the keys of a rekey."""
        return self._loop.call(lambda: self._install(suite, session_id, epoch, keys, new=False))

    def confirmed(self) -> bool:
        """Whether the newest keys are confirmed."""
        if self._lost:
            raise SessionLost
        return self._loop.call(lambda: self.peer.slots.confirmed)

    def _is_new_key(self, key_id: bytes) -> bool:
        if key_id in self._seen_keys:
            return False
        self._seen_keys.append(key_id)
        return True
