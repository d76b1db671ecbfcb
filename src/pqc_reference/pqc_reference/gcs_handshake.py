# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground station's half of the handshake, from top to bottom."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from pqc_reference import liboqs, messages
from pqc_reference.channel import Channel
from pqc_reference.handshake import (
    HELLO_TIMEOUT_S,
    SIGNED_AHEAD,
    Failure,
    HandshakeFailed,
    drone_text,
    errors_of,
    prekey_text,
    x25519_keypair,
    x25519_secret,
)
from pqc_reference.key_schedule import (
    HandshakeSecrets,
    PskKeys,
    SessionSecrets,
    digest,
    mac,
    mac_matches,
)
from pqc_reference.messages import (
    MAC_SIZE,
    SIZES,
    ClientFinish,
    ClientHello,
    MessageType,
    RejectReason,
    ServerHello,
)
from pqc_reference.policy import Policy
from pqc_reference.suites import Suite

if TYPE_CHECKING:
    from pqc_reference.ground import Ground


@dataclass(frozen=True)
class PreKey:
    """An ephemeral key with its signature, for one handshake."""

    suite: Suite
    hello: ServerHello  # without the random of a handshake
    public_key_digest: bytes
    secret_key: bytes = field(repr=False)
    x25519_secret_key: X25519PrivateKey | None = field(repr=False)


def make_prekey(
    suite: Suite, mode: int, key_id: bytes, gcs_id: bytes, signing_key: bytes, hello: bytes | None
) -> PreKey:
    """Make a pre-key for a ClientHello or ahead of any (None); liboqs.Unavailable on failure."""
    public_key, secret_key = liboqs.generate_key(suite.kem)
    public_key_digest = digest(public_key)
    own_x25519, x25519_key = x25519_keypair() if mode & 1 else (None, messages.NO_X25519)
    bind = SIGNED_AHEAD if hello is None else digest(hello)
    text = prekey_text(suite, mode, key_id, gcs_id, x25519_key, public_key_digest, bind)
    server = ServerHello(
        server_random=b"",
        mode=mode,
        key_id=key_id,
        x25519_key=x25519_key,
        public_key=public_key,
        signature=liboqs.sign(suite.signature, text, signing_key),
        signed_ahead=hello is None,
    )
    return PreKey(suite, server, public_key_digest, secret_key, own_x25519)


@dataclass(frozen=True)
class Admission:
    """The terms on which the ground station goes on with a drone that has proved its PSK."""

    suite: Suite
    session_id: bytes | None  # of a rekey
    epoch: int
    resumption: bytes = field(repr=False)
    timeout_s: float
    prekey: PreKey | None  # if one is kept
    make_prekey: Callable[[bytes], PreKey] = field(repr=False)  # for a ClientHello
    drone_public_key: bytes | None  # if drones sign


async def shake_hands(channel: Channel, ground: Ground) -> None:
    """Do the whole handshake; HandshakeFailed if it fails, with the reason.

    Who does not prove a known drone's pre-shared key gets no answer.
    """
    with errors_of("the drone"):
        await _shake_hands(channel, ground)


async def _shake_hands(channel: Channel, ground: Ground) -> None:
    hello, body, psk = await _receive_hello(channel, ground)
    first_hello = transcript = body
    if not ground.may_skip_challenge(hello):
        challenge = secrets.token_bytes(32)
        retry = messages.encode_short(MessageType.HELLO_RETRY, challenge)
        retry += mac(psk.hello_retry, transcript, challenge)
        await channel.send(retry)
        hello, body, psk = await _receive_hello(channel, ground)
        if not hmac.compare_digest(hello.challenge, challenge):
            raise HandshakeFailed(Failure.UNPROVED, "the drone did not answer the challenge")
        transcript += retry + body

    admission = ground.admit(hello, channel)
    if isinstance(admission, RejectReason):
        await _reject(channel, psk, first_hello, admission)
        raise HandshakeFailed(Failure.FAILED, f"rejected: {admission.name.lower()}")
    channel.set_deadline(admission.timeout_s)
    try:
        keys, finish = await _agree(channel, ground.policy, psk, transcript, body, admission)
    except liboqs.Unavailable as error:
        await _reject(channel, psk, first_hello, RejectReason.SUITE_REFUSED)
        raise HandshakeFailed(Failure.SUITE_REFUSED, str(error)) from error
    except HandshakeFailed as failed:
        if failed.failure is Failure.FAILED:
            await _reject(channel, psk, first_hello, RejectReason.FAILED)
        raise
    # After ServerFinish the drone may send: the keys for receiving come first.
    ground.install(hello, admission, keys)
    await channel.send(finish)


async def _receive_hello(channel: Channel, ground: Ground) -> tuple[ClientHello, bytes, PskKeys]:
    channel.set_deadline(HELLO_TIMEOUT_S)
    body = await channel.receive((SIZES[MessageType.CLIENT_HELLO],))
    hello = ClientHello.decode(body)
    psk, known = ground.psk_of(hello.drone_id)
    proved = mac_matches(body[-MAC_SIZE:], psk.client_hello, body[:-MAC_SIZE])
    if not proved or not known:
        raise HandshakeFailed(Failure.UNPROVED, "the hello does not prove a known drone's key")
    return hello, body, psk


async def _reject(channel: Channel, psk: PskKeys, first_hello: bytes, reason: RejectReason) -> None:
    body = messages.encode_short(MessageType.REJECT, bytes([reason]))
    await channel.send(body + mac(psk.hello_retry, first_hello, body))


async def _agree(
    channel: Channel,
    policy: Policy,
    psk: PskKeys,
    transcript: bytes,
    hello: bytes,
    admission: Admission,
) -> tuple[SessionSecrets, bytes]:
    """Do the handshake from ServerHello on; return the keys and the ServerFinish."""
    suite = admission.suite
    prekey = admission.prekey or await asyncio.to_thread(admission.make_prekey, hello)

    # ServerHello
    server = replace(prekey.hello, server_random=secrets.token_bytes(32))
    digested = server.encode(prekey.public_key_digest)
    server_mac = mac(psk.server_hello, transcript, digested)
    await channel.send(server.encode() + server_mac)
    transcript += digested + server_mac

    # ClientFinish: the MAC of the pre-shared key first, then the expensive operations
    sizes = messages.client_finish_sizes(suite, drone_signs=policy.drone_signs)
    body = await channel.receive(sizes)
    finish = ClientFinish.decode(body, suite, drone_signs=policy.drone_signs)
    psk_mac, finish_mac = body[-2 * MAC_SIZE : -MAC_SIZE], body[-MAC_SIZE:]
    th2 = digest(transcript, body[: -2 * MAC_SIZE])
    if not mac_matches(psk_mac, psk.client_finish, th2):
        raise HandshakeFailed(Failure.UNPROVED, "the drone's finish does not prove the shared key")
    if not policy.hybrid and finish.x25519_key != messages.NO_X25519:
        raise HandshakeFailed(Failure.FAILED, "it sent an X25519 key without hybrid mode")
    if policy.drone_signs:
        text = drone_text(transcript, finish.encode_signed_part())
        signed = (text, finish.signature, admission.drone_public_key)
        if not await asyncio.to_thread(liboqs.verify, suite.signature, *signed):
            raise HandshakeFailed(Failure.FAILED, "the drone's signature is wrong")
    sealed = (finish.ciphertext, prekey.secret_key)
    kem_secret = await asyncio.to_thread(liboqs.decapsulate, suite.kem, *sealed)
    classical_secret = b""
    if prekey.x25519_secret_key is not None:
        classical_secret = x25519_secret(prekey.x25519_secret_key, finish.x25519_key)
    agreed = HandshakeSecrets(psk, admission.resumption, kem_secret, classical_secret)
    if not mac_matches(finish_mac, agreed.drone_finish_key(th2), th2):
        # No other MAC covers these bytes: anyone on the path may have changed them.
        raise HandshakeFailed(Failure.UNPROVED, "the drone's finish does not confirm the key")

    # ServerFinish
    th3 = digest(transcript, body)
    message = messages.encode_short(MessageType.SERVER_FINISH)
    return agreed.session(suite.cipher, th3), message + mac(agreed.gcs_finish_key(th2), th3)
