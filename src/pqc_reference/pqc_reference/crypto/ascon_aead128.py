# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Ascon-AEAD128 of NIST SP 800-232: little-endian, unlike Ascon-128a (version 1.2)."""

from __future__ import annotations

import hmac

_MASK = (1 << 64) - 1
_IV = 0x00001000808C0001
_RATE = 16
_DOMAIN = 1 << 63
_CONSTANTS = (0xF0, 0xE1, 0xD2, 0xC3, 0xB4, 0xA5, 0x96, 0x87, 0x78, 0x69, 0x5A, 0x4B)

_State = list[int]


def _rotate(word: int, by: int) -> int:
    return (word >> by) | (word << (64 - by)) & _MASK


def _permute(state: _State, rounds: int) -> None:
    x0, x1, x2, x3, x4 = state
    for constant in _CONSTANTS[-rounds:]:
        x2 ^= constant
        x0 ^= x4
        x4 ^= x3
        x2 ^= x1
        t0 = x0 ^ (~x1 & x2)
        t1 = x1 ^ (~x2 & x3)
        t2 = x2 ^ (~x3 & x4)
        t3 = x3 ^ (~x4 & x0)
        t4 = x4 ^ (~x0 & x1)
        t1 ^= t0
        t0 ^= t4
        t3 ^= t2
        t2 ^= _MASK
        x0 = t0 ^ _rotate(t0, 19) ^ _rotate(t0, 28)
        x1 = t1 ^ _rotate(t1, 61) ^ _rotate(t1, 39)
        x2 = t2 ^ _rotate(t2, 1) ^ _rotate(t2, 6)
        x3 = t3 ^ _rotate(t3, 10) ^ _rotate(t3, 17)
        x4 = t4 ^ _rotate(t4, 7) ^ _rotate(t4, 41)
    state[:] = x0, x1, x2, x3, x4


def _words(block: bytes) -> tuple[int, int]:
    return int.from_bytes(block[:8], "little"), int.from_bytes(block[8:], "little")


def _blocks(data: bytes) -> list[bytes]:
    """Return the blocks of some data; the last is shorter than the others, maybe empty."""
    return [data[i : i + _RATE] for i in range(0, len(data) + 1, _RATE)]


def _absorb(state: _State, block: bytes) -> None:
    if len(block) < _RATE:
        block = block + b"\x01" + bytes(_RATE - 1 - len(block))
    first, second = _words(block)
    state[0] ^= first
    state[1] ^= second


def _start(key: tuple[int, int], nonce: bytes, associated_data: bytes) -> _State:
    state = [_IV, *key, *_words(nonce)]
    _permute(state, 12)
    state[3] ^= key[0]
    state[4] ^= key[1]
    for block in _blocks(associated_data) if associated_data else ():
        _absorb(state, block)
        _permute(state, 8)
    state[4] ^= _DOMAIN
    return state


def _crypt(state: _State, data: bytes, *, decrypting: bool) -> bytes:
    """Encrypt or decrypt: either way the plaintext goes into the state."""
    output = bytearray()
    for block in _blocks(data):
        stream = state[0] | state[1] << 64
        mixed = int.from_bytes(block, "little") ^ stream & (1 << 8 * len(block)) - 1
        result = mixed.to_bytes(len(block), "little")
        output += result
        _absorb(state, result if decrypting else block)
        if len(block) == _RATE:
            _permute(state, 8)
    return bytes(output)


def _tag(state: _State, key: tuple[int, int]) -> bytes:
    state[2] ^= key[0]
    state[3] ^= key[1]
    _permute(state, 12)
    return ((state[3] ^ key[0]) | (state[4] ^ key[1]) << 64).to_bytes(16, "little")


def encrypt(key: bytes, nonce: bytes, associated_data: bytes, plaintext: bytes) -> bytes:
    """Return ciphertext and tag; key and nonce have 16 bytes."""
    state = _start(_words(key), nonce, associated_data)
    return _crypt(state, plaintext, decrypting=False) + _tag(state, _words(key))


def decrypt(key: bytes, nonce: bytes, associated_data: bytes, sealed: bytes) -> bytes | None:
    """Return the plaintext, or None if the tag is wrong."""
    state = _start(_words(key), nonce, associated_data)
    plaintext = _crypt(state, sealed[:-16], decrypting=True)
    return plaintext if hmac.compare_digest(sealed[-16:], _tag(state, _words(key))) else None
