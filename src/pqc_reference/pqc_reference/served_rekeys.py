# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station's side of rekeys and ratchets of one drone, and the prekeys for them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pqc_reference.crypto.key_schedule import Ratchet
from pqc_reference.crypto.suites import Suite, suite_of
from pqc_reference.gcs_handshake import OwnPrekey, make_prekey, open_one_time_key
from pqc_reference.handshake import Agreed, Failure, HandshakeFailed, abort_reason, bind_ahead
from pqc_reference.session.epoch_keys import LAST_EPOCH, EpochKeys, Session
from pqc_reference.session.layers import AnchorUse, after_ratchet
from pqc_reference.wire.control import Abort, Control, transaction_of
from pqc_reference.wire.messages import Malformed
from pqc_reference.wire.messages import Rekey as Opening

if TYPE_CHECKING:
    from pqc_reference.served_drone import ServedDrone

_ESTIMATE_MS = 250
_MAX_PREKEYS = 16


@dataclass(eq=False)
class _Want:
    suite: Suite
    lane: int
    made: bool = False


class ServedRekeys:
    """The prekeys that are reserved for one drone, and the rekey that is being worked on."""

    def __init__(self, drone: ServedDrone) -> None:
        """`drone` installs what comes out."""
        self._drone = drone
        self.forget()

    def forget(self) -> None:
        self._wants: dict[int, _Want] = {}  # by transaction
        self._prekeys: dict[bytes, tuple[OwnPrekey, float]] = {}  # by key_id, with its expiry
        self._request = b""  # the Rekey, or the random of the RATCHET, that is being worked on

    # --- Prekeys ---

    @property
    def count(self) -> int:
        return len(self._prekeys)

    def handle_want(
        self, transaction: int, wire_id: bytes, lane: int, pace: int, session: Session
    ) -> None:
        """Make a prekey and send it in its lane, once for each transaction."""
        drone, suite = self._drone, suite_of(wire_id)
        if not drone.is_live(session):
            return
        session.streams.set_pace(pace, lane)
        if suite is None or drone.ground.refuses(suite, drone.record):
            drone.peer.send_control(Control.ABORT, transaction, Abort.SUITE_REFUSED)
            return
        want = self._wants.get(transaction)
        if want is None:
            self._wants = {number: one for number, one in self._wants.items() if one.lane != lane}
            self._wants[transaction] = want = _Want(suite, lane)
            self._make(want, transaction, session)
        if not want.made:
            drone.peer.send_control(Control.LATER, transaction, _ESTIMATE_MS)

    def _make(self, want: _Want, transaction: int, session: Session) -> None:
        drone, ground = self._drone, self._drone.ground
        bind = bind_ahead(drone.record.id, session.id, session.origin)
        terms = (want.suite, ground.config.policy, ground.identity, bind)

        def done(prekey: OwnPrekey) -> None:
            want.made = True
            if not drone.is_live(session) or self._wants.get(transaction) is not want:
                return  # a newer one has its lane
            until = ground.now + ground.config.prekey_max_age_s
            self._prekeys[prekey.public.key_id] = prekey, until
            if len(self._prekeys) > _MAX_PREKEYS:
                del self._prekeys[next(iter(self._prekeys))]
            session.streams.send(prekey.public.encode(), want.lane)

        def failed(error: HandshakeFailed) -> None:
            self._wants.pop(transaction, None)
            drone.peer.send_control(Control.ABORT, transaction, abort_reason(error))

        ground.start(lambda: make_prekey(*terms), done, failed)

    # --- Rekeys ---

    def handle_rekey(self, message: bytes, keys: EpochKeys) -> None:
        """Check a Rekey and Finish, and confirm the keys that come out.

        `keys` are those in use.
        """
        if message == self._request:
            return
        drone = self._drone
        try:
            opening, finish = Opening.decode(message)
        except Malformed:
            return  # it has no transaction for an answer
        transaction = transaction_of(opening.client_random)
        try:
            if self._request:
                raise HandshakeFailed(Failure.BUSY, "another rekey is under way")
            suite = self._check(opening, keys)
            prekey = self._take_prekey(opening.key_id, suite)
        except HandshakeFailed as failed:
            self._refuse(transaction, failed)
            return
        self._request = message

        def install(agreed: Agreed) -> None:
            self._request = b""
            if drone.peer.slots.sending is keys:
                confirm = (Control.CONFIRM, transaction, agreed.confirmation)
                drone.install(
                    suite,
                    keys.session,
                    opening.next_epoch,
                    agreed,
                    message,
                    lambda: drone.peer.send_control(*confirm),
                )

        def refuse(failed: HandshakeFailed) -> None:
            self._request = b""
            self._refuse(transaction, failed)

        origin = (keys.resumption, keys.layers)
        drone.accept(finish, suite, opening.encode(), prekey, *origin, install, refuse)

    def _check(self, opening: Opening, keys: EpochKeys) -> Suite:
        ground = self._drone.ground
        suite = suite_of(opening.suite)
        if suite is None or ground.refuses(suite, self._drone.record):
            raise HandshakeFailed(Failure.REFUSED, "the suite can't be used")
        if opening.mode != ground.config.policy.mode:
            raise HandshakeFailed(Failure.REFUSED, "it is in another key-exchange mode")
        expected = (keys.session.id, keys.epoch + 1)
        if keys.epoch >= LAST_EPOCH or (opening.session_id, opening.next_epoch) != expected:
            raise HandshakeFailed(Failure.FAILED, "it names another session or epoch")
        return suite

    def _take_prekey(self, key_id: bytes, suite: Suite) -> OwnPrekey:
        """Return a prekey and forget it, even if the rekey fails."""
        prekey, until = self._prekeys.pop(key_id, (None, 0.0))
        if prekey is None or self._drone.ground.now >= until or prekey.public.pair != suite.pair:
            raise HandshakeFailed(Failure.UNKNOWN_PREKEY, "the prekey is unknown")
        return prekey

    def _refuse(self, transaction: int, failed: HandshakeFailed) -> None:
        drone = self._drone
        drone.ground.report(f"rekey failed: {failed}", drone.peer.slots.sending)
        drone.peer.send_control(Control.ABORT, transaction, abort_reason(failed))

    # --- Ratchet ---

    def handle_ratchet(
        self, transaction: int, fields: tuple[int, bytes, bytes, bytes], keys: EpochKeys
    ) -> None:
        """Check a RATCHET, and answer it once its one-time key is opened, if it has one."""
        next_epoch, drone_random, anchor, mac = fields
        drone = self._drone
        psk = drone.psk.keys(keys.suite.wire_id)
        ratchet = Ratchet(psk, keys.resumption, keys.session.id, next_epoch, anchor)
        right = secrets.compare_digest(mac, ratchet.drone_mac(drone_random))
        if keys.epoch >= LAST_EPOCH or next_epoch != keys.epoch + 1 or not right:
            drone.peer.send_control(Control.ABORT, transaction, Abort.FAILED)
        elif not anchor:
            self._answer_ratchet(transaction, ratchet, drone_random, keys, None)
        elif drone_random != self._request:
            self._request = drone_random
            off = drone.ground.config.anchor == "off"
            anchors = None if off else drone.record.anchor

            def answer(opened: tuple[bytes, AnchorUse]) -> None:
                self._request = b""
                if drone.peer.slots.sending is keys:
                    mixed = replace(ratchet, anchor_secret=opened[0])
                    self._answer_ratchet(transaction, mixed, drone_random, keys, opened[1])

            def refuse(failed: HandshakeFailed) -> None:
                self._request = b""
                self._refuse(transaction, failed)

            drone.ground.start(lambda: open_one_time_key(anchors, anchor), answer, refuse)

    def _answer_ratchet(
        self,
        transaction: int,
        ratchet: Ratchet,
        drone_random: bytes,
        keys: EpochKeys,
        used: AnchorUse | None,
    ) -> None:
        drone = self._drone
        gcs_random = secrets.token_bytes(32)
        secret, th3 = ratchet.agree(drone_random, gcs_random)
        answer = ratchet.gcs_mac(drone_random, gcs_random)
        ratchet_ok = (Control.RATCHET_OK, transaction, gcs_random, answer)
        drone.install(
            keys.suite,
            keys.session,
            ratchet.next_epoch,
            Agreed(secret, th3, answer, after_ratchet(keys.layers, used)),
            drone_random,
            lambda: drone.peer.send_control(*ratchet_ok),
            ratchet=True,
        )
