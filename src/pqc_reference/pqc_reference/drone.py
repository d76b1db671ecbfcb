# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone: keeps a session alive, and is the only one to start rekeys."""

from __future__ import annotations

import time
from concurrent.futures import Future

from pqc_reference import datagrams
from pqc_reference.config import Config
from pqc_reference.control import Abort, Control, ControlFrame
from pqc_reference.drone_worker import DroneWorker, RekeyOrder
from pqc_reference.epoch_keys import ASK_REKEY_PACKETS, EpochKeys
from pqc_reference.identity import DroneIdentity, IdentityFault
from pqc_reference.key_schedule import SessionSecrets
from pqc_reference.loop import Loop
from pqc_reference.peer import Peer, Report
from pqc_reference.role import Role
from pqc_reference.suites import Suite, suite_of

_OWN_REKEY_RETRY_S = 60.0


class Drone(Role):
    """The packet thread's part; a worker does handshakes and rekeys in a thread of its own."""

    def __init__(self, config: Config, identity: DroneIdentity, loop: Loop, report: Report) -> None:
        assert config.suite is not None
        if config.suite.signature not in identity.gcs_keys:
            raise IdentityFault(f"There is no public key of the GCS for {config.suite.name}.")
        if config.policy.drone_signs and config.suite.signature not in identity.signing_keys:
            raise IdentityFault(f"There is no signing key of the drone for {config.suite.name}.")
        super().__init__(config, loop, report)
        self.suite = config.suite  # of the session, and of the next one
        (self.peer,) = self.peers
        self._identity = identity
        self._home = datagrams.resolve(config.gcs_address, config.gcs_datagram_port)
        self._worker = DroneWorker(self, identity)
        self._order: RekeyOrder | None = None  # in progress
        self._gcs_order: RekeyOrder | None = None  # the latest that the GCS asked for
        self._blacklist: dict[Suite, float] = {}
        self.lost = False  # whether the session needs a successor
        self._rekey_due = float("inf")  # because of the age of the keys
        self._last_own_rekey = float("-inf")

    def start(self) -> None:
        """Start with the first handshake."""
        self._worker.start()

    def find_peer(self, session_id: bytes) -> Peer:
        return self.peer

    # --- Packets ---

    def handle_heard(self, peer: Peer) -> None:
        # The session works after all. Confirmed keys show that; the GCS may have dropped others.
        assert peer.slots.sending is not None
        if self.lost and peer.slots.confirmed and not peer.slots.sending.used_up:
            self.lost = False
            self.report("the ground station is heard again", peer.slots.sending)
            self._worker.cancel_new_session()

    def handle_proved(self, peer: Peer) -> None:
        assert peer.slots.sending is not None
        self.suite = peer.slots.sending.suite
        self._order = None
        age = self.config.max_key_age_s
        self._rekey_due = time.monotonic() + age if age > 0 else float("inf")
        self.report("the ground station has the new keys", peer.slots.sending)
        self._worker.handle_proved()

    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        if frame.kind is Control.REKEY_REQ:
            self._handle_rekey_request(frame)
        elif frame.kind in (Control.READY, Control.BUSY, Control.ABORT):
            self._worker.handle(frame)
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

    def handle_timeout(self, now: float) -> float:
        due = self.peer.handle_timeout(now)
        keys = self.peer.slots.sending
        if keys is None or self.lost:
            return due
        silent_at = self.peer.last_heard + self.config.peer_timeout_s
        if now >= silent_at:
            self.lose("nothing is heard from the ground station")
        elif keys.used_up:
            self.lose("the keys are used up")
        own_rekey = self._rekey_due if keys.packets < ASK_REKEY_PACKETS else now
        # At most once a minute if rekeys keep failing.
        own_rekey = max(own_rekey, self._last_own_rekey + _OWN_REKEY_RETRY_S)
        if now >= own_rekey:
            self._last_own_rekey = now
            self.request_rekey(keys.suite)
        return min(due, silent_at, own_rekey)

    # --- Sessions and rekeys ---

    def request_rekey(self, suite: Suite | None) -> Future[str | None]:
        order = RekeyOrder(suite or self.suite)
        objection = self._objection(order.suite)
        if objection is None:
            self._begin(order)
        else:
            self.report(f"rekey refused: {objection}", self.peer.slots.sending)
            order.outcome.set_result(objection)
        return order.outcome

    def _begin(self, order: RekeyOrder) -> None:
        self._order = order
        self._worker.handle(order)

    def _objection(self, suite: Suite) -> str | None:
        slots, policy = self.peer.slots, self.config.policy
        if slots.sending is None or self.lost or slots.sending.used_up:
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

    def needs_session(self) -> bool:
        """Whether the worker has to open a new session."""
        return self.lost or self.peer.slots.sending is None

    def lose(self, why: str) -> None:
        """Give the session up."""
        self.lost = True
        self.report(why, self.peer.slots.sending)
        self._worker.handle(None)

    def begin_session(self, suite: Suite, secrets: SessionSecrets) -> None:
        """Start to use the keys of a new session."""
        self.peer.address = self._home
        keys = self.install(suite, secrets.session_id, 0, secrets)
        # Any packet proves the new keys to the ground station; this one goes at once.
        self._worker.send_commit(keys)

    def install(
        self, suite: Suite, session_id: bytes, epoch: int, secrets: SessionSecrets
    ) -> EpochKeys:
        """Send under new keys from now on."""
        window = self.config.replay_window_packets
        keys = EpochKeys(suite, session_id, epoch, secrets, drone=True, replay_window=window)
        self.lost = False
        self.peer.slots.install_for_sending(keys)
        self.peer.start_listening()
        self.handshakes += 1
        self.report("handshake completed", keys)
        return keys

    def blame(self, suite: Suite) -> None:
        """Blacklist a suite after a failure that the pre-shared key authenticates."""
        self._blacklist[suite] = time.monotonic() + self.config.blacklist_ttl_s
        self.rollbacks += 1

    def fall_back(self, suite: Suite) -> None:
        """Open the next session with the configured suite instead of one that failed."""
        assert self.config.suite is not None
        self.blame(suite)
        self.suite = self.config.suite

    def end_rekey(self, order: RekeyOrder, problem: str | None) -> None:
        """Report how a rekey ended, also to the GCS if it asked for it."""
        if self._order is order:  # after a success another may have begun
            self._order = None
        self.rekeys += problem is None
        text = f"rekeyed to {order.suite.name}" if problem is None else f"rekey failed: {problem}"
        self.report(text, self.peer.slots.sending)
        order.outcome.set_result(problem)
        if problem is not None and order is self._gcs_order and order.gcs_transaction is not None:
            self.peer.send_control(Control.ABORT, order.gcs_transaction, Abort.FAILED)
