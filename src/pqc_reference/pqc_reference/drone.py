# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone: keeps a session alive, and is the only end that starts rekeys."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from dataclasses import dataclass, field

from pqc_reference import datagrams
from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.channel import Channel
from pqc_reference.config import Config
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.drone_handshake import DroneTerms, Resumed, shake_hands
from pqc_reference.epoch_keys import ASK_REKEY_PACKETS, LAST_EPOCH, EpochKeys
from pqc_reference.handshake import Failure, HandshakeFailed
from pqc_reference.identity import DroneIdentity, IdentityError
from pqc_reference.key_schedule import PskKeys, SessionSecrets
from pqc_reference.peer import Peer, Report
from pqc_reference.role import Role
from pqc_reference.suites import Suite, suite_of

_OWN_REKEY_RETRY_S = 60.0
_REMEMBERED_KEYS = 1024
_CONTROL_TRIES = 5
_HANDSHAKE_TRIES = 3
_PREPARE_LIMIT_S = 120.0


class RekeyFailed(Exception):
    """A rekey failed; the old keys stay in use."""

    def __init__(self, text: str, *, blames_suite: bool = False) -> None:
        super().__init__(text)
        self.blames_suite = blames_suite


class SessionLost(Exception):
    """The session needs a successor."""


@dataclass
class RekeyOrder:
    """A requested rekey; the outcome is None for success, or the reason of the failure."""

    suite: Suite
    gcs_transaction: int | None = None  # of the REKEY_REQ, if the GCS requested it
    outcome: asyncio.Future[str | None] = field(default_factory=asyncio.Future)


class Drone(Role):
    """The drone's end: packets are handled as they come, `work` does handshakes and rekeys."""

    def __init__(self, config: Config, identity: DroneIdentity, report: Report) -> None:
        """Open the sockets; IdentityError if a key is missing that the suite needs."""
        assert config.suite is not None
        if config.suite.signature not in identity.gcs_keys:
            raise IdentityError(f"There is no public key of the GCS for {config.suite.name}.")
        if config.policy.drone_signs and config.suite.signature not in identity.signing_keys:
            raise IdentityError(f"There is no signing key of the drone for {config.suite.name}.")
        super().__init__(config, report)
        self.suite = config.suite  # of the session, and of the next one
        (self.peer,) = self.peers
        self._identity = identity
        self._psk = PskKeys.of(identity.psk)
        self._home = datagrams.resolve(config.gcs_address, config.gcs_datagram_port)
        self._order: RekeyOrder | None = None  # in progress
        self._gcs_order: RekeyOrder | None = None  # the latest that the GCS requested
        self._blacklist: dict[Suite, float] = {}
        self._lost = False  # whether the session needs a successor
        self._rekey_due = float("inf")  # because of the age of the keys
        self._last_own_rekey = float("-inf")
        self._seen_keys: deque[bytes] = deque(maxlen=_REMEMBERED_KEYS)
        self._reconnect = Backoff(0.2, 5.0)
        self._attempt: Channel | None = None  # of a new session, not of a rekey
        # Orders, answers of the GCS, and None after a change of this drone's state
        self._inbox: asyncio.Queue[RekeyOrder | ControlFrame | None] = asyncio.Queue()

    def find_peer(self, session_id: bytes) -> Peer:
        return self.peer

    # --- Packets ---

    def handle_authenticated(self, peer: Peer) -> None:
        # The session works after all. Confirmed keys show that; the GCS may have dropped others.
        assert peer.slots.sending is not None
        if self._lost and peer.slots.confirmed and not peer.slots.sending.used_up:
            self._lost = False
            self.report("packets from the ground station arrive again", peer.slots.sending)
            if self._attempt is not None:
                self._attempt.close()
            self._reconnect.reset()
            self._inbox.put_nowait(None)

    def handle_proved(self, peer: Peer) -> None:
        assert peer.slots.sending is not None
        self.suite = peer.slots.sending.suite
        self._order = None
        age = self.config.max_key_age_s
        self._rekey_due = time.monotonic() + age if age > 0 else float("inf")
        self.report("the ground station has the new keys", peer.slots.sending)
        self._reconnect.reset()
        self._inbox.put_nowait(None)

    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        if frame.kind is Control.REKEY_REQ:
            self._handle_rekey_request(frame)
        elif frame.kind in (Control.READY, Control.BUSY, Control.ABORT):
            self._inbox.put_nowait(frame)
        elif frame.kind is not Control.COMMIT_ACK:  # any packet under new keys means as much
            return False
        return True

    def _handle_rekey_request(self, frame: ControlFrame) -> None:
        former = self._gcs_order
        if former is not None and former.gcs_transaction == frame.transaction:
            if former.outcome.done() and former.outcome.result() is not None:
                self.peer.send_control(Control.ABORT, frame.transaction, Abort.FAILED)
            return
        suite = suite_of(frame.fields[0])
        if suite is None or self._objection(suite) is not None:
            later = self._order is not None or not self.peer.slots.confirmed
            reason = Abort.IN_PROGRESS if later else Abort.SUITE_REFUSED
            self.peer.send_control(Control.ABORT, frame.transaction, reason)
            return
        self._gcs_order = RekeyOrder(suite, frame.transaction)
        self._begin(self._gcs_order)

    def handle_tick(self, peer: Peer, now: float) -> None:
        keys = peer.slots.sending
        if keys is None or self._lost:
            return
        if now >= peer.last_received + self.config.peer_timeout_s:
            self._lose("no packets arrive from the ground station")
        elif keys.used_up:
            self._lose("the keys are used up")
        elif (
            now >= self._rekey_due or keys.packets >= ASK_REKEY_PACKETS
        ) and now >= self._last_own_rekey + _OWN_REKEY_RETRY_S:
            self._last_own_rekey = now
            self.request_rekey(keys.suite)

    # --- Requests ---

    def request_rekey(self, suite: Suite | None) -> asyncio.Future[str | None]:
        order = RekeyOrder(suite or self.suite)
        objection = self._objection(order.suite)
        if objection is None:
            self._begin(order)
        else:
            self.report(f"rekey rejected: {objection}", self.peer.slots.sending)
            order.outcome.set_result(objection)
        return order.outcome

    def _begin(self, order: RekeyOrder) -> None:
        self._order = order
        self._inbox.put_nowait(order)

    def _objection(self, suite: Suite) -> str | None:
        slots, policy = self.peer.slots, self.config.policy
        if slots.sending is None or self._lost or slots.sending.used_up:
            return "there is no session to rekey"
        if self._order is not None:
            return "a rekey is in progress"
        if not slots.confirmed:
            return "the ground station has not confirmed the current keys yet"
        if suite not in policy.allowed:
            return f"{suite.name} is not allowed by the configuration"
        if suite.signature not in self._identity.gcs_keys:
            return f"no public key of the ground station is known for {suite.name}"
        if policy.drone_signs and suite.signature not in self._identity.signing_keys:
            return f"the drone has no signing key for {suite.name}"
        if self._blacklist.get(suite, 0.0) > time.monotonic():
            return f"{suite.name} failed recently and is blacklisted"
        return None

    # --- Sessions ---

    async def work(self) -> None:
        while True:
            if self._needs_session():
                await self._open_session()
            elif isinstance(order := await self._inbox.get(), RekeyOrder):
                await self._rekey(order)

    def _needs_session(self) -> bool:
        return self._lost or self.peer.slots.sending is None

    def _lose(self, why: str) -> None:
        self._lost = True
        self.report(why, self.peer.slots.sending)
        self._inbox.put_nowait(None)

    async def _open_session(self) -> None:
        slots = self.peer.slots
        if slots.sending is not None and not slots.confirmed:
            # Handshakes succeed but datagrams do not arrive: more handshakes would not help.
            await self._pause(self._reconnect.next())
            if not self._needs_session():
                return
        suite = self.suite
        try:
            agreed = await self._shake_hands(suite, None)
        except HandshakeFailed as failed:
            self.report(f"handshake failed: {failed}", None)
            if not self._needs_session():
                return
            if failed.failure.blames_suite and suite != self.config.suite:
                self._blame(suite)
                assert self.config.suite is not None
                self.suite = self.config.suite
            await self._pause(self._reconnect.next())
            return
        self.peer.address = self._home
        keys = self._install(suite, agreed.session_id, 0, agreed)
        # Any packet proves the new keys to the ground station; this one goes at once.
        self._send_commit(keys, _new_transaction())

    async def _pause(self, seconds: float) -> None:
        """Wait as long as a new session is needed, but no longer than this."""
        try:
            async with asyncio.timeout(seconds):
                while self._needs_session():
                    order = await self._inbox.get()
                    if isinstance(order, RekeyOrder):
                        self._end_rekey(order, "the session was lost")
        except TimeoutError:
            return

    async def _shake_hands(self, suite: Suite, resumed: Resumed | None) -> SessionSecrets:
        """Connect and do a handshake."""
        timeout = self.config.timeout_of(suite)
        policy = self.config.policy
        terms = DroneTerms(self._identity, self._psk, policy, suite, resumed, self._is_new_key)
        address = (self.config.gcs_address, self.config.handshake_port)
        try:
            channel = await Channel.connect(*address, timeout)
        except OSError as error:
            text = f"the ground station can't be reached: {error.strerror or error or 'no answer'}"
            raise HandshakeFailed(Failure.UNPROVED, text) from error
        if resumed is None:
            self._attempt = channel
        try:
            return await shake_hands(channel, terms)
        except HandshakeFailed as failed:
            if failed.failure is Failure.SESSION_UNKNOWN:
                self._lose("the ground station has lost the session")
            raise
        finally:
            self._attempt = None
            channel.close()

    def _is_new_key(self, key_id: bytes) -> bool:
        if key_id in self._seen_keys:
            return False
        self._seen_keys.append(key_id)
        return True

    def _install(
        self, suite: Suite, session_id: bytes, epoch: int, agreed: SessionSecrets
    ) -> EpochKeys:
        """Send under new keys from now on."""
        window = self.config.replay_window_packets
        keys = EpochKeys(suite, session_id, epoch, agreed, drone=True, replay_window=window)
        self._lost = False
        self.peer.slots.install_for_sending(keys)
        self.peer.start_listening()
        self.handshakes += 1
        self.report("handshake completed", keys)
        return keys

    def _send_commit(self, keys: EpochKeys, transaction: int) -> None:
        fields = (keys.id, keys.epoch, keys.transcript_tag)
        self.peer.send_control(Control.COMMIT, transaction, *fields)

    def _blame(self, suite: Suite) -> None:
        """Blacklist a suite after a failure that the pre-shared key authenticates."""
        self._blacklist[suite] = time.monotonic() + self.config.blacklist_ttl_s
        self.rollbacks += 1

    # --- Rekeys ---

    async def _rekey(self, order: RekeyOrder) -> None:
        slots = self.peer.slots
        problem: str | None = None
        if slots.sending is None or not slots.confirmed:  # there is a new session since the order
            problem = "the session was lost"
        else:
            self.report(f"rekey to {order.suite.name} started", slots.sending)
            try:
                await self._make_and_break(order.suite, slots.sending)
            except RekeyFailed as failed:
                problem = str(failed)
                if failed.blames_suite:
                    self._blame(order.suite)
            except SessionLost:
                problem = "the session was lost during the rekey"
        self._end_rekey(order, problem)

    def _end_rekey(self, order: RekeyOrder, problem: str | None) -> None:
        """Report how a rekey ended, also to the GCS if it requested it."""
        if self._order is order:  # after a success another may have begun
            self._order = None
        self.rekeys += problem is None
        text = f"rekeyed to {order.suite.name}" if problem is None else f"rekey failed: {problem}"
        self.report(text, self.peer.slots.sending)
        order.outcome.set_result(problem)
        if problem is not None and order is self._gcs_order and order.gcs_transaction is not None:
            self.peer.send_control(Control.ABORT, order.gcs_transaction, Abort.FAILED)

    async def _make_and_break(self, suite: Suite, current: EpochKeys) -> None:
        """Do a rekey: PREPARE until the GCS is ready, a handshake, COMMIT until it is confirmed."""
        transaction = _new_transaction()
        if current.epoch < LAST_EPOCH:
            resumed = Resumed(current.id, current.epoch, current.resumption)
            session_id, epoch = current.id, current.epoch + 1
        else:
            resumed, session_id, epoch = None, b"", 0

        for tries_left in reversed(range(_HANDSHAKE_TRIES)):
            await self._prepare(suite, epoch, transaction)
            try:
                agreed = await self._shake_hands(suite, resumed)
                break
            except HandshakeFailed as failed:
                again = failed.failure in (Failure.UNPROVED, Failure.BUSY)
                if not again or not tries_left:
                    blamed = failed.failure.blames_suite
                    raise RekeyFailed(str(failed), blames_suite=blamed) from failed
                self.report(f"handshake failed: {failed}", current)
                await self._await_frame(transaction, control_retries().next())

        keys = self._install(suite, session_id or agreed.session_id, epoch, agreed)
        retry = control_retries()
        while not self.peer.slots.confirmed:
            self._send_commit(keys, transaction)
            await self._await_frame(transaction, retry.next())

    async def _prepare(self, suite: Suite, epoch: int, transaction: int) -> None:
        """Send PREPARE until the ground station has keys ready."""
        retry = control_retries()
        limit = time.monotonic() + _PREPARE_LIMIT_S
        while retry.tries < _CONTROL_TRIES and time.monotonic() < limit:
            self.peer.send_control(Control.PREPARE, transaction, epoch, suite.wire_id)
            wait = retry.next()
            while (frame := await self._await_frame(transaction, wait)) is not None:
                if frame.kind is Control.READY:
                    return
                if frame.kind is Control.BUSY:
                    # It makes them: the tries start again, after about its estimate.
                    retry.reset()
                    wait = min(max(frame.fields[0] / 1000, 0.25), 4.0)
                elif frame.kind is Control.ABORT:
                    in_progress = frame.fields[0] == Abort.IN_PROGRESS
                    text = f"the ground station can't rekey to {suite.name}"
                    raise RekeyFailed(text, blames_suite=not in_progress)
        raise RekeyFailed("the ground station did not get ready in time")

    async def _await_frame(self, transaction: int, seconds: float) -> ControlFrame | None:
        """Return the next frame of a transaction; None after a time or a change of state."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    if self._lost:
                        raise SessionLost
                    message = await self._inbox.get()
                    if isinstance(message, ControlFrame) and message.transaction == transaction:
                        return message
                    if message is None and not self._lost:
                        return None
        except TimeoutError:
            return None


def _new_transaction() -> int:
    return secrets.randbits(32)
