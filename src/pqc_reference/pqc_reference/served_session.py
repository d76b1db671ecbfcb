# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station's side of "A new session": one drone's attempts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pqc_reference.crypto.key_schedule import boot_traffic, digest, former_id
from pqc_reference.crypto.suites import Suite
from pqc_reference.gcs_handshake import OwnPrekey, make_prekey
from pqc_reference.handshake import Agreed, Failure, HandshakeFailed, abort_reason
from pqc_reference.peer import Boot
from pqc_reference.session.layers import Layers
from pqc_reference.wire.control import Control, transaction_of
from pqc_reference.wire.messages import ANCHOR_BIT, ClientHello, largest_rekey

if TYPE_CHECKING:
    from pqc_reference.end import Address
    from pqc_reference.served_drone import ServedDrone

_SILENCE_S = 60.0  # boot keys are wiped after it
_ESTIMATE_MS = 250
_LATER_S = 1.0
_NEVER = float("inf")


@dataclass(eq=False)
class _Attempt:
    hello: bytes
    transaction: int
    suite: Suite
    boot: Boot
    former_name: bytes
    former: bytes = b""  # the rms that is mixed in
    former_layers: Layers = field(default_factory=dict)
    anchored: bool = False
    prekey: OwnPrekey | None = None  # None once a Finish has used it
    finish: bytes = b""


class NewSession:
    """The attempt of one drone at a new session, if there is one."""

    def __init__(self, drone: ServedDrone) -> None:
        """`drone` installs what comes out."""
        self._drone = drone
        # Until the drone proves keys, the rms and layers of the newest session that was made and
        # of the former one in it, by name: the drone has one of them. Later ones may displace keys.
        self.formers: dict[bytes, tuple[bytes, Layers]] = {}
        self._attempt: _Attempt | None = None
        self.next_later = _NEVER  # time of the next LATER, while this end is at work

    def forget(self) -> None:
        """End the attempt, because its session is in use or nothing is."""
        self._attempt, self.next_later = None, _NEVER

    def continues(self, hello: bytes, sender: Address) -> bool:
        """Return whether a hello is that of the attempt; follow it to another address."""
        if self._attempt is None or self._attempt.hello != hello:
            return False
        self._attempt.boot.address = sender
        if self.next_later < _NEVER:
            self.send_later()
        return True

    def open(self, hello: ClientHello, frame: bytes, suite: Suite, sender: Address) -> None:
        """Begin an attempt, instead of one that is under way."""
        drone, ground = self._drone, self._drone.ground
        policy, identity, psk = ground.config.policy, ground.identity, drone.psk.keys(hello.suite)
        traffic = boot_traffic(psk, hello.client_random, hello.challenge, suite.cipher)
        session = ground.new_session(largest_rekey(suite, policy.mode))
        boot = Boot(ground.new_keys(suite, session, 0, traffic), sender, ground.now + _SILENCE_S)
        transaction = transaction_of(hello.client_random)
        self._attempt = attempt = _Attempt(frame, transaction, suite, boot, hello.former)
        attempt.former, attempt.former_layers = former, _ = drone.former_named(hello.former)
        attempt.anchored = bool(hello.mode & ANCHOR_BIT)
        drone.peer.boot = boot

        def done(prekey: OwnPrekey) -> None:
            if self._attempt is attempt:
                self.next_later = _NEVER
                attempt.prekey = prekey
                session.streams.send(prekey.public.encode())

        bind = digest(frame)
        ground.start(
            lambda: make_prekey(suite, policy, identity, bind, former=bool(former)),
            done,
            lambda failed: self._fail(attempt, failed),
        )
        # The drone would give up if nothing came while the key is made.
        self.send_later()

    def send_later(self) -> None:
        """Tell the drone that this end is at work."""
        self.next_later = self._drone.ground.now + _LATER_S
        if self._attempt is not None:
            later = (Control.LATER, self._attempt.transaction, _ESTIMATE_MS)
            self._drone.peer.send_boot_control(*later)

    def handle_frame(self) -> None:
        """Keep the boot keys while the attempt goes on."""
        if self._attempt is not None:
            self._attempt.boot.until = self._drone.ground.now + _SILENCE_S

    def handle_finish(self, message: bytes) -> None:
        """Check a Finish, and confirm the keys that come out."""
        drone, attempt = self._drone, self._attempt
        if attempt is None or message == attempt.finish:
            return
        if attempt.prekey is None:
            failed = HandshakeFailed(Failure.UNKNOWN_PREKEY, "the prekey is used up")
            self._fail(attempt, failed)
            return
        attempt.finish, prekey, attempt.prekey = message, attempt.prekey, None
        self.next_later = drone.ground.now + _LATER_S
        drone.accept(
            message[1:],
            attempt.suite,
            attempt.hello,
            prekey,
            attempt.former,
            attempt.former_layers,
            lambda agreed: self._install(attempt, agreed),
            lambda failed: self._fail(attempt, failed),
            drone.record.anchor if attempt.anchored else None,
        )

    def _install(self, attempt: _Attempt, agreed: Agreed) -> None:
        if self._attempt is not attempt:
            return
        self.next_later = _NEVER
        ground, peer = self._drone.ground, self._drone.peer
        session = ground.new_session(ground.largest_message)
        session.clock = attempt.boot.keys.session.clock
        session.id, session.origin = agreed.secret.session_id(agreed.th3), agreed.th3
        resumption = agreed.secret.resumption(agreed.th3)
        self.formers = {former_id(attempt.suite.wire_id, resumption): (resumption, agreed.layers)}
        if attempt.former:
            self.formers[attempt.former_name] = attempt.former, attempt.former_layers
        confirm = (Control.CONFIRM, attempt.transaction, agreed.confirmation)
        self._drone.install(
            attempt.suite,
            session,
            0,
            agreed,
            attempt.finish,
            lambda: peer.send_boot_control(*confirm),
        )

    def _fail(self, attempt: _Attempt, failed: HandshakeFailed) -> None:
        self._drone.ground.report(f"handshake failed: {failed}", None)
        if self._attempt is attempt:
            self.forget()
            abort = (Control.ABORT, attempt.transaction, abort_reason(failed))
            self._drone.peer.send_boot_control(*abort)
