# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""From the shared secrets to keys ("Key schedule" of the protocol page), with HKDF-SHA256."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from hashlib import sha512

from pqc_reference.suites import Cipher

NOTHING_TO_RESUME = bytes(32)


def mac(key: bytes, *parts: bytes) -> bytes:
    """MAC of the protocol page: HMAC-SHA256, 32 bytes."""
    state = hmac.new(key, digestmod="sha256")
    for part in parts:
        state.update(part)
    return state.digest()


def mac_matches(received: bytes, key: bytes, *parts: bytes) -> bool:
    """Return whether a MAC is right, in constant time."""
    return hmac.compare_digest(received, mac(key, *parts))


def digest(*parts: bytes) -> bytes:
    """H of the protocol page: SHA-512, 64 bytes."""
    state = sha512()
    for part in parts:
        state.update(part)
    return state.digest()


def extract(salt: bytes, secret: bytes) -> bytes:
    """HKDF-Extract (RFC 5869)."""
    return mac(salt, secret)


def expand(secret: bytes, info: bytes, size: int) -> bytes:
    """HKDF-Expand (RFC 5869)."""
    output, block, counter = b"", b"", 0
    while len(output) < size:
        counter += 1
        block = mac(secret, block, info, bytes([counter]))
        output += block
    return output[:size]


def expand_label(secret: bytes, label: str, context: bytes, size: int) -> bytes:
    """EL of the protocol page."""
    full_label = b"pqm2 " + label.encode("ascii")
    info = size.to_bytes(2, "big") + _prefixed(full_label, 1) + _prefixed(context, 1)
    return expand(secret, info, size)


def _prefixed(text: bytes, size: int) -> bytes:
    return len(text).to_bytes(size, "big") + text


@dataclass(frozen=True)
class PskKeys:
    """The keys of the handshake's MACs, derived from the pre-shared key, and one more."""

    client_hello: bytes = field(repr=False)
    hello_retry: bytes = field(repr=False)
    server_hello: bytes = field(repr=False)
    client_finish: bytes = field(repr=False)
    derived: bytes = field(repr=False)

    @classmethod
    def of(cls, psk: bytes) -> PskKeys:
        """Derive them; `psk` has 32 bytes."""
        early_secret = extract(bytes(32), psk)
        labels = ("ch", "hr", "sh", "cf", "derived")
        return cls(*(expand_label(early_secret, label, b"", 32) for label in labels))


@dataclass(frozen=True)
class SessionSecrets:
    """The result of a handshake, for the data plane."""

    session_id: bytes
    drone_key: bytes = field(repr=False)  # drone to GCS
    gcs_key: bytes = field(repr=False)  # GCS to drone
    drone_iv: bytes = field(repr=False)
    gcs_iv: bytes = field(repr=False)
    resumption: bytes = field(repr=False)  # for the rekey that follows
    th3: bytes = field(repr=False)


class HandshakeSecrets:
    """HS of the protocol page, and the keys derived from it."""

    def __init__(
        self, psk: PskKeys, resumption: bytes, kem_secret: bytes, x25519_secret: bytes = b""
    ) -> None:
        resumed_secret = extract(psk.derived, resumption)
        salt = expand_label(resumed_secret, "derived", b"", 32)
        self._secret = extract(salt, _prefixed(kem_secret, 2) + _prefixed(x25519_secret, 2))

    def drone_finish_key(self, th2: bytes) -> bytes:
        """kfd: with it the drone confirms the keys."""
        return expand_label(self._secret, "fin d", th2, 32)

    def gcs_finish_key(self, th2: bytes) -> bytes:
        """kfg: with it the GCS confirms the keys."""
        return expand_label(self._secret, "fin g", th2, 32)

    def session(self, cipher: Cipher, th3: bytes) -> SessionSecrets:
        """Return the secrets of a session; a rekey ignores the session id and keeps its own."""
        sizes = {
            "sid": 8,
            "d2g key": cipher.key,
            "g2d key": cipher.key,
            "d2g iv": cipher.nonce,
            "g2d iv": cipher.nonce,
            "rms": 32,
        }
        secrets = (expand_label(self._secret, label, th3, size) for label, size in sizes.items())
        return SessionSecrets(*secrets, th3)
