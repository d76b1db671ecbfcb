# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's half of a handshake: check a Prekey, answer it with a Finish. No state, no I/O."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pqc_reference.anchor import AnchorKeys, UnknownAnchor
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.key_schedule import (
    HandshakeSecret,
    PskKeys,
    digest,
    key_exchange,
    of_session,
)
from pqc_reference.crypto.policy import Policy
from pqc_reference.crypto.suites import Suite
from pqc_reference.handshake import (
    Agreed,
    Failure,
    HandshakeFailed,
    bind_of,
    drone_text,
    prekey_text,
    x25519_keypair,
    x25519_secret,
)
from pqc_reference.identity import DroneIdentity
from pqc_reference.key_files import IdentityError
from pqc_reference.session.layers import AnchorUse, Layers, after_exchange
from pqc_reference.wire.messages import Finish, Malformed, Prekey


def check_prekey(
    message: bytes, suite: Suite, policy: Policy, identity: DroneIdentity, bind: bytes
) -> Prekey:
    """Return a Prekey whose signature is right; HandshakeFailed otherwise.

    `bind` is H(ClientHello), or handshake.bind_ahead.
    """
    try:
        prekey = Prekey.decode(message, suite, policy.mode)
    except Malformed as error:
        raise HandshakeFailed(Failure.FAILED, f"the prekey is malformed: {error}") from error
    names = (prekey.pair, prekey.mode, prekey.key_id, identity.gcs_id)
    text = prekey_text(*names, prekey.x25519_key, prekey.public_key, bind_of(suite, bind))
    key = identity.gcs_keys[suite.signature]
    try:
        right = liboqs.verify(suite.signature, text, prekey.signature, key)
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.FAILED, str(error)) from error
    if not right:
        raise HandshakeFailed(Failure.FAILED, "the prekey's signature is wrong")
    return prekey


@dataclass(frozen=True)
class Answer:
    """A Finish from `ct` on, with its MACs, and what the GCS can derive from it."""

    finish: bytes
    agreed: Agreed = field(repr=False)


def use_anchor(
    keys: AnchorKeys | None, level: int, *, one_time_only: bool = False
) -> tuple[bytes, bytes, AnchorUse]:
    """Return id and ciphertext for a key of the anchor, and the secret; HandshakeFailed if none."""
    try:
        assert keys is not None
        key = keys.take(level, one_time_only=one_time_only)
        ciphertext, secret = liboqs.encapsulate(key.kem, key.key)
    except (UnknownAnchor, IdentityError, liboqs.Unavailable) as error:
        raise HandshakeFailed(Failure.UNKNOWN_ANCHOR, str(error)) from error
    return key.id + ciphertext, secret, AnchorUse(key.kem, key.one_time)


def answer_first_prekey(
    prekey: Prekey,
    suite: Suite,
    policy: Policy,
    identity: DroneIdentity,
    psk: PskKeys,
    opening: bytes,
    former: bytes,
    former_layers: Layers,
    anchored: bool,
) -> Answer:
    """Answer the Prekey of a new session, with the anchor and the rms of a former one."""
    prefix, anchor_secret, used = b"", b"", None
    if anchored:
        prefix, anchor_secret, used = use_anchor(identity.anchor, suite.level)
    mixed = of_session(anchor_secret, former if prekey.former else b"")
    before = former_layers if prekey.former else {}
    return answer_prekey(prekey, suite, policy, identity, psk, opening, mixed, before, prefix, used)


def answer_prekey(
    prekey: Prekey,
    suite: Suite,
    policy: Policy,
    identity: DroneIdentity,
    psk: PskKeys,
    opening: bytes,
    resumption: bytes,
    before: Layers,
    anchor: bytes = b"",
    anchor_use: AnchorUse | None = None,
) -> Answer:
    """Encapsulate to a Prekey, sign if drones sign, and confirm; HandshakeFailed if that fails.

    `before` are the layers of `resumption`; `anchor` is the id and the ciphertext with which the
    Finish of a new session begins.
    """
    try:
        ciphertext, kem_secret = liboqs.encapsulate(suite.kem, prekey.public_key)
        x25519_key, classical_secret = b"", b""
        if policy.hybrid:
            own_key, x25519_key = x25519_keypair()
            classical_secret = x25519_secret(own_key, prekey.x25519_key)
        finish = Finish(ciphertext, x25519_key, anchor=anchor)
        if policy.drone_signs:
            text = drone_text(opening, prekey.transcript, finish.signed_part)
            key = identity.signing_keys[suite.signature]
            finish = replace(finish, signature=liboqs.sign(suite.signature, text, key))
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.FAILED, f"the key can't be used: {error}") from error

    transcript = opening + prekey.transcript + finish.encode()
    th2 = digest(transcript)
    secret = HandshakeSecret(psk, resumption, key_exchange(kem_secret, classical_secret))
    mac = psk.kdf.mac
    macs = mac(psk.client_finish, th2) + mac(secret.drone_finish_key(th2), th2)
    th3 = digest(transcript, macs)
    confirmation = mac(secret.gcs_finish_key(th2), th3)
    layers = after_exchange(before, suite, hybrid=policy.hybrid, anchor=anchor_use)
    return Answer(finish.encode() + macs, Agreed(secret, th3, confirmation, layers))
