# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's half of the handshake, from top to bottom."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pqc_reference import liboqs, messages
from pqc_reference.channel import Channel, ChannelClosed
from pqc_reference.handshake import (
    SIGNED_AHEAD,
    Failure,
    HandshakeFailed,
    drone_text,
    prekey_text,
    x25519_keypair,
    x25519_secret,
)
from pqc_reference.identity import DroneIdentity
from pqc_reference.key_schedule import (
    NOTHING_TO_RESUME,
    HandshakeSecrets,
    PskKeys,
    SessionSecrets,
    digest,
    mac,
)
from pqc_reference.messages import (
    MAC_SIZE,
    ClientFinish,
    ClientHello,
    MessageType,
    ServerHello,
)
from pqc_reference.policy import Policy
from pqc_reference.suites import Suite

_REASONS = {
    messages.RejectReason.FAILED: Failure.AUTHENTICATED,
    messages.RejectReason.POLICY_MISMATCH: Failure.POLICY_MISMATCH,
    messages.RejectReason.SUITE_REFUSED: Failure.SUITE_REFUSED,
    messages.RejectReason.BUSY: Failure.BUSY,
    messages.RejectReason.SESSION_UNKNOWN: Failure.SESSION_UNKNOWN,
}


@dataclass(frozen=True)
class Resumed:
    """The session that a rekey goes on from."""

    session_id: bytes
    epoch: int
    resumption: bytes = field(repr=False)


@dataclass(frozen=True)
class DroneTerms:
    """Everything that a drone brings to a handshake."""

    identity: DroneIdentity
    psk: PskKeys
    policy: Policy
    suite: Suite
    resumed: Resumed | None
    # Tells of a key_id whether it was never seen before, and remembers it.
    is_new_key: Callable[[bytes], bool]


def shake_hands(channel: Channel, terms: DroneTerms) -> SessionSecrets:
    """Do the whole handshake; HandshakeFailed tells why it failed."""
    try:
        return _shake_hands(channel, terms)
    except ChannelClosed as error:
        raise HandshakeFailed(Failure.UNPROVED, f"of the ground station: {error}") from error
    except messages.Malformed as error:
        text = f"a message of the ground station is malformed: {error}"
        raise HandshakeFailed(Failure.UNPROVED, text) from error


def _shake_hands(channel: Channel, terms: DroneTerms) -> SessionSecrets:
    suite, psk, policy = terms.suite, terms.psk, terms.policy
    server_hello_sizes = messages.server_hello_sizes(suite)
    short_sizes = (messages.HELLO_RETRY_SIZE, messages.REJECT_SIZE)

    # ClientHello, which the GCS may want once more, with its challenge
    hello = _hello(terms)
    first_hello = last_hello = _with_mac(psk.client_hello, hello.encode())
    channel.send(first_hello)
    transcript = first_hello
    reply = channel.receive(short_sizes, server_hello_sizes)
    if messages.message_type(reply) is MessageType.HELLO_RETRY:
        challenge = messages.decode_hello_retry(reply)
        _check_mac("retry", reply, psk.hello_retry, transcript, challenge)
        last_hello = _with_mac(psk.client_hello, hello.answering(challenge).encode())
        channel.send(last_hello)
        transcript += reply + last_hello
        reply = channel.receive(short_sizes, server_hello_sizes)

    # ServerHello: the MAC first, then the signature
    _raise_reject(reply, psk, first_hello)
    server = ServerHello.decode(reply, suite)
    public_key_digest = digest(server.public_key)
    digested = server.for_transcript(public_key_digest)
    _check_mac("hello", reply, psk.server_hello, transcript, digested)
    transcript += digested + reply[-MAC_SIZE:]
    _check_server_hello(server, terms, public_key_digest, last_hello)

    # ClientFinish
    try:
        ciphertext, kem_secret = liboqs.encapsulate(suite.kem, server.public_key)
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.AUTHENTICATED, f"the key can't be used: {error}") from error
    x25519_key, classical_secret = messages.NO_X25519, b""
    if policy.hybrid:
        own_key, x25519_key = x25519_keypair()
        classical_secret = x25519_secret(own_key, server.x25519_key)
    signature = b""
    if policy.drone_signs:
        signed_part = ClientFinish(ciphertext, x25519_key).encode_signed_part()
        key = terms.identity.signing_keys[suite.signature]
        signature = liboqs.sign(suite.signature, drone_text(transcript, signed_part), key)
    finish = ClientFinish(ciphertext, x25519_key, signature).encode()
    transcript += finish
    th2 = digest(transcript)
    resumption = terms.resumed.resumption if terms.resumed else NOTHING_TO_RESUME
    agreed = HandshakeSecrets(psk, resumption, kem_secret, classical_secret)
    macs = mac(psk.client_finish, th2) + mac(agreed.drone_finish_key(th2), th2)
    channel.send(finish + macs)
    transcript += macs
    th3 = digest(transcript)

    # ServerFinish
    reply = channel.receive((messages.SERVER_FINISH_SIZE, messages.REJECT_SIZE))
    _raise_reject(reply, psk, first_hello)
    messages.check_server_finish(reply)
    _check_mac("finish", reply, agreed.gcs_finish_key(th2), th3)
    return agreed.session(suite.cipher, th3)


def _hello(terms: DroneTerms) -> ClientHello:
    hello = ClientHello(
        drone_id=terms.identity.id,
        client_random=secrets.token_bytes(32),
        suite=terms.suite.wire_id,
        mode=terms.policy.mode,
        policy_hash=terms.policy.hash,
    )
    if terms.resumed is None:
        return hello
    session_id, epoch = terms.resumed.session_id, terms.resumed.epoch
    return replace(hello, previous_session=session_id, previous_epoch=epoch, next_epoch=epoch + 1)


def _check_server_hello(
    server: ServerHello, terms: DroneTerms, public_key_digest: bytes, hello: bytes
) -> None:
    """Check what its MAC has already shown to come from the GCS."""
    policy, suite = terms.policy, terms.suite
    if server.mode != policy.mode:
        raise HandshakeFailed(Failure.AUTHENTICATED, "it answered in another key-exchange mode")
    if not policy.hybrid and server.x25519_key != messages.NO_X25519:
        raise HandshakeFailed(Failure.AUTHENTICATED, "it offers an X25519 key nobody asked for")
    bind = SIGNED_AHEAD if server.signed_ahead else digest(hello)
    text = prekey_text(
        suite,
        server.mode,
        server.key_id,
        terms.identity.gcs_id,
        server.x25519_key,
        public_key_digest,
        bind,
    )
    public_key = terms.identity.gcs_keys[suite.signature]
    if not liboqs.verify(suite.signature, text, server.signature, public_key):
        raise HandshakeFailed(Failure.AUTHENTICATED, "its signature does not hold")
    if not terms.is_new_key(server.key_id):
        raise HandshakeFailed(Failure.AUTHENTICATED, "it used an ephemeral key twice")


def _raise_reject(reply: bytes, psk: PskKeys, first_hello: bytes) -> None:
    if messages.message_type(reply) is not MessageType.REJECT:
        return
    reason = messages.decode_reject(reply)
    _check_mac("refusal", reply, psk.hello_retry, first_hello, reply[:-MAC_SIZE])
    text = f"the ground station refuses: {reason.name.lower().replace('_', ' ')}"
    raise HandshakeFailed(_REASONS[reason], text)


def _with_mac(key: bytes, body: bytes) -> bytes:
    return body + mac(key, body)


def _check_mac(what: str, body: bytes, key: bytes, *covered: bytes) -> None:
    if not hmac.compare_digest(body[-MAC_SIZE:], mac(key, *covered)):
        raise HandshakeFailed(Failure.UNPROVED, f"the MAC of the ground station's {what} is wrong")
