# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's side of "Rekey: make before break" and of the ratchet: one rekey."""

from __future__ import annotations

import hmac
import secrets
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pqc_reference.backoff import control_retries
from pqc_reference.crypto.key_schedule import HandshakeSecret, Ratchet
from pqc_reference.crypto.suites import Suite
from pqc_reference.drone_handshake import Answer, answer_prekey, use_anchor
from pqc_reference.handshake import Agreed, Failure, HandshakeFailed, failure_of
from pqc_reference.session.epoch_keys import LAST_EPOCH, EpochKeys
from pqc_reference.session.layers import AnchorUse, Layers, after_ratchet
from pqc_reference.wire.control import Control, transaction_of
from pqc_reference.wire.messages import Prekey
from pqc_reference.wire.messages import Rekey as Opening

if TYPE_CHECKING:
    from pqc_reference.drone import Drone

_LIMIT_S = 120.0
_PATIENCE_S = 15.0  # longest wait for the GCS without progress
_NEVER = float("inf")


@dataclass(eq=False)
class Order:
    """A requested rekey; the outcome is None for success, or the reason of the failure."""

    suite: Suite
    ratchet: bool = False
    one_time_key: bool = False  # of the anchor, for a ratchet
    gcs_transaction: int | None = None  # that of REKEY_REQ; None: own rekey
    new_session: bool = False
    waited_again: bool = False  # for another prekey, as the GCS did not know the first one
    outcome: Future[str | None] = field(default_factory=Future)


class Rekey:
    """One rekey, from its prekey in stock until the GCS has confirmed the new keys."""

    def __init__(self, drone: Drone, order: Order, current: EpochKeys) -> None:
        """`start` starts it; the drone's `end_rekey` tells how it ended."""
        self.order = order
        self._transaction: int | None = None  # that of the message to be answered
        self._drone, self._current = drone, current
        self._epoch = current.epoch + 1
        self._limit = drone.now + _LIMIT_S
        self._deadline = _NEVER
        self._agreed: Agreed | None = None
        self._ratchet: tuple[Ratchet, bytes] | None = None
        self._anchor_used: AnchorUse | None = None
        self._retry = control_retries()
        self._next_try = _NEVER

    def start(self) -> None:
        drone, suite, current = self._drone, self.order.suite, self._current
        if current.epoch == LAST_EPOCH or self.order.new_session:
            drone.begin_attempt(suite)
        elif self.order.ratchet:
            psk, random = drone.psk.keys(suite.wire_id), secrets.token_bytes(32)
            ratchet = Ratchet(psk, current.resumption, current.session.id, self._epoch)
            if self.order.one_time_key:
                anchor = drone.identity.anchor
                drone.start(
                    lambda: use_anchor(anchor, suite.level, one_time_only=True),
                    lambda used: self._begin_ratchet(
                        replace(ratchet, anchor=used[0], anchor_secret=used[1]), random, used[2]
                    ),
                    self._fail,
                )
            else:
                self._begin_ratchet(ratchet, random)
        else:
            prekey = drone.prekeys.take(suite)
            assert prekey is not None
            self._answer(prekey)

    def _begin_ratchet(
        self, ratchet: Ratchet, random: bytes, used: AnchorUse | None = None
    ) -> None:
        self._ratchet = ratchet, random
        self._anchor_used = used
        self._transaction = transaction_of(random)
        self._next_try = self._drone.now
        self._expect_answer()

    def begin_anew(self) -> None:
        """Ask again by a new session: what live keys alone say proves nothing about the suite."""
        self._agreed, self._deadline = None, _NEVER
        self._transaction = None
        self._limit = self._drone.now + _LIMIT_S
        self._current.session.streams.stop()
        self._drone.begin_attempt(self.order.suite)

    def _expect_answer(self) -> None:
        self._deadline = self._drone.now + _PATIENCE_S

    # --- Time ---

    def due(self) -> float:
        return min(self._limit, self._deadline, self._next_try)

    def handle_due(self) -> None:
        """Send RATCHET again, or give up."""
        now = self._drone.now
        if now >= min(self._limit, self._deadline):
            self._fail(HandshakeFailed(Failure.NO_ANSWER, "the ground station does not answer"))
        elif now >= self._next_try and self._ratchet is not None:
            self._next_try = now + self._retry.next()
            ratchet, random = self._ratchet
            fields = (ratchet.next_epoch, random, ratchet.anchor, ratchet.drone_mac(random))
            self._drone.peer.send_control(Control.RATCHET, transaction_of(random), *fields)

    def handle_progress(self) -> None:
        """Note that the GCS takes parts of the Finish."""
        if self._agreed is not None and self._deadline < _NEVER:
            self._expect_answer()

    def lose(self, why: str) -> None:
        """End it: there is no session any more."""
        self._fail(HandshakeFailed(Failure.NO_ANSWER, why))

    def _fail(self, failed: HandshakeFailed) -> None:
        self._current.session.streams.stop()
        self._drone.end_rekey(self, failed)

    # --- With a prekey ---

    def _answer(self, prekey: Prekey) -> None:
        drone, suite, current = self._drone, self.order.suite, self._current
        policy = drone.config.policy
        random = secrets.token_bytes(32)
        self._transaction = transaction_of(random)
        names = (random, prekey.key_id, suite.wire_id, policy.mode, current.session.id)
        opening = Opening(*names, self._epoch).encode()
        psk, resumption = drone.psk.keys(suite.wire_id), current.resumption
        terms = (prekey, suite, policy, drone.identity, psk, opening, resumption, current.layers)
        drone.start(
            lambda: answer_prekey(*terms),
            lambda answer: self._send(opening, answer),
            self._fail,
        )

    def _send(self, opening: bytes, answer: Answer) -> None:
        if self._drone.rekey is not self:
            return
        self._agreed = answer.agreed
        self._expect_answer()
        self._current.session.streams.send(opening + answer.finish)

    def handle_confirm(self, confirmation: bytes) -> None:
        """Send under the new keys, if the GCS has them."""
        agreed = self._agreed
        if agreed is not None and hmac.compare_digest(confirmation, agreed.confirmation):
            self._agreed = None
            self._current.session.streams.stop()
            self._install(agreed.secret, agreed.th3, agreed.layers)

    def handle_abort(self, transaction: int, reason: int) -> None:
        """Wait for another prekey if the GCS does not know this one, but only once."""
        failed = failure_of(reason)
        waits = self._agreed is not None or self._ratchet is not None
        if not waits or transaction != self._transaction:
            return
        if self._ratchet is not None:
            self._fail(failed)
            return
        if failed.failure is not Failure.UNKNOWN_PREKEY or self.order.waited_again:
            self.begin_anew()
            return
        self._current.session.streams.stop()
        self.order.waited_again = True
        self._drone.wait_again(self)

    # --- Ratchet ---

    def handle_ratchet_ok(self, gcs_random: bytes, mac: bytes) -> None:
        """Send under the keys that both randoms give."""
        if self._ratchet is None:
            return
        ratchet, random = self._ratchet
        if not hmac.compare_digest(mac, ratchet.gcs_mac(random, gcs_random)):
            return
        self._ratchet, self._next_try = None, _NEVER
        layers = after_ratchet(self._current.layers, self._anchor_used)
        self._install(*ratchet.agree(random, gcs_random), layers)

    # --- Both ---

    def _install(self, secret: HandshakeSecret, th3: bytes, layers: Layers) -> None:
        drone, suite = self._drone, self.order.suite
        self._deadline = _NEVER
        traffic, resumption = secret.traffic(suite.cipher, th3), secret.resumption(th3)
        session = self._current.session
        drone.install(drone.new_keys(suite, session, self._epoch, traffic, resumption, layers))
