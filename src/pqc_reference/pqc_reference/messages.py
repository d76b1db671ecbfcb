# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The six messages of the handshake: bytes and values ("Handshake" of the protocol page).

Encoders return bodies without their MACs; decoders take bodies with their MACs, unchecked.
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from enum import IntEnum

from pqc_reference.suites import Suite

MAGIC = b"PQM2"
VERSION = 2
MAC_SIZE = 32
NO_X25519 = bytes(32)

_COMMON = struct.Struct(">4sBBH")  # magic, type, version, flags
_HELLO = struct.Struct(">8s32s5sB8sBBB32s32s")
_SIGNED_AHEAD = 1


class MessageType(IntEnum):
    """Types of handshake messages."""

    CLIENT_HELLO = 1
    HELLO_RETRY = 2
    SERVER_HELLO = 3
    CLIENT_FINISH = 4
    SERVER_FINISH = 5
    REJECT = 6


# Of the messages whose size does not depend on the suite
SIZES = {
    MessageType.CLIENT_HELLO: _COMMON.size + _HELLO.size + MAC_SIZE,
    MessageType.HELLO_RETRY: _COMMON.size + 32 + MAC_SIZE,
    MessageType.SERVER_FINISH: _COMMON.size + MAC_SIZE,
    MessageType.REJECT: _COMMON.size + 1 + MAC_SIZE,
}


class RejectReason(IntEnum):
    """The reasons for which the GCS rejects a drone that has proved the pre-shared key."""

    FAILED = 1
    POLICY_MISMATCH = 2
    SUITE_REFUSED = 3
    BUSY = 4
    SESSION_UNKNOWN = 5


class Malformed(Exception):
    """Bytes that are no message of this protocol."""


def message_type(body: bytes) -> MessageType:
    """Return the type of a body; Malformed if it has none."""
    if len(body) < _COMMON.size or not body.startswith(MAGIC):
        raise Malformed("it is no handshake message")
    try:
        return MessageType(body[len(MAGIC)])
    except ValueError as error:
        raise Malformed("it is of no known type") from error


def encode_short(kind: MessageType, content: bytes = b"") -> bytes:
    """Return a HelloRetry, ServerFinish or Reject."""
    return _begin(kind) + content


def decode_short(body: bytes, kind: MessageType) -> bytes:
    """Return the content of a HelloRetry, ServerFinish or Reject."""
    _check(body, kind)
    return body[_COMMON.size : -MAC_SIZE]


def decode_reject(body: bytes) -> RejectReason:
    """Return the reason of a Reject."""
    try:
        return RejectReason(decode_short(body, MessageType.REJECT)[0])
    except ValueError as error:
        raise Malformed("its reason is unknown") from error


@dataclass(frozen=True)
class ClientHello:
    """The drone asks for a new session, or for the next epoch of a session."""

    drone_id: bytes
    client_random: bytes
    suite: bytes
    mode: int
    previous_session: bytes = bytes(8)
    previous_epoch: int = 0
    next_epoch: int = 0
    reason: int = 0  # nothing depends on it
    policy_hash: bytes = bytes(32)
    challenge: bytes = bytes(32)

    @property
    def asks_for_new_session(self) -> bool:
        """Whether it names no session to rekey."""
        return self.previous_session == bytes(8) and self.next_epoch == 0

    def encode(self) -> bytes:
        """Return the body."""
        return _begin(MessageType.CLIENT_HELLO) + _HELLO.pack(*astuple(self))

    @classmethod
    def decode(cls, body: bytes) -> ClientHello:
        """Read a body."""
        _check(body, MessageType.CLIENT_HELLO)
        return cls(*_HELLO.unpack_from(body, _COMMON.size))


@dataclass(frozen=True)
class ServerHello:
    """The GCS offers an ephemeral key, signed."""

    server_random: bytes
    mode: int
    key_id: bytes
    x25519_key: bytes
    public_key: bytes
    signature: bytes
    signed_ahead: bool

    def encode(self, key_field: bytes | None = None) -> bytes:
        """Return the body; `key_field` replaces the public key, whose length stays."""
        public_key = self.public_key if key_field is None else key_field
        return b"".join(
            (
                _begin(MessageType.SERVER_HELLO, _SIGNED_AHEAD if self.signed_ahead else 0),
                self.server_random,
                bytes([self.mode]),
                self.key_id,
                self.x25519_key,
                len(self.public_key).to_bytes(4, "big") + public_key,
                _long(self.signature),
            )
        )

    @classmethod
    def decode(cls, body: bytes, suite: Suite) -> ServerHello:
        """Read a body."""
        flags = _check(body, MessageType.SERVER_HELLO, allowed_flags=_SIGNED_AHEAD)
        reader = _Reader(body)
        hello = cls(
            server_random=reader.take(32),
            mode=reader.take(1)[0],
            key_id=reader.take(16),
            x25519_key=reader.take(32),
            public_key=reader.take_long(),
            signature=reader.take_long(),
            signed_ahead=bool(flags & _SIGNED_AHEAD),
        )
        reader.finish(MAC_SIZE)
        if len(hello.public_key) != suite.kem.public_key:
            raise Malformed("its key has the wrong size")
        if not suite.signature.fits(len(hello.signature)):
            raise Malformed("its signature has the wrong size")
        return hello


def server_hello_sizes(suite: Suite) -> range:
    """Return the sizes that a ServerHello of this suite can have."""
    fixed = _COMMON.size + 32 + 1 + 16 + 32 + 4 + suite.kem.public_key + 4 + MAC_SIZE
    return _signed_sizes(fixed, suite)


@dataclass(frozen=True)
class ClientFinish:
    """The drone answers with a ciphertext; two MACs follow."""

    ciphertext: bytes
    x25519_key: bytes
    signature: bytes = b""

    def encode_signed_part(self) -> bytes:
        """Return the body up to and including the X25519 key, which the drone signs."""
        return _begin(MessageType.CLIENT_FINISH) + _long(self.ciphertext) + self.x25519_key

    def encode(self) -> bytes:
        """Return the body."""
        return self.encode_signed_part() + _long(self.signature)

    @classmethod
    def decode(cls, body: bytes, suite: Suite, *, drone_signs: bool) -> ClientFinish:
        """Read a body."""
        _check(body, MessageType.CLIENT_FINISH)
        reader = _Reader(body)
        finish = cls(reader.take_long(), reader.take(32), reader.take_long())
        reader.finish(2 * MAC_SIZE)
        if len(finish.ciphertext) != suite.kem.ciphertext:
            raise Malformed("its ciphertext has the wrong size")
        size = len(finish.signature)
        if not (suite.signature.fits(size) if drone_signs else size == 0):
            raise Malformed("its signature has the wrong size")
        return finish


def client_finish_sizes(suite: Suite, *, drone_signs: bool) -> range:
    """Return the sizes that a ClientFinish of this suite can have."""
    fixed = _COMMON.size + 4 + suite.kem.ciphertext + 32 + 4 + 2 * MAC_SIZE
    return _signed_sizes(fixed, suite) if drone_signs else range(fixed, fixed + 1)


def _signed_sizes(fixed: int, suite: Suite) -> range:
    largest = suite.signature.signature
    return range(fixed + (1 if suite.signature.variable else largest), fixed + largest + 1)


def _begin(kind: MessageType, flags: int = 0) -> bytes:
    return _COMMON.pack(MAGIC, kind, VERSION, flags)


def _check(body: bytes, kind: MessageType, allowed_flags: int = 0) -> int:
    """Check the common header, and the size if it is fixed; return the flags."""
    if message_type(body) is not kind:
        raise Malformed("it is of another type")
    if len(body) != SIZES.get(kind, len(body)):
        raise Malformed("it has the wrong size")
    _, _, version, flags = _COMMON.unpack_from(body)
    if version != VERSION or flags & ~allowed_flags:
        raise Malformed("it is of another version")
    return flags


def _long(field: bytes) -> bytes:
    return len(field).to_bytes(4, "big") + field


class _Reader:
    """Takes one field after the other from a body."""

    def __init__(self, body: bytes) -> None:
        self._rest = memoryview(body)[_COMMON.size :]

    def take(self, size: int) -> bytes:
        if size > len(self._rest):
            raise Malformed("it is cut short")
        field, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return field

    def take_long(self) -> bytes:
        return self.take(int.from_bytes(self.take(4), "big"))

    def finish(self, macs: int) -> None:
        if len(self._rest) != macs:
            raise Malformed("its size does not fit its fields")
