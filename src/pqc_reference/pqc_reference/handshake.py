# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of the handshake that both roles use: failures, the signed texts, X25519."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from pqc_reference.channel import ChannelClosed
from pqc_reference.key_schedule import digest
from pqc_reference.messages import Malformed
from pqc_reference.suites import Suite

HELLO_TIMEOUT_S = 1.0

SIGNED_AHEAD = bytes(64)


class Failure(Enum):
    """How a handshake can fail."""

    UNPROVED = auto()  # cut, late, malformed or changed: anyone on the path can cause it
    # The others are authenticated by the pre-shared key; their names are those of RejectReason.
    FAILED = auto()
    POLICY_MISMATCH = auto()
    SUITE_REFUSED = auto()
    BUSY = auto()
    SESSION_UNKNOWN = auto()

    @property
    def blames_suite(self) -> bool:
        """Whether it puts the suite on the blacklist."""
        return self in (Failure.FAILED, Failure.SUITE_REFUSED)


class HandshakeFailed(Exception):
    """A handshake that failed; the keys in use stay."""

    def __init__(self, failure: Failure, text: str) -> None:
        super().__init__(text)
        self.failure = failure


@contextmanager
def errors_of(other: str) -> Iterator[None]:
    """Turn errors of the channel and of messages into HandshakeFailed; `other` is the other end."""
    try:
        yield
    except ChannelClosed as error:
        raise HandshakeFailed(Failure.UNPROVED, f"{other}: {error}") from error
    except Malformed as error:
        text = f"a message of {other} is malformed: {error}"
        raise HandshakeFailed(Failure.UNPROVED, text) from error


def prekey_text(
    suite: Suite,
    mode: int,
    key_id: bytes,
    gcs_id: bytes,
    x25519_key: bytes,
    public_key_digest: bytes,
    bind: bytes,
) -> bytes:
    """Return the text that the GCS signs; `bind` is H(ClientHello), or SIGNED_AHEAD."""
    names = b"PQM2 gcs prekey\0" + suite.wire_id[:4] + bytes([mode]) + key_id + gcs_id
    return names + x25519_key + public_key_digest + bind


def drone_text(transcript: bytes, signed_part: bytes) -> bytes:
    """Return the text that the drone signs."""
    return b"PQM2 drone auth\0" + digest(transcript, signed_part)


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
