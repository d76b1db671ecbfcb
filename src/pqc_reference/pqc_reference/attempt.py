# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's side of "A new session": one attempt, from the hello to CONFIRM."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from pqc_reference.backoff import control_retries
from pqc_reference.crypto.key_schedule import MAC_SIZE, boot_traffic, digest, former_id
from pqc_reference.crypto.suites import Suite
from pqc_reference.drone_handshake import Answer, answer_first_prekey, check_prekey
from pqc_reference.handshake import Agreed, Failure, HandshakeFailed, failure_of, used_twice
from pqc_reference.peer import Boot
from pqc_reference.session.layers import Layers
from pqc_reference.wire.control import Control, ControlMessage, transaction_of
from pqc_reference.wire.messages import (
    ANCHOR_BIT,
    NO_FORMER,
    ClientHello,
    HelloType,
    MessageType,
    Prekey,
    RejectReason,
    hello_content,
    largest_prekey,
)

if TYPE_CHECKING:
    from pqc_reference.drone import Drone
    from pqc_reference.end import Address

_PATIENCE_S = 4.0  # longest wait for an answer
_NEVER = float("inf")


class Attempt:
    """One attempt at a new session; the drone's `fail` and `install` tell how it ended."""

    def __init__(self, drone: Drone, suite: Suite) -> None:
        """Begin with a new random; `handle_due` sends the hello."""
        self.suite = suite
        self._drone = drone
        self._psk = drone.psk.keys(suite.wire_id)
        policy = drone.config.policy
        random = secrets.token_bytes(32)
        self._anchored = drone.identity.anchor is not None and drone.config.anchor != "off"
        mode = policy.mode | (ANCHOR_BIT if self._anchored else 0)
        self._former, former = b"", NO_FORMER
        self._former_layers: Layers = {}
        if (live := drone.peer.slots.sending) is not None:
            self._former, self._former_layers = live.resumption, live.layers
            former = former_id(live.suite.wire_id, live.resumption)
        names = (drone.identity.id, random, suite.wire_id, mode, policy.hash)
        self._hello = ClientHello(*names, former)
        self._opening = self._with_mac(self._hello)
        self._challenged = False
        self._working = False
        self._agreed: Agreed | None = None
        self._retry = control_retries()
        self._next_hello = drone.now
        self._deadline = drone.now + _PATIENCE_S

    def _with_mac(self, hello: ClientHello) -> bytes:
        frame = hello.encode()
        return frame + self._psk.kdf.mac(self._psk.client_hello, frame)

    # --- Time ---

    def due(self) -> float:
        return _NEVER if self._working else min(self._next_hello, self._deadline)

    def handle_due(self) -> None:
        """Send the hello again, or give up."""
        now = self._drone.now
        if now < self.due():
            return
        if now >= self._deadline:
            text = "the ground station does not answer"
            self._drone.fail_attempt(self, HandshakeFailed(Failure.NO_ANSWER, text))
            return
        self._next_hello = now + self._retry.next()
        for address in self._drone.likely_addresses():
            self._drone.send(self._opening, address)

    def handle_boot_frame(self) -> None:
        """Note that the GCS has the boot keys: the hello has arrived."""
        self._next_hello = _NEVER
        self._deadline = self._drone.now + _PATIENCE_S

    # --- Frames in clear ---

    def handle_hello(self, frame: bytes, kind: HelloType, sender: Address) -> None:
        """Take the challenge, or the GCS's rejection."""
        key, rest = self._psk.hello_retry, frame[:-MAC_SIZE]
        if not self._psk.kdf.mac_matches(frame[-MAC_SIZE:], key, self._opening, rest):
            self._drone.unassigned_drops["malformed"] += 1
        elif kind is HelloType.HELLO_RETRY and not self._challenged:
            self._take_challenge(hello_content(frame), sender)
        elif kind is HelloType.REJECT and self._challenged:
            self._be_rejected(hello_content(frame)[0])

    def _take_challenge(self, challenge: bytes, sender: Address) -> None:
        drone, suite = self._drone, self.suite
        self._challenged = True
        self._hello = replace(self._hello, challenge=challenge)
        self._opening = self._with_mac(self._hello)
        keys = boot_traffic(self._psk, self._hello.client_random, challenge, suite.cipher)
        session = drone.new_session(largest_prekey(suite, drone.config.policy.mode))
        drone.peer.boot = Boot(drone.new_keys(suite, session, 0, keys), sender)
        self._retry.reset()
        self._next_hello = drone.now
        self._deadline = drone.now + _PATIENCE_S
        self.handle_due()

    def _be_rejected(self, number: int) -> None:
        reasons = {int(reason): reason for reason in RejectReason}
        reason = reasons.get(number, RejectReason.FAILED)
        failure = Failure.BUSY if reason is RejectReason.BUSY else Failure.REFUSED
        text = f"the ground station rejects it: {reason.name.lower().replace('_', ' ')}"
        self._drone.fail_attempt(self, HandshakeFailed(failure, text))

    # --- Under boot keys ---

    def handle_message(self, message: bytes) -> None:
        if message[0] != MessageType.PREKEY or self._working or self._agreed is not None:
            return
        drone, suite, psk, opening = self._drone, self.suite, self._psk, self._opening
        policy, identity = drone.config.policy, drone.identity

        def work() -> tuple[Prekey, Answer]:
            prekey = check_prekey(message, suite, policy, identity, digest(opening))
            terms = (suite, policy, identity, psk, opening)
            former = (self._former, self._former_layers)
            return prekey, answer_first_prekey(prekey, *terms, *former, self._anchored)

        self._working = True
        drone.start(work, self._finish, lambda error: drone.fail_attempt(self, error))

    def _finish(self, result: tuple[Prekey, Answer]) -> None:
        prekey, answer = result
        boot = self._drone.peer.boot
        if self._drone.attempt is not self or boot is None:
            return
        if not self._drone.is_new_key(prekey.key_id):
            self._drone.fail_attempt(self, used_twice())
            return
        self._working = False
        self._agreed = answer.agreed
        self._deadline = self._drone.now + _PATIENCE_S
        boot.keys.session.streams.send(bytes([MessageType.FINISH]) + answer.finish)

    def handle_control(self, message: ControlMessage) -> bool:
        """Take CONFIRM, ABORT and WIPED; return whether the message is of a kind for here."""
        if message.kind is Control.WIPED:
            text = "the ground station has wiped its keys"
            self._drone.fail_attempt(self, HandshakeFailed(Failure.NO_ANSWER, text))
            return True
        if message.transaction != transaction_of(self._hello.client_random):
            return False
        if message.kind is Control.ABORT:
            self._drone.fail_attempt(self, failure_of(message.fields[0]))
        elif message.kind is Control.CONFIRM:
            self._handle_confirm(message.fields[0])
        return message.kind in (Control.ABORT, Control.CONFIRM, Control.LATER)

    def _handle_confirm(self, confirmation: bytes) -> None:
        drone, suite, agreed, boot = self._drone, self.suite, self._agreed, self._drone.peer.boot
        if agreed is None or not hmac.compare_digest(confirmation, agreed.confirmation):
            return
        assert boot is not None
        boot.keys.session.streams.stop()
        session = drone.new_session(drone.largest_message())
        session.clock = boot.keys.session.clock
        session.id, session.origin = agreed.secret.session_id(agreed.th3), agreed.th3
        traffic = agreed.secret.traffic(suite.cipher, agreed.th3)
        resumption = agreed.secret.resumption(agreed.th3)
        drone.peer.address = boot.address
        drone.install(drone.new_keys(suite, session, 0, traffic, resumption, agreed.layers))
