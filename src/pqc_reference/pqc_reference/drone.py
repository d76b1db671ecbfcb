# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone: keeps a session alive, and is the only end that starts rekeys."""

from __future__ import annotations

import hmac
from collections import deque
from concurrent.futures import Future

from pqc_reference.attempt import Attempt
from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.config import Config
from pqc_reference.crypto.key_schedule import Psk
from pqc_reference.crypto.suites import Suite, suite_of
from pqc_reference.end import Address, Datagram, Deliver, End
from pqc_reference.handshake import Failure, HandshakeFailed, abort_reason
from pqc_reference.identity import DroneIdentity, erase_drone_identity
from pqc_reference.key_files import IdentityError
from pqc_reference.peer import Peer, Report
from pqc_reference.prekeys import Prekeys
from pqc_reference.rekey import Order, Rekey
from pqc_reference.session.epoch_keys import ASK_REKEY_FRAMES, LAST_EPOCH, EpochKeys
from pqc_reference.wire.control import Abort, Control, ControlMessage, Erased, RekeyKind
from pqc_reference.wire.messages import (
    HelloType,
    Malformed,
    MessageType,
    hello_type,
    largest_prekey,
)

_OWN_REKEY_RETRY_S = 60.0
_PREFETCH_AFTER_S = 1.0
_REMEMBERED_KEYS = 1024
_NEVER = float("inf")
_ERASED_COPIES = 3
_NO_SESSION = "there is no session to rekey"


class Drone(End):
    def __init__(
        self, config: Config, identity: DroneIdentity, report: Report, deliver: Deliver
    ) -> None:
        """IdentityError if a key is missing that the suite needs."""
        assert config.suite is not None
        if config.suite.signature not in identity.gcs_keys:
            raise IdentityError(f"There is no public key of the GCS for {config.suite.name}.")
        if config.policy.drone_signs and config.suite.signature not in identity.signing_keys:
            raise IdentityError(f"There is no signing key of the drone for {config.suite.name}.")
        if config.anchor == "required" and identity.anchor is None:
            raise IdentityError("There is no key of the anchor, which is required.")
        super().__init__(config, report, deliver)
        self.identity = identity
        self.psk = Psk(identity.psk)
        self.suite = config.suite  # suite of the session
        self.home: list[Address] = []  # addresses of the GCS, resolved from its name
        (self.peer,) = self.peers
        self.attempt: Attempt | None = None
        self.rekey: Rekey | None = None
        self.waiting: Order | None = None  # a rekey that waits for its prekey
        self.rate_bytes_s: float | None = None  # of the link; this peer does not measure it
        self.prekeys = Prekeys(self)
        self.ratchets = 0  # ratchets since the last full rekey
        self._gcs_order: Order | None = None  # latest rekey that the GCS requested
        self._blacklist: dict[Suite, float] = {}
        self._lost_at: float | None = None  # when the session was lost
        self._reconnect = Backoff(0.2, 5.0)
        self._next_attempt = float("-inf")
        self._keys_since = 0.0  # time of the last full key exchange
        self._renewals = 0  # rekeys that it has tried by itself since then
        self._next_own_rekey = float("-inf")
        self._prefetch_at = _NEVER
        self._keepalive = control_retries()
        self._next_keepalive = _NEVER  # keep-alives repeat until the GCS has the new keys
        self._seen_keys: deque[bytes] = deque(maxlen=_REMEMBERED_KEYS)

    def handle_home(self, addresses: list[Address], now: float) -> list[Datagram]:
        """Take the addresses that the name of the GCS has now."""
        first, self.home = not self.home, addresses
        if first:  # hellos so far went nowhere
            self.attempt, self._next_attempt = None, now
        return self.handle_timeout(now)

    # --- For Attempt, Rekey and Prekeys ---

    def likely_addresses(self) -> list[Address]:
        """Return the addresses that the GCS may have."""
        live = [self.peer.address] if self.peer.address is not None else []
        return [*self.home, *(address for address in live if address not in self.home)]

    def largest_message(self) -> int:
        """Return the size that a message of the GCS in a session can have, in bytes."""
        policy = self.config.policy
        return max(largest_prekey(suite, policy.mode) for suite in policy.allowed)

    def is_new_key(self, key_id: bytes) -> bool:
        """Remember a key_id; return whether it is new."""
        new = key_id not in self._seen_keys
        self._seen_keys.append(key_id)
        return new

    def begin_attempt(self, suite: Suite) -> None:
        self.suite = suite
        self.attempt = Attempt(self, suite)
        self.attempt.handle_due()

    def fail_attempt(self, attempt: Attempt, failed: HandshakeFailed) -> None:
        if self.attempt is not attempt:
            return
        self.attempt = self.peer.boot = None
        self.report(f"handshake failed: {failed}", None)
        self._next_attempt = self.now + self._reconnect.next()
        keys = self.peer.slots.sending
        if self.rekey is not None and keys is not None:  # it was one to a new session
            self.suite = keys.suite
            self.end_rekey(self.rekey, failed)

    def install(self, keys: EpochKeys) -> None:
        self.attempt = self._lost_at = None
        self.peer.slots.install_for_sending(keys)
        if keys.epoch == 0:
            self.peer.last_answered = self.now
            self._blacklist.clear()
        self.peer.start_listening()
        self.peer.last_alive = self.now
        self.prekeys.begin(keys.session)
        ratcheted = self.rekey is not None and self.rekey.order.ratchet
        self.ratchets = self.ratchets + 1 if ratcheted else 0
        self.handshakes += not ratcheted
        self._keys_since = self._keys_since if ratcheted else self.now
        self._keepalive, self._next_keepalive = control_retries(), self.now
        self.report("ratchet completed" if ratcheted else "handshake completed", keys)
        self._send_keepalive()

    def handle_prekey(self, suite: Suite) -> None:
        """Start the rekey that waits for the prekey that has arrived."""
        if self.waiting is not None and suite.pair == self.waiting.suite.pair:
            self.prekeys.not_urgent()
            self._start_waiting()

    def handle_no_prekey(self, suite: Suite, failed: HandshakeFailed) -> None:
        """Go on without the prekey: end the rekey that waits for it, or begin a new session."""
        order = self.waiting
        if order is None or suite.pair != order.suite.pair:
            return
        keys = self.peer.slots.sending
        self.waiting = None
        if failed.failure is Failure.NO_ANSWER or self.rekey is not None or keys is None:
            self._end_order(order, failed)
        else:
            self.rekey = Rekey(self, order, keys)
            self.rekey.begin_anew()

    def wait_again(self, rekey: Rekey) -> None:
        """Let a rekey wait for another prekey."""
        self.rekey = None
        if self.waiting is None:
            self._wait(rekey.order)
        else:
            text = f"a rekey to {self.waiting.suite.name} waits for its key"
            self._end_order(rekey.order, HandshakeFailed(Failure.BUSY, text))

    def _wait(self, order: Order) -> None:
        self.waiting = order
        self.prekeys.fetch(order.suite, asked=True, urgent=True)

    def _start_waiting(self) -> None:
        """Start the rekey that waits, if its prekey is there and no other is under way."""
        order, keys = self.waiting, self.peer.slots.sending
        if order is None or self.rekey is not None or keys is None or self._needs_session():
            return
        if not self.peer.slots.confirmed or keys.used_up:
            return
        if self.prekeys.holds(order.suite) or keys.epoch == LAST_EPOCH:
            self.waiting = None
            self.rekey = Rekey(self, order, keys)
            self.rekey.start()
        else:
            self._wait(order)

    def end_rekey(self, rekey: Rekey, failed: HandshakeFailed | None) -> None:
        """Report how a rekey ended, also to the GCS if it requested it."""
        if self.rekey is not rekey:
            return
        self.rekey = None
        self._prefetch_at = self.now + _PREFETCH_AFTER_S
        self._end_order(rekey.order, failed)
        self._start_waiting()

    def _end_order(self, order: Order, failed: HandshakeFailed | None) -> None:
        suite = order.suite
        self.rekeys += failed is None
        if failed is not None and failed.failure.blames_suite:
            self._blame(suite)
        text = f"rekeyed to {suite.name}" if failed is None else f"rekey failed: {failed}"
        self.report(text, self.peer.slots.sending)
        if failed is not None and order.gcs_transaction is not None:
            self.peer.send_control(Control.ABORT, order.gcs_transaction, Abort.FAILED)
        order.outcome.set_result(None if failed is None else str(failed))

    def _blame(self, suite: Suite) -> None:
        """Blacklist a suite after a failure that the pre-shared key authenticates.

        The suite in use never is.
        """
        keys = self.peer.slots.sending
        if keys is None or suite != keys.suite:
            self._blacklist[suite] = self.now + self.config.blacklist_ttl_s
        self.rollbacks += 1

    # --- Frames ---

    def handle_hello(self, frame: bytes, sender: Address) -> None:
        try:
            kind = hello_type(frame)
        except Malformed:
            kind = HelloType.CLIENT_HELLO
        if kind is HelloType.CLIENT_HELLO:
            self.unassigned_drops["malformed"] += 1
        elif self.attempt is not None:
            self.attempt.handle_hello(frame, kind, sender)

    def handle_boot_frame(self, peer: Peer) -> None:
        if self.attempt is not None:
            self.attempt.handle_boot_frame()

    def handle_proved(self, peer: Peer) -> None:
        keys = peer.slots.sending
        assert keys is not None
        self.suite = keys.suite
        self._next_keepalive = _NEVER
        if self.ratchets == 0:
            self._blacklist.pop(keys.suite, None)
            self._renewals, self._next_own_rekey = 0, float("-inf")
        self._prefetch_at = self.now + _PREFETCH_AFTER_S
        self._reconnect.reset()
        self.report("the ground station has the new keys", keys)
        if self.rekey is not None:
            self.end_rekey(self.rekey, None)
        else:
            self._start_waiting()

    def handle_answer(self, peer: Peer, asked: float) -> None:
        # The session works after all. Confirmed keys show that; the GCS may have dropped others.
        keys = peer.slots.sending
        if self._lost_at is None or asked < self._lost_at or keys is None or keys.used_up:
            return
        self._lost_at = self.attempt = peer.boot = None
        self._reconnect.reset()
        self.report("packets from the ground station arrive again", keys)

    def handle_stream(self, peer: Peer, keys: EpochKeys) -> None:
        self.prekeys.handle_progress()
        if self.rekey is not None:
            self.rekey.handle_progress()

    def handle_message(self, peer: Peer, message: bytes, keys: EpochKeys) -> None:
        if peer.is_boot(keys):
            if self.attempt is not None:
                self.attempt.handle_message(message)
        elif message[0] == MessageType.PREKEY:
            self.prekeys.handle_message(message, keys.session)

    def handle_control(self, peer: Peer, message: ControlMessage, keys: EpochKeys) -> bool:
        kind, transaction, fields = message
        if peer.is_boot(keys):
            # Frames that come after the attempt are repetitions.
            return self.attempt is None or self.attempt.handle_control(message)
        rekey = self.rekey
        if kind is Control.REKEY_REQ:
            self._handle_rekey_request(transaction, *fields)
        elif kind is Control.LATER:
            self.prekeys.handle_later(transaction, *fields)
        elif kind is Control.ABORT:
            self.prekeys.handle_abort(transaction, *fields)
            if rekey is not None:
                rekey.handle_abort(transaction, *fields)
        elif kind is Control.CONFIRM:
            if rekey is not None:
                rekey.handle_confirm(*fields)
        elif kind is Control.RATCHET_OK:
            if rekey is not None:
                rekey.handle_ratchet_ok(*fields)
        elif kind is Control.WIPED:
            live = peer.slots.sending
            if live is not None and keys.session is live.session and not self._needs_session():
                self._lose("the ground station has wiped the keys of this session", live)
        elif kind is Control.ERASE:
            self._handle_erase(peer, transaction, fields[0], keys)
        elif kind is Control.SUPERSEDED:
            live = peer.slots.sending
            if live is not None and keys.session is live.session:
                self.report("two machines have this drone's identity", live)
                peer.send_control(Control.SUPERSEDED, 0)  # proves that these keys are in use
        else:
            return False
        return True

    def _handle_erase(self, peer: Peer, transaction: int, mac: bytes, keys: EpochKeys) -> None:
        live = peer.slots.sending
        psk = self.psk.keys(keys.suite.wire_id)
        if live is None or keys.session is not live.session:
            return
        if not hmac.compare_digest(mac, psk.erase_mac(keys.session.id, transaction)):
            return
        if not self.config.erase_on_request:
            self.report("the ground station asks to erase the keys, which is not allowed", keys)
            peer.send_control(Control.ERASED, transaction, Erased.NOT_ALLOWED)
            return
        done = erase_drone_identity(self.config.identity_dir)
        for _ in range(_ERASED_COPIES):
            peer.send_control(Control.ERASED, transaction, Erased.DONE if done else Erased.FAILED)
        self.report("the ground station has had this drone's keys erased", keys)
        self.handle_wiped(peer)
        peer.wipe()
        self._next_attempt = _NEVER

    def _handle_rekey_request(self, transaction: int, wire_id: bytes, kind: int) -> None:
        former = self._gcs_order
        if former is not None and former.gcs_transaction == transaction:
            if former.outcome.done() and former.outcome.result() is not None:
                self.peer.send_control(Control.ABORT, transaction, Abort.FAILED)
            return
        suite = suite_of(wire_id)
        one_time_key = kind == RekeyKind.ONE_TIME_KEY
        if suite is None:
            self.peer.send_control(Control.ABORT, transaction, Abort.SUITE_REFUSED)
            return
        order = Order(suite, kind != RekeyKind.FULL, one_time_key, transaction)
        if (objection := self._objection(order)) is not None:
            self.peer.send_control(Control.ABORT, transaction, abort_reason(objection))
            return
        self._gcs_order = order
        self._begin_rekey(order)

    def handle_wiped(self, peer: Peer) -> None:
        self._lose_rekeys("all keys are wiped")
        self.attempt = self._lost_at = None
        self._blacklist.clear()
        self._renewals = 0
        self.prekeys.begin(None)

    # --- Rekeys ---

    def request_rekey(
        self,
        suite: Suite | None,
        now: float,
        *,
        ratchet: bool = False,
        one_time_key: bool = False,
    ) -> Future[str | None]:
        self.now = now
        return self._request(Order(suite or self.suite, ratchet or one_time_key, one_time_key))

    def _request(self, order: Order) -> Future[str | None]:
        objection = self._objection(order)
        if objection is None:
            self._begin_rekey(order)
        else:
            self.report(f"rekey rejected: {objection}", self.peer.slots.sending)
            order.outcome.set_result(str(objection))
        return order.outcome

    def _begin_rekey(self, order: Order) -> None:
        keys = self.peer.slots.sending
        assert keys is not None
        order.ratchet = self._is_ratchet(order)
        self.report(f"rekey to {order.suite.name} started", keys)
        if self._must_wait(order):
            self._wait(order)
        else:
            self.rekey = Rekey(self, order, keys)
            self.rekey.start()

    def _is_ratchet(self, order: Order) -> bool:
        keys = self.peer.slots.sending
        full = keys is None or order.suite != keys.suite
        return order.ratchet and not full and self.ratchets < self.config.max_ratchets

    def _must_wait(self, order: Order) -> bool:
        """Return whether a rekey needs a prekey that is not there."""
        keys = self.peer.slots.sending
        last = keys is not None and keys.epoch == LAST_EPOCH
        without = order.new_session or last or self._is_ratchet(order)
        return not without and not self.prekeys.holds(order.suite)

    def prefetch(self, suite: Suite, now: float) -> str | None:
        """Fetch a prekey in the background; return why not, or None.

        Call `handle_timeout` afterwards.
        """
        self.now = now
        objection = _NO_SESSION if self._has_no_session() else self._suite_fault(suite)
        if objection is None and not self.prekeys.holds(suite):
            self.prekeys.fetch(suite, asked=True)
        return objection

    def _objection(self, order: Order) -> HandshakeFailed | None:
        """Return why a rekey can't start; first what waiting does not help."""
        if (fault := self._suite_fault(order.suite)) is not None:
            return HandshakeFailed(Failure.REFUSED, fault)
        if order.one_time_key and (self.identity.anchor is None or self.config.anchor == "off"):
            return HandshakeFailed(Failure.UNKNOWN_ANCHOR, "this drone has no anchor")
        obstacle = self._obstacle(order)
        return None if obstacle is None else HandshakeFailed(Failure.BUSY, obstacle)

    def _obstacle(self, order: Order) -> str | None:
        if self._has_no_session():
            return _NO_SESSION
        if self.rekey is not None:
            return "a rekey is in progress"
        if self.waiting is not None and self._must_wait(order):
            return f"a rekey to {self.waiting.suite.name} waits for its key"
        if not self.peer.slots.confirmed:
            return "the ground station has not confirmed the current keys yet"
        return None

    def _has_no_session(self) -> bool:
        keys = self.peer.slots.sending
        return keys is None or self._needs_session() or keys.used_up

    def _suite_fault(self, suite: Suite) -> str | None:
        policy = self.config.policy
        if suite not in policy.allowed:
            return f"{suite.name} is not allowed by the configuration"
        if suite.signature not in self.identity.gcs_keys:
            return f"no public key of the ground station is known for {suite.name}"
        if policy.drone_signs and suite.signature not in self.identity.signing_keys:
            return f"the drone has no signing key for {suite.name}"
        if self._blacklist.get(suite, 0.0) > self.now:
            return f"{suite.name} failed recently and is blacklisted"
        return None

    # --- Time ---

    def due(self, peer: Peer) -> float:
        keys = peer.slots.sending
        if self.attempt is not None:
            attempt = self.attempt.due()
        else:
            attempt = self._next_attempt if self._needs_session() else _NEVER
        if keys is None or self._needs_session():
            return attempt
        times = [attempt, self.prekeys.due(), self._prefetch_at, self._next_keepalive]
        times.append(peer.last_received + self.config.peer_timeout_s)
        times.append(peer.last_answered + 2 * self.config.peer_timeout_s)
        times.append(self._own_rekey_due(keys))
        if self.rekey is not None:
            times.append(self.rekey.due())
        return min(times)

    def _needs_session(self) -> bool:
        return self.peer.slots.sending is None or self._lost_at is not None

    def handle_due(self, peer: Peer) -> None:
        keys = peer.slots.sending
        if keys is not None and not self._needs_session():
            if peer.is_silent():
                self._lose("no packets arrive from the ground station", keys)
            elif self.now >= peer.last_answered + 2 * self.config.peer_timeout_s:
                self._lose("the ground station answers no question", keys)
            elif keys.used_up:
                self._lose("the keys are used up", keys)
            else:
                self._handle_due_in_session(keys)
        if self.attempt is not None:
            self.attempt.handle_due()
        elif self._needs_session() and self.now >= self._next_attempt:
            assert self.config.suite is not None
            self.begin_attempt(self.config.suite)

    def _handle_due_in_session(self, keys: EpochKeys) -> None:
        if self.now >= self._own_rekey_due(keys):
            self._next_own_rekey = self.now + _OWN_REKEY_RETRY_S
            # The live keys may be stolen: every second try does without them.
            self._request(Order(keys.suite, new_session=self._renewals % 2 == 1))
            self._renewals += 1
        if self.now >= self._next_keepalive:
            self._send_keepalive()
        if self.now >= self._prefetch_at:
            self._prefetch_at = _NEVER
            if self.rekey is None and self.waiting is None:
                self.prekeys.fetch_ahead(keys.suite)
        self.prekeys.handle_due()
        if self.rekey is not None:
            self.rekey.handle_due()

    def _own_rekey_due(self, keys: EpochKeys) -> float:
        """Return when the drone rekeys by itself: by age, frames or ratchets."""
        if not self.peer.slots.confirmed or self.rekey is not None:
            return _NEVER
        if self.waiting is not None and self.waiting.suite == keys.suite:
            return _NEVER
        age = self.config.max_key_age_s
        due = self._keys_since + age if age > 0 else _NEVER
        if keys.frames >= ASK_REKEY_FRAMES or self.ratchets >= self.config.max_ratchets:
            due = self.now
        return max(due, self._next_own_rekey)

    def _send_keepalive(self) -> None:
        self._next_keepalive = self.now + self._keepalive.next()
        self.peer.send_control(Control.KEEPALIVE, 0)

    def _lose(self, why: str, keys: EpochKeys) -> None:
        self._lost_at = self.now
        self._next_attempt = self.now
        self.report(why, keys)
        self._lose_rekeys("the session was lost during the rekey")

    def _lose_rekeys(self, why: str) -> None:
        order, self.waiting = self.waiting, None
        if order is not None:
            self.prekeys.not_urgent()
            self._end_order(order, HandshakeFailed(Failure.NO_ANSWER, why))
        if self.rekey is not None:
            self.rekey.lose(why)
