# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Ascon-AEAD128 as NIST SP 800-232 has it: little-endian, unlike Ascon-128a (version 1.2)."""

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
    return int.from_bytes(block[:8], "little"), int.from_bytes(block[8:16], "little")


def _bytes(first: int, second: int) -> bytes:
    return first.to_bytes(8, "little") + second.to_bytes(8, "little")


def _padded(last: bytes) -> bytes:
    return last + b"\x01" + bytes(_RATE - 1 - len(last))


def _start(key: tuple[int, int], nonce: bytes, associated_data: bytes) -> _State:
    state = [_IV, *key, *_words(nonce)]
    _permute(state, 12)
    state[3] ^= key[0]
    state[4] ^= key[1]
    if associated_data:
        whole = len(associated_data) - len(associated_data) % _RATE
        blocks = [associated_data[i : i + _RATE] for i in range(0, whole, _RATE)]
        for block in (*blocks, _padded(associated_data[whole:])):
            first, second = _words(block)
            state[0] ^= first
            state[1] ^= second
            _permute(state, 8)
    state[4] ^= _DOMAIN
    return state


def _tag(state: _State, key: tuple[int, int]) -> bytes:
    state[2] ^= key[0]
    state[3] ^= key[1]
    _permute(state, 12)
    return _bytes(state[3] ^ key[0], state[4] ^ key[1])


def encrypt(key: bytes, nonce: bytes, associated_data: bytes, text: bytes) -> bytes:
    """Return ciphertext and tag; key and nonce have 16 bytes."""
    key_words = _words(key)
    state = _start(key_words, nonce, associated_data)
    output = bytearray()
    whole = len(text) - len(text) % _RATE
    for i in range(0, whole, _RATE):
        first, second = _words(text[i : i + _RATE])
        state[0] ^= first
        state[1] ^= second
        output += _bytes(state[0], state[1])
        _permute(state, 8)
    last = text[whole:]
    first, second = _words(_padded(last))
    state[0] ^= first
    state[1] ^= second
    output += _bytes(state[0], state[1])[: len(last)]
    return bytes(output) + _tag(state, key_words)


def decrypt(key: bytes, nonce: bytes, associated_data: bytes, sealed: bytes) -> bytes | None:
    """Return the text, or None if the tag doesn't hold."""
    key_words = _words(key)
    state = _start(key_words, nonce, associated_data)
    ciphertext, tag = sealed[:-16], sealed[-16:]
    output = bytearray()
    whole = len(ciphertext) - len(ciphertext) % _RATE
    for i in range(0, whole, _RATE):
        first, second = _words(ciphertext[i : i + _RATE])
        output += _bytes(state[0] ^ first, state[1] ^ second)
        state[0], state[1] = first, second
        _permute(state, 8)
    last = ciphertext[whole:]
    text = bytes(a ^ b for a, b in zip(last, _bytes(state[0], state[1]), strict=False))
    first, second = _words(_padded(text))
    state[0] ^= first
    state[1] ^= second
    output += text
    return bytes(output) if hmac.compare_digest(tag, _tag(state, key_words)) else None
