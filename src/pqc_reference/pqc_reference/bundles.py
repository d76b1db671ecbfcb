# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the datagrams out of a bundle (docs/protocol.md, Bundles)."""

from __future__ import annotations

from collections.abc import Iterator

MAX_BUNDLED = 128  # datagrams
_SENDER, _SEQUENCE, _LONG_ID, _SIGNED, _SIGNER = 0x40, 0x20, 0x10, 0x08, 0x04
_CHECKSUM, _LINK, _LOW_TIME, _HIGH_TIME, _HASH = 2, 1, 2, 4, 6


class BadBundle(ValueError):
    """An entry is malformed; what comes before it holds."""


def unpack(bundle: bytes) -> Iterator[bytes]:
    """Yield the datagrams, at most 128; raise BadBundle at a malformed entry."""
    rest, before = bytearray(bundle), None

    def take(size: int) -> bytes:
        if size > len(rest):
            raise BadBundle
        taken = bytes(rest[:size])
        del rest[:size]
        return taken

    for _ in range(MAX_BUNDLED):
        if not rest:
            return
        form = take(1)[0]
        if form < 0x80:
            size = form << 8 | take(1)[0]
            if size == 0:
                raise BadBundle
            yield take(size)
            continue
        if form & 0x03 or form & (_SIGNED | _SIGNER) == _SIGNER:
            raise BadBundle
        if before is None and form & (_SENDER | _SEQUENCE) != _SENDER | _SEQUENCE:
            raise BadBundle
        length = take(1)
        sequence = take(1)[0] if form & _SEQUENCE else (before[0] + 1) % 256  # type: ignore[index]
        sender = take(2) if form & _SENDER else before[1]  # type: ignore[index]
        message = take(3 if form & _LONG_ID else 1).ljust(3, b"\0")
        body, signer = take(length[0] + _CHECKSUM), None
        if form & _SIGNED:
            link = take(_LINK) if form & _SIGNER else b""
            low = take(_LOW_TIME)
            signer = (link, take(_HIGH_TIME)) if form & _SIGNER else before and before[2]
            if signer is None:
                raise BadBundle
            body += signer[0] + low + signer[1] + take(_HASH)
        flags = b"\1\0" if form & _SIGNED else b"\0\0"
        before = (sequence, sender, signer)
        yield b"".join((b"\xfd", length, flags, bytes([sequence]), sender, message, body))
