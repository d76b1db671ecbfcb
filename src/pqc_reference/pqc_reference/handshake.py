# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What both halves of the handshake share: its failures, the signed texts, and X25519."""

from __future__ import annotations

from enum import Enum, auto

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from pqc_reference.key_schedule import digest
from pqc_reference.suites import Suite

_PREKEY_LABEL = b"PQM2 gcs prekey\0"
_DRONE_LABEL = b"PQM2 drone auth\0"

# The time for one whole handshake, the defaults of the parameters of these names.
HANDSHAKE_TIMEOUT_S = 15.0
SLOW_HANDSHAKE_TIMEOUT_S = 45.0
HELLO_TIMEOUT_S = 1.0


class Failure(Enum):
    """How a handshake can fail."""

    UNPROVED = auto()  # cut, late, malformed or spoilt: anybody on the path can bring that about
    AUTHENTICATED = auto()  # proved by the pre-shared key: it counts against the suite
    POLICY_MISMATCH = auto()
    SUITE_REFUSED = auto()
    BUSY = auto()
    SESSION_UNKNOWN = auto()

    @property
    def blames_suite(self) -> bool:
        """Whether the suite goes on the blacklist for it."""
        return self in (Failure.AUTHENTICATED, Failure.SUITE_REFUSED)


class HandshakeFailed(Exception):
    """A handshake that came to nothing; the keys in use are not touched by that."""

    def __init__(self, failure: Failure, text: str) -> None:
        """Say how and why."""
        super().__init__(text)
        self.failure = failure


def prekey_text(
    suite: Suite,
    mode: int,
    key_id: bytes,
    gcs_id: bytes,
    x25519_key: bytes,
    public_key_digest: bytes,
    bind: bytes,
) -> bytes:
    """Return what the GCS signs; `bind` is H(ClientHello), or zeros if it signs ahead."""
    return b"".join(
        (
            _PREKEY_LABEL,
            suite.wire_id[:4],
            bytes([mode]),
            key_id,
            gcs_id,
            x25519_key,
            public_key_digest,
            bind,
        )
    )


SIGNED_AHEAD = bytes(64)


def drone_text(transcript: bytes, signed_part: bytes) -> bytes:
    """Return what the drone signs, if it does."""
    return _DRONE_LABEL + digest(transcript, signed_part)


def x25519_keypair() -> tuple[X25519PrivateKey, bytes]:
    """Return a new X25519 key and its public half."""
    key = X25519PrivateKey.generate()
    return key, key.public_key().public_bytes_raw()


def x25519_secret(own: X25519PrivateKey, public_key: bytes) -> bytes:
    """Return the shared secret; a key that gives zeros is refused."""
    try:
        return own.exchange(X25519PublicKey.from_public_bytes(public_key))
    except ValueError as error:
        raise HandshakeFailed(Failure.AUTHENTICATED, "the X25519 key is refused") from error
