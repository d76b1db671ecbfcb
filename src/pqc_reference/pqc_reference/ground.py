# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station: answers the hellos, WANTs and rekeys of many drones."""

from __future__ import annotations

import secrets
from concurrent.futures import Future

from pqc_reference.challenges import Challenges
from pqc_reference.config import Config
from pqc_reference.crypto.key_schedule import MAC_SIZE, Psk, PskKeys
from pqc_reference.crypto.suites import Suite, suite_of
from pqc_reference.end import Address, Deliver, End
from pqc_reference.identity import DroneRecord, GcsIdentity
from pqc_reference.peer import Peer, Report
from pqc_reference.served_drone import ServedDrone
from pqc_reference.session.epoch_keys import EpochKeys
from pqc_reference.wire.control import ControlMessage, RekeyKind
from pqc_reference.wire.messages import (
    ANCHOR_BIT,
    NO_CHALLENGE,
    ClientHello,
    HelloType,
    Malformed,
    RejectReason,
    encode_hello,
    hello_type,
    largest_rekey,
)


class Ground(End):
    def __init__(
        self,
        config: Config,
        identity: GcsIdentity,
        records: list[DroneRecord],
        report: Report,
        deliver: Deliver,
    ) -> None:
        """Take a record for each drone of the configuration, in the same order."""
        super().__init__(config, report, deliver)
        self.identity = identity
        self.drones = [
            ServedDrone(self, record, peer)
            for record, peer in zip(records, self.peers, strict=True)
        ]
        self._by_id = {drone.record.id: drone for drone in self.drones}
        self._stranger = Psk(secrets.token_bytes(32))
        self._challenges = Challenges()
        mode = config.policy.mode
        self.largest_message = max(largest_rekey(suite, mode) for suite in config.policy.allowed)

    def refuses(self, suite: Suite, record: DroneRecord) -> bool:
        policy = self.config.policy
        return (
            suite not in policy.allowed
            or suite.signature not in self.identity.signing_keys
            or (policy.drone_signs and suite.signature not in record.public_keys)
        )

    # --- Hellos ---

    def handle_hello(self, frame: bytes, sender: Address) -> None:
        try:
            if hello_type(frame) is not HelloType.CLIENT_HELLO:
                raise Malformed
        except Malformed:
            self.unassigned_drops["malformed"] += 1
            return
        hello = ClientHello.decode(frame)
        drone = self._by_id.get(hello.drone_id)
        # A stranger costs the same.
        psk = (drone.psk if drone is not None else self._stranger).keys(hello.suite)
        proved = psk.kdf.mac_matches(frame[-MAC_SIZE:], psk.client_hello, frame[:-MAC_SIZE])
        if not proved or drone is None:
            self._ignore("the hello does not prove a known drone's key")
        elif hello.challenge == NO_CHALLENGE:
            challenge = self._challenges.make(hello, sender, self.now)
            self._answer(psk, frame, HelloType.HELLO_RETRY, challenge, sender)
        elif not self._challenges.is_valid(hello, sender, self.now):
            self._ignore("the hello's challenge is wrong or has expired")
        elif not drone.new_session.continues(frame, sender):
            self._open(drone, hello, frame, psk, sender)

    def _open(
        self, drone: ServedDrone, hello: ClientHello, frame: bytes, psk: PskKeys, sender: Address
    ) -> None:
        policy, suite = self.config.policy, suite_of(hello.suite)
        if drone.randoms.is_repeated(hello.client_random, self.now):
            self._ignore("the hello is repeated")
            return
        reason = None
        anchored = bool(hello.mode & ANCHOR_BIT)
        refused = {"off": anchored, "required": not anchored}.get(self.config.anchor, False)
        if refused or (hello.policy_hash, hello.mode & ~ANCHOR_BIT) != (policy.hash, policy.mode):
            reason = RejectReason.POLICY_MISMATCH
        elif suite is None or self.refuses(suite, drone.record):
            reason = RejectReason.SUITE_REFUSED
        elif not drone.randoms.use(hello.client_random, self.now):
            reason = RejectReason.BUSY
        if reason is not None:
            name = reason.name.lower().replace("_", " ")
            self.report(f"handshake failed: {drone.record.name} is rejected: {name}", None)
            self._answer(psk, frame, HelloType.REJECT, bytes([reason]), sender)
            return
        assert suite is not None
        drone.new_session.open(hello, frame, suite, sender)

    def _answer(
        self, psk: PskKeys, hello: bytes, kind: HelloType, content: bytes, sender: Address
    ) -> None:
        frame = encode_hello(kind, content)
        self.send(frame + psk.kdf.mac(psk.hello_retry, hello, frame), sender)

    def _ignore(self, why: str) -> None:
        self.unassigned_drops["hello"] += 1
        self.report(f"handshake failed: {why}", None)

    # --- Frames ---

    def _drone_of(self, peer: Peer) -> ServedDrone:
        return self.drones[self.peers.index(peer)]

    def handle_boot_frame(self, peer: Peer) -> None:
        self._drone_of(peer).new_session.handle_frame()

    def handle_proved(self, peer: Peer) -> None:
        keys = peer.slots.sending
        assert keys is not None
        self.rekeys += keys.epoch > 0
        self.report(f"sending under the new keys of {peer.name}", keys)
        self._drone_of(peer).handle_proved(keys)

    def handle_answer(self, peer: Peer, asked: float) -> None:
        self._drone_of(peer).handle_answer(asked)

    def handle_stream(self, peer: Peer, keys: EpochKeys) -> None:
        pass

    def handle_message(self, peer: Peer, message: bytes, keys: EpochKeys) -> None:
        self._drone_of(peer).handle_message(message, keys)

    def handle_control(self, peer: Peer, message: ControlMessage, keys: EpochKeys) -> bool:
        return self._drone_of(peer).handle_control(message, keys)

    def handle_wiped(self, peer: Peer) -> None:
        self._drone_of(peer).handle_wiped()

    # --- Time and requests ---

    def due(self, peer: Peer) -> float:
        return self._drone_of(peer).due()

    def handle_due(self, peer: Peer) -> None:
        self._drone_of(peer).handle_due()

    def request_erase(self, now: float, name: str = "") -> Future[str | None]:
        self.now = now
        return next(d for d in self.drones if name in ("", d.record.name)).request_erase()

    def request_rekey(
        self,
        suite: Suite | None,
        now: float,
        *,
        ratchet: bool = False,
        one_time_key: bool = False,
        name: str = "",
    ) -> Future[str | None]:
        self.now = now
        drone = next(d for d in self.drones if name in ("", d.record.name))
        kind = RekeyKind.RATCHET if ratchet else RekeyKind.FULL
        return drone.request_rekey(suite, RekeyKind.ONE_TIME_KEY if one_time_key else kind)
