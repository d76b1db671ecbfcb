# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station's half of the handshake, from top to bottom."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from pqc_reference import liboqs, messages
from pqc_reference.channel import Channel, ChannelClosed
from pqc_reference.handshake import (
    HELLO_TIMEOUT_S,
    SIGNED_AHEAD,
    Failure,
    HandshakeFailed,
    drone_text,
    prekey_text,
    x25519_keypair,
    x25519_secret,
)
from pqc_reference.key_schedule import HandshakeSecrets, PskKeys, SessionSecrets, digest, mac
from pqc_reference.messages import (
    MAC_SIZE,
    ClientFinish,
    ClientHello,
    RejectReason,
    ServerHello,
)
from pqc_reference.policy import Policy
from pqc_reference.suites import Suite


@dataclass(frozen=True)
class PreKey:
    """An ephemeral key with its signature, for one handshake."""

    suite: Suite
    key_id: bytes
    public_key: bytes
    secret_key: bytes = field(repr=False)
    public_key_digest: bytes
    x25519_key: bytes
    x25519_secret_key: X25519PrivateKey | None = field(repr=False)
    signature: bytes
    signed_ahead: bool


def make_prekey(
    suite: Suite, mode: int, key_id: bytes, gcs_id: bytes, signing_key: bytes, hello: bytes | None
) -> PreKey:
    """Make one, bound to a ClientHello, or ahead of it (None)."""
    public_key, secret_key = liboqs.generate_key(suite.kem)
    public_key_digest = digest(public_key)
    own_x25519, x25519_key = x25519_keypair() if mode & 1 else (None, messages.NO_X25519)
    bind = SIGNED_AHEAD if hello is None else digest(hello)
    text = prekey_text(suite, mode, key_id, gcs_id, x25519_key, public_key_digest, bind)
    signature = liboqs.sign(suite.signature, text, signing_key)
    return PreKey(
        suite,
        key_id,
        public_key,
        secret_key,
        public_key_digest,
        x25519_key,
        own_x25519,
        signature,
        signed_ahead=hello is None,
    )


@dataclass(frozen=True)
class Admission:
    """What the ground station holds ready for a drone that has proved itself."""

    suite: Suite
    session_id: bytes | None  # the one being rekeyed
    epoch: int
    resumption: bytes = field(repr=False)
    timeout_s: float
    prekey: PreKey | None  # made ahead
    key_id: bytes  # for one that has to be made now
    gcs_id: bytes
    signing_key: bytes = field(repr=False)
    drone_public_key: bytes | None  # if drones sign


class Ground(Protocol):
    """The ground station as a handshake sees it."""

    policy: Policy

    def psk_of(self, drone_id: bytes) -> tuple[PskKeys, bool]:
        """Return a drone's keys and whether it is known; a stranger gets keys that nothing fits."""

    def may_skip_challenge(self, hello: ClientHello) -> bool:
        """Whether a hello is fresh by itself: it names the live session and was never seen."""

    def admit(self, hello: ClientHello, channel: Channel) -> Admission | RejectReason:
        """Let a drone in, or tell why not."""

    def install(self, hello: ClientHello, admission: Admission, keys: SessionSecrets) -> None:
        """Receive under new keys from now on."""


def shake_hands(channel: Channel, ground: Ground) -> None:
    """Do the whole handshake; HandshakeFailed tells why it failed. Strangers learn nothing."""
    try:
        _shake_hands(channel, ground)
    except ChannelClosed as error:
        raise HandshakeFailed(Failure.UNPROVED, f"of the drone: {error}") from error
    except messages.Malformed as error:
        text = f"a message of the drone is malformed: {error}"
        raise HandshakeFailed(Failure.UNPROVED, text) from error


def _shake_hands(channel: Channel, ground: Ground) -> None:
    channel.set_deadline(HELLO_TIMEOUT_S)
    hello, body, psk = _receive_hello(channel, ground)
    first_hello = transcript = body
    if not ground.may_skip_challenge(hello):
        channel.set_deadline(HELLO_TIMEOUT_S)
        challenge = secrets.token_bytes(32)
        retry = messages.encode_hello_retry(challenge)
        retry += mac(psk.hello_retry, transcript, challenge)
        channel.send(retry)
        hello, body, psk = _receive_hello(channel, ground)
        if not hmac.compare_digest(hello.challenge, challenge):
            raise HandshakeFailed(Failure.UNPROVED, "the drone did not answer the challenge")
        transcript += retry + body

    admission = ground.admit(hello, channel)
    if isinstance(admission, RejectReason):
        _reject(channel, psk, first_hello, admission)
        raise HandshakeFailed(Failure.AUTHENTICATED, f"refused: {admission.name.lower()}")
    channel.set_deadline(admission.timeout_s)
    try:
        keys, finish = _agree(channel, ground.policy, psk, transcript, body, admission)
    except liboqs.Unavailable as error:
        _reject(channel, psk, first_hello, RejectReason.SUITE_REFUSED)
        raise HandshakeFailed(Failure.SUITE_REFUSED, str(error)) from error
    except HandshakeFailed as failed:
        if failed.failure is Failure.AUTHENTICATED:
            _reject(channel, psk, first_hello, RejectReason.FAILED)
        raise
    # Installed for receiving before the drone learns that it may send.
    ground.install(hello, admission, keys)
    channel.send(finish)


def _receive_hello(channel: Channel, ground: Ground) -> tuple[ClientHello, bytes, PskKeys]:
    body = channel.receive((messages.CLIENT_HELLO_SIZE,))
    hello = ClientHello.decode(body)
    psk, known = ground.psk_of(hello.drone_id)
    proved = hmac.compare_digest(body[-MAC_SIZE:], mac(psk.client_hello, body[:-MAC_SIZE]))
    if not proved or not known:
        raise HandshakeFailed(Failure.UNPROVED, "the hello does not prove a known drone's key")
    return hello, body, psk


def _reject(channel: Channel, psk: PskKeys, first_hello: bytes, reason: RejectReason) -> None:
    body = messages.encode_reject(reason)
    channel.send(body + mac(psk.hello_retry, first_hello, body))


def _agree(
    channel: Channel,
    policy: Policy,
    psk: PskKeys,
    transcript: bytes,
    hello: bytes,
    admission: Admission,
) -> tuple[SessionSecrets, bytes]:
    """From ServerHello on; return the keys and the ServerFinish."""
    suite = admission.suite
    prekey = admission.prekey or make_prekey(
        suite, policy.mode, admission.key_id, admission.gcs_id, admission.signing_key, hello
    )

    # ServerHello
    server = ServerHello(
        server_random=secrets.token_bytes(32),
        mode=policy.mode,
        key_id=prekey.key_id,
        x25519_key=prekey.x25519_key,
        public_key=prekey.public_key,
        signature=prekey.signature,
        signed_ahead=prekey.signed_ahead,
    )
    digested = server.for_transcript(prekey.public_key_digest)
    server_mac = mac(psk.server_hello, transcript, digested)
    channel.send(server.encode() + server_mac)
    transcript += digested + server_mac

    # ClientFinish: the MAC of the pre-shared key first, then everything that costs
    body = channel.receive(messages.client_finish_sizes(suite, drone_signs=policy.drone_signs))
    finish = ClientFinish.decode(body, suite, drone_signs=policy.drone_signs)
    covered, psk_mac, finish_mac = body[: -2 * MAC_SIZE], body[-64:-32], body[-32:]
    th2 = digest(transcript, covered)
    if not hmac.compare_digest(psk_mac, mac(psk.client_finish, th2)):
        raise HandshakeFailed(Failure.UNPROVED, "the drone's finish does not prove the shared key")
    if not policy.hybrid and finish.x25519_key != messages.NO_X25519:
        raise HandshakeFailed(Failure.AUTHENTICATED, "an X25519 key came that nobody asked for")
    if policy.drone_signs:
        text = drone_text(transcript, finish.encode_signed_part())
        assert admission.drone_public_key is not None
        if not liboqs.verify(suite.signature, text, finish.signature, admission.drone_public_key):
            raise HandshakeFailed(Failure.AUTHENTICATED, "the drone's signature does not hold")
    kem_secret = liboqs.decapsulate(suite.kem, finish.ciphertext, prekey.secret_key)
    classical_secret = b""
    if prekey.x25519_secret_key is not None:
        classical_secret = x25519_secret(prekey.x25519_secret_key, finish.x25519_key)
    agreed = HandshakeSecrets(psk, admission.resumption, kem_secret, classical_secret)
    if not hmac.compare_digest(finish_mac, mac(agreed.drone_finish_key(th2), th2)):
        # The MAC before it doesn't cover these bytes: anybody on the path can have spoilt them.
        raise HandshakeFailed(Failure.UNPROVED, "the drone's finish does not confirm the key")

    # ServerFinish
    th3 = digest(transcript, body)
    message = messages.encode_server_finish()
    message += mac(agreed.gcs_finish_key(th2), th3)
    return agreed.session(suite.cipher, th3), message
