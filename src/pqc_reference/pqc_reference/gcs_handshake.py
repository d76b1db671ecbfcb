# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The GCS's half of a handshake: make a Prekey, take the Finish. No state, no I/O."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from pqc_reference.anchor import ID_SIZE, AnchorSecrets, SecretKey, UnknownAnchor
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.key_schedule import (
    MAC_SIZE,
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
from pqc_reference.identity import GcsIdentity
from pqc_reference.key_files import IdentityError
from pqc_reference.session.layers import AnchorUse, Layers, after_exchange
from pqc_reference.wire.messages import FORMER_BIT, Finish, HelloType, Malformed, Prekey


@dataclass(frozen=True)
class OwnPrekey:
    """A Prekey with its secrets, for one handshake."""

    public: Prekey
    secret_key: bytes = field(repr=False)
    x25519_secret_key: X25519PrivateKey | None = field(repr=False)


def make_prekey(
    suite: Suite, policy: Policy, identity: GcsIdentity, bind: bytes, *, former: bool = False
) -> OwnPrekey:
    """Make a key and sign it; HandshakeFailed if this liboqs cannot.

    `bind` is H(ClientHello), or handshake.bind_ahead.
    """
    key_id, mode = secrets.token_bytes(16), policy.mode
    try:
        public_key, secret_key = liboqs.generate_key(suite.kem)
        own_x25519, x25519_key = x25519_keypair() if policy.hybrid else (None, b"")
        names = (suite.pair, mode, key_id, identity.id)
        text = prekey_text(*names, x25519_key, public_key, bind_of(suite, bind))
        signature = liboqs.sign(suite.signature, text, identity.signing_keys[suite.signature])
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.REFUSED, str(error)) from error
    names = (key_id, suite.pair, mode)
    prekey = Prekey(*names, x25519_key, public_key, signature, FORMER_BIT if former else 0)
    return OwnPrekey(prekey, secret_key, own_x25519)


@dataclass(frozen=True)
class ProvedFinish:
    """A Finish whose sender has the pre-shared key."""

    finish: Finish
    finish_mac: bytes
    opening: bytes
    transcript: bytes  # through the Finish, without its MACs
    macs: bytes
    anchor: SecretKey | None = None


def _find(anchors: AnchorSecrets, message: bytes) -> SecretKey:
    try:
        return anchors.find(message[:ID_SIZE])
    except UnknownAnchor as error:
        raise HandshakeFailed(Failure.UNKNOWN_ANCHOR, f"the anchor's key: {error}") from error
    except (IdentityError, OSError) as error:
        raise HandshakeFailed(Failure.UNUSABLE_ANCHOR, f"the anchor's key: {error}") from error


def _erase(anchors: AnchorSecrets, key: SecretKey) -> None:
    try:
        anchors.erase(key)
    except (UnknownAnchor, IdentityError, OSError) as error:
        raise HandshakeFailed(Failure.UNUSABLE_ANCHOR, f"a one-time key stays: {error}") from error


def open_one_time_key(anchors: AnchorSecrets | None, message: bytes) -> tuple[bytes, AnchorUse]:
    """Return the secret of a one-time key by its id and ciphertext, and erase the key."""
    if anchors is None:
        raise HandshakeFailed(Failure.UNKNOWN_ANCHOR, "there is no anchor here")
    key = _find(anchors, message)
    if not key.one_time or len(message) != ID_SIZE + key.kem.ciphertext:
        raise HandshakeFailed(Failure.UNKNOWN_ANCHOR, "the anchor's key: it is no one-time key")
    try:
        secret = liboqs.decapsulate(key.kem, message[ID_SIZE:], key.key)
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.FAILED, str(error)) from error
    _erase(anchors, key)
    return secret, AnchorUse(key.kem, key.one_time)


def check_finish(
    content: bytes,
    suite: Suite,
    policy: Policy,
    psk: PskKeys,
    opening: bytes,
    prekey: OwnPrekey,
    anchors: AnchorSecrets | None = None,
) -> ProvedFinish:
    """Check the MAC of the pre-shared key, and the form of a Finish after its type.

    With `anchors` it begins with the name of one of these keys, and a ciphertext for it.
    """
    before, macs = content[: -2 * MAC_SIZE], content[-2 * MAC_SIZE :]
    transcript = opening + prekey.public.transcript + before
    if len(macs) != 2 * MAC_SIZE:
        raise HandshakeFailed(Failure.FAILED, "the finish is malformed: it is cut short")
    if not psk.kdf.mac_matches(macs[:MAC_SIZE], psk.client_finish, digest(transcript)):
        raise HandshakeFailed(Failure.FAILED, "the finish does not prove the pre-shared key")
    anchor = None
    if anchors is not None:
        anchor = _find(anchors, before)
    size = 0 if anchor is None else ID_SIZE + anchor.kem.ciphertext
    try:
        finish, _ = Finish.decode(content, suite, policy.mode, size)
    except Malformed as error:
        raise HandshakeFailed(Failure.FAILED, f"the finish is malformed: {error}") from error
    return ProvedFinish(finish, macs[MAC_SIZE:], opening, transcript, macs, anchor)


def agree(
    proved: ProvedFinish,
    suite: Suite,
    policy: Policy,
    psk: PskKeys,
    prekey: OwnPrekey,
    resumption: bytes,
    before: Layers,
    drone_key: bytes | None,
    anchors: AnchorSecrets | None = None,
) -> Agreed:
    """Check the drone's signature if drones sign, decapsulate, and check the drone's confirmation.

    `resumption` is the rms of the epoch being rekeyed, or of the former session that is mixed in;
    `before` are its layers. HandshakeFailed if that fails; the prekey is used up in any case.
    """
    finish = proved.finish
    try:
        if policy.drone_signs:
            text = drone_text(proved.opening, prekey.public.transcript, finish.signed_part)
            signed = (text, finish.signature, drone_key)
            if not liboqs.verify(suite.signature, *signed):
                raise HandshakeFailed(Failure.FAILED, "the drone's signature is wrong")
        if proved.anchor is not None:
            ciphertext = finish.anchor[ID_SIZE:]
            anchor_secret = liboqs.decapsulate(proved.anchor.kem, ciphertext, proved.anchor.key)
            resumption = of_session(anchor_secret, resumption)
        elif proved.opening[0] == HelloType.CLIENT_HELLO:
            resumption = of_session(b"", resumption)
        kem_secret = liboqs.decapsulate(suite.kem, finish.ciphertext, prekey.secret_key)
    except liboqs.Unavailable as error:
        raise HandshakeFailed(Failure.FAILED, str(error)) from error
    classical_secret = b""
    if prekey.x25519_secret_key is not None:
        classical_secret = x25519_secret(prekey.x25519_secret_key, finish.x25519_key)
    secret = HandshakeSecret(psk, resumption, key_exchange(kem_secret, classical_secret))
    th2 = digest(proved.transcript)
    if not psk.kdf.mac_matches(proved.finish_mac, secret.drone_finish_key(th2), th2):
        raise HandshakeFailed(Failure.FAILED, "the finish does not confirm the key")
    if proved.anchor is not None and proved.anchor.one_time:
        assert anchors is not None
        _erase(anchors, proved.anchor)
    th3 = digest(proved.transcript, proved.macs)
    used = AnchorUse(proved.anchor.kem, proved.anchor.one_time) if proved.anchor else None
    layers = after_exchange(before, suite, hybrid=policy.hybrid, anchor=used)
    return Agreed(secret, th3, psk.kdf.mac(secret.gcs_finish_key(th2), th3), layers)
