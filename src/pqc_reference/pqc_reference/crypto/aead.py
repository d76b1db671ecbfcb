# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ciphers behind one interface: that of the package cryptography."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import ascon
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from pqc_reference.crypto import ascon_aead128

TAG_SIZE = 16


class _Ascon:
    """An Ascon cipher; `decrypt` raises InvalidTag if anything was changed, as the others do."""

    def __init__(
        self, encrypt: Callable[..., bytes], decrypt: Callable[..., bytes | None], key: bytes
    ) -> None:
        self._encrypt, self._decrypt = partial(encrypt, key), partial(decrypt, key)

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        return self._encrypt(nonce, associated_data, data)

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        plaintext = self._decrypt(nonce, associated_data, data)
        if plaintext is None:
            raise InvalidTag
        return plaintext


Aead = AESGCM | ChaCha20Poly1305 | _Ascon


def _ascon_128a(key: bytes) -> Aead:
    variant = {"variant": "Ascon-128a"}
    return _Ascon(partial(ascon.encrypt, **variant), partial(ascon.decrypt, **variant), key)


def _ascon_aead128(key: bytes) -> Aead:
    return _Ascon(ascon_aead128.encrypt, ascon_aead128.decrypt, key)


@dataclass(frozen=True)
class Cipher:
    """An authenticated cipher; sizes in bytes."""

    token: str
    code: bytes
    key: int
    nonce: int
    under: Callable[[bytes], Aead]  # the cipher under a key


CIPHERS = (
    Cipher("aesgcm", b"\x01", 32, 12, AESGCM),
    Cipher("chacha20poly1305", b"\x02", 32, 12, ChaCha20Poly1305),
    Cipher("ascon128a", b"\x03", 16, 16, _ascon_128a),
    Cipher("asconaead128", b"\x04", 16, 16, _ascon_aead128),
)
