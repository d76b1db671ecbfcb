# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a handshake that both roles use: failures, transcripts, signed texts, X25519."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from pqc_reference.crypto.key_schedule import HandshakeSecret, digest
from pqc_reference.crypto.suites import Suite
from pqc_reference.session.layers import Layers
from pqc_reference.wire.control import Abort

NO_BIND = bytes(64)
NO_X25519 = bytes(32)


class Failure(Enum):
    NO_ANSWER = auto()
    BUSY = auto()
    UNKNOWN_PREKEY = auto()
    UNKNOWN_ANCHOR = auto()
    UNUSABLE_ANCHOR = auto()
    REFUSED = auto()
    FAILED = auto()

    @property
    def blames_suite(self) -> bool:
        """Return whether it puts the suite on the blacklist."""
        return self in (Failure.REFUSED, Failure.FAILED)


class HandshakeFailed(Exception):
    """A handshake failed; the text is a part of a sentence."""

    def __init__(self, failure: Failure, text: str) -> None:
        super().__init__(text)
        self.failure = failure


_OF_ABORTS: dict[int, tuple[Failure, str]] = {
    Abort.SUITE_REFUSED: (Failure.REFUSED, "it refuses the suite"),
    Abort.IN_PROGRESS: (Failure.BUSY, "another rekey is under way"),
    Abort.FAILED: (Failure.FAILED, "it failed there"),
    Abort.UNKNOWN_PREKEY: (Failure.UNKNOWN_PREKEY, "it does not know the prekey"),
    Abort.UNKNOWN_ANCHOR: (Failure.UNKNOWN_ANCHOR, "it does not know the key of the anchor"),
    Abort.UNUSABLE_ANCHOR: (Failure.UNUSABLE_ANCHOR, "it can't use its anchor"),
}


def failure_of(reason: int) -> HandshakeFailed:
    """Return what an ABORT of the other end means."""
    failure, text = _OF_ABORTS.get(reason, (Failure.FAILED, f"for the unknown reason {reason}"))
    return HandshakeFailed(failure, f"the other end aborts: {text}")


_ABORTS = {
    Failure.REFUSED: Abort.SUITE_REFUSED,
    Failure.BUSY: Abort.IN_PROGRESS,
    Failure.UNKNOWN_PREKEY: Abort.UNKNOWN_PREKEY,
    Failure.UNKNOWN_ANCHOR: Abort.UNKNOWN_ANCHOR,
    Failure.UNUSABLE_ANCHOR: Abort.UNUSABLE_ANCHOR,
}


def abort_reason(failed: HandshakeFailed) -> Abort:
    """Return the reason of the ABORT that tells the other end of a failure."""
    return _ABORTS.get(failed.failure, Abort.FAILED)


def used_twice() -> HandshakeFailed:
    return HandshakeFailed(Failure.FAILED, "the ground station used an ephemeral key twice")


@dataclass(frozen=True)
class Agreed:
    """The result of a handshake or a ratchet."""

    secret: HandshakeSecret = field(repr=False)
    th3: bytes = field(repr=False)
    confirmation: bytes  # MAC of CONFIRM
    layers: Layers = field(default_factory=dict)


def bind_ahead(drone_id: bytes, session_id: bytes, origin: bytes) -> bytes:
    """Return what a prekey that is sent ahead is signed for; `origin` is th3 of epoch 0."""
    return digest(b"ahead", drone_id, session_id, origin)


def prekey_text(
    pair: bytes,
    mode: int,
    key_id: bytes,
    gcs_id: bytes,
    x25519_key: bytes,
    public_key: bytes,
    bind: bytes,
) -> bytes:
    names = b"PQM3 prekey\0" + pair + bytes([mode]) + key_id + gcs_id
    return names + (x25519_key or NO_X25519) + digest(public_key) + bind


def bind_of(suite: Suite, bind: bytes) -> bytes:
    """Return `bind`, or zeros if the suite's signatures are made ahead of time."""
    return NO_BIND if suite.signature.signs_slowly else bind


def drone_text(opening: bytes, prekey: bytes, signed_part: bytes) -> bytes:
    """Return the text that the drone signs; `prekey` is as in the transcript."""
    return b"PQM3 drone auth\0" + digest(opening, prekey, signed_part)


def x25519_keypair() -> tuple[X25519PrivateKey, bytes]:
    """Return a new X25519 key and its public half."""
    key = X25519PrivateKey.generate()
    return key, key.public_key().public_bytes_raw()


def x25519_secret(own: X25519PrivateKey, public_key: bytes) -> bytes:
    """Return the shared secret; HandshakeFailed for a public key that gives zeros."""
    try:
        return own.exchange(X25519PublicKey.from_public_bytes(public_key))
    except ValueError as error:
        raise HandshakeFailed(Failure.FAILED, "the X25519 key is invalid") from error
