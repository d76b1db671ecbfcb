# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's half of the handshake, from top to bottom."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pqc_reference import liboqs, messages
from pqc_reference.channel import Channel
from pqc_reference.handshake import (
    SIGNED_AHEAD,
    Failure,
    HandshakeFailed,
    drone_text,
    errors_of,
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
    mac_matches,
)
from pqc_reference.messages import (
    MAC_SIZE,
    SIZES,
    ClientFinish,
    ClientHello,
    MessageType,
    ServerHello,
)
from pqc_reference.policy import Policy
from pqc_reference.suites import Suite


@dataclass(frozen=True)
class Resumed:
    """The session and epoch that a rekey continues."""

    session_id: bytes
    epoch: int
    resumption: bytes = field(repr=False)


@dataclass(frozen=True)
class DroneTerms:
    """The inputs of a drone to a handshake."""

    identity: DroneIdentity
    psk: PskKeys
    policy: Policy
    suite: Suite
    resumed: Resumed | None
    is_new_key: Callable[[bytes], bool]  # remembers a key_id and returns whether it is new


async def shake_hands(channel: Channel, terms: DroneTerms) -> SessionSecrets:
    """Do the whole handshake; HandshakeFailed if it fails, with the reason."""
    with errors_of("the ground station"):
        return await _shake_hands(channel, terms)


async def _shake_hands(channel: Channel, terms: DroneTerms) -> SessionSecrets:
    suite, psk, policy = terms.suite, terms.psk, terms.policy
    server_hello_sizes = messages.server_hello_sizes(suite)
    short_sizes = (SIZES[MessageType.HELLO_RETRY], SIZES[MessageType.REJECT])

    # ClientHello, and once more if the GCS answers with a challenge
    hello = _hello(terms)
    first_hello = last_hello = _with_mac(psk.client_hello, hello)
    await channel.send(first_hello)
    transcript = first_hello
    reply = await channel.receive(short_sizes, server_hello_sizes)
    if messages.message_type(reply) is MessageType.HELLO_RETRY:
        challenge = messages.decode_short(reply, MessageType.HELLO_RETRY)
        _check_mac("retry", reply, psk.hello_retry, transcript, challenge)
        last_hello = _with_mac(psk.client_hello, replace(hello, challenge=challenge))
        await channel.send(last_hello)
        transcript += reply + last_hello
        reply = await channel.receive(short_sizes, server_hello_sizes)

    # ServerHello: the MAC first, then the signature
    _raise_reject(reply, psk, first_hello)
    server = ServerHello.decode(reply, suite)
    public_key_digest = digest(server.public_key)
    digested = server.encode(public_key_digest)
    _check_mac("hello", reply, psk.server_hello, transcript, digested)
    transcript += digested + reply[-MAC_SIZE:]
    await _check_server_hello(server, terms, public_key_digest, last_hello)

    # ClientFinish
    try:
        ciphertext, kem_secret = await asyncio.to_thread(
            liboqs.encapsulate, suite.kem, server.public_key
        )
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.FAILED, f"the key can't be used: {error}") from error
    x25519_key, classical_secret = messages.NO_X25519, b""
    if policy.hybrid:
        own_key, x25519_key = x25519_keypair()
        classical_secret = x25519_secret(own_key, server.x25519_key)
    finish = ClientFinish(ciphertext, x25519_key)
    if policy.drone_signs:
        text = drone_text(transcript, finish.encode_signed_part())
        key = terms.identity.signing_keys[suite.signature]
        signature = await asyncio.to_thread(liboqs.sign, suite.signature, text, key)
        finish = replace(finish, signature=signature)
    transcript += finish.encode()
    th2 = digest(transcript)
    resumption = terms.resumed.resumption if terms.resumed else NOTHING_TO_RESUME
    agreed = HandshakeSecrets(psk, resumption, kem_secret, classical_secret)
    macs = mac(psk.client_finish, th2) + mac(agreed.drone_finish_key(th2), th2)
    await channel.send(finish.encode() + macs)
    th3 = digest(transcript, macs)

    # ServerFinish
    reply = await channel.receive((SIZES[MessageType.SERVER_FINISH], SIZES[MessageType.REJECT]))
    _raise_reject(reply, psk, first_hello)
    messages.decode_short(reply, MessageType.SERVER_FINISH)
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


async def _check_server_hello(
    server: ServerHello, terms: DroneTerms, public_key_digest: bytes, hello: bytes
) -> None:
    """Check a ServerHello whose MAC is right; `hello` is the ClientHello that it answers."""
    policy, suite, identity = terms.policy, terms.suite, terms.identity
    if server.mode != policy.mode:
        raise HandshakeFailed(Failure.FAILED, "it answered in another key-exchange mode")
    if not policy.hybrid and server.x25519_key != messages.NO_X25519:
        raise HandshakeFailed(Failure.FAILED, "it sent an X25519 key without hybrid mode")
    bind = SIGNED_AHEAD if server.signed_ahead else digest(hello)
    offer = (server.mode, server.key_id, identity.gcs_id, server.x25519_key, public_key_digest)
    text = prekey_text(suite, *offer, bind)
    signed = (text, server.signature, identity.gcs_keys[suite.signature])
    if not await asyncio.to_thread(liboqs.verify, suite.signature, *signed):
        raise HandshakeFailed(Failure.FAILED, "its signature is wrong")
    if not terms.is_new_key(server.key_id):
        raise HandshakeFailed(Failure.FAILED, "it used an ephemeral key twice")


def _raise_reject(reply: bytes, psk: PskKeys, first_hello: bytes) -> None:
    if messages.message_type(reply) is not MessageType.REJECT:
        return
    reason = messages.decode_reject(reply)
    _check_mac("reject", reply, psk.hello_retry, first_hello, reply[:-MAC_SIZE])
    text = f"the ground station rejects it: {reason.name.lower().replace('_', ' ')}"
    raise HandshakeFailed(Failure[reason.name], text)


def _with_mac(key: bytes, hello: ClientHello) -> bytes:
    return hello.encode() + mac(key, hello.encode())


def _check_mac(message: str, body: bytes, key: bytes, *covered: bytes) -> None:
    if not mac_matches(body[-MAC_SIZE:], key, *covered):
        raise HandshakeFailed(
            Failure.UNPROVED, f"the MAC of the ground station's {message} is wrong"
        )
