# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The four ciphers behind one interface: that of the package cryptography."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import ascon
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from pqc_reference import ascon_aead128
from pqc_reference.suites import Cipher

TAG_SIZE = 16

__all__ = ["TAG_SIZE", "Aead", "InvalidTag", "aead"]


class Aead(Protocol):
    """An authenticated cipher under one key."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        """Return ciphertext and tag."""

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        """Return the text; InvalidTag if anything was changed."""


class _Ascon128a:
    def __init__(self, key: bytes) -> None:
        self._key = key

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        return ascon.encrypt(self._key, nonce, associated_data, data, "Ascon-128a")

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        text = ascon.decrypt(self._key, nonce, associated_data, data, "Ascon-128a")
        if text is None:
            raise InvalidTag
        return text


class _AsconAead128:
    def __init__(self, key: bytes) -> None:
        self._key = key

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        return ascon_aead128.encrypt(self._key, nonce, associated_data, data)

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes) -> bytes:
        text = ascon_aead128.decrypt(self._key, nonce, associated_data, data)
        if text is None:
            raise InvalidTag
        return text


_AEADS: dict[str, Callable[[bytes], Aead]] = {
    "aesgcm": AESGCM,
    "chacha20poly1305": ChaCha20Poly1305,
    "ascon128a": _Ascon128a,
    "asconaead128": _AsconAead128,
}


def aead(cipher: Cipher, key: bytes) -> Aead:
    """Return a suite's cipher under a key."""
    return _AEADS[cipher.token](key)
