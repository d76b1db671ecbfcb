# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The six messages of the handshake: bytes and values ("Handshake" of the protocol page)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from enum import IntEnum

from pqc_reference.suites import Suite

MAGIC = b"PQM2"
VERSION = 2
MAC_SIZE = 32
NO_X25519 = bytes(32)

_COMMON = struct.Struct(">4sBBH")  # magic, type, version, flags
_SIGNED_AHEAD = 1


class MessageType(IntEnum):
    """Their types."""

    CLIENT_HELLO = 1
    HELLO_RETRY = 2
    SERVER_HELLO = 3
    CLIENT_FINISH = 4
    SERVER_FINISH = 5
    REJECT = 6


class RejectReason(IntEnum):
    """Why the GCS refuses a drone that has proved the pre-shared key."""

    FAILED = 1
    POLICY_MISMATCH = 2
    SUITE_REFUSED = 3
    BUSY = 4
    SESSION_UNKNOWN = 5


class Malformed(Exception):
    """Bytes that are no message of this protocol."""


def _begin(kind: MessageType, flags: int = 0) -> bytes:
    return _COMMON.pack(MAGIC, kind, VERSION, flags)


def message_type(body: bytes) -> MessageType:
    """Return the type that a body claims."""
    if len(body) < _COMMON.size or not body.startswith(MAGIC):
        raise Malformed("it is no handshake message")
    try:
        return MessageType(body[len(MAGIC)])
    except ValueError as error:
        raise Malformed("it is of no known type") from error


def _check(body: bytes, kind: MessageType, allowed_flags: int = 0) -> int:
    """Check the common header; return the flags."""
    if message_type(body) is not kind:
        raise Malformed("it is of another type")
    _, _, version, flags = _COMMON.unpack_from(body)
    if version != VERSION or flags & ~allowed_flags:
        raise Malformed("it is of another version")
    return flags


class _Reader:
    """Takes one field after the other from a body."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.position = _COMMON.size

    def take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self._body):
            raise Malformed("it is cut short")
        field = self._body[self.position : end]
        self.position = end
        return field

    def take_long(self) -> bytes:
        return self.take(int.from_bytes(self.take(4), "big"))

    def finish(self) -> None:
        if self.position != len(self._body):
            raise Malformed("it is too long")


def _long(field: bytes) -> bytes:
    return len(field).to_bytes(4, "big") + field


# --- ClientHello ---

_HELLO = struct.Struct(">8s32s5sB8sBBB32s32s")
CLIENT_HELLO_SIZE = _COMMON.size + _HELLO.size + MAC_SIZE


@dataclass(frozen=True)
class ClientHello:
    """The drone asks for a new session, or for the next epoch of one."""

    drone_id: bytes
    client_random: bytes
    suite: bytes
    mode: int
    previous_session: bytes = bytes(8)
    previous_epoch: int = 0
    next_epoch: int = 0
    reason: int = 0  # informative; nothing depends on it
    policy_hash: bytes = bytes(32)
    challenge: bytes = bytes(32)

    @property
    def asks_for_new_session(self) -> bool:
        """Whether it names no session to rekey."""
        return self.previous_session == bytes(8) and self.next_epoch == 0

    def answering(self, challenge: bytes) -> ClientHello:
        """Return the same hello with the challenge of a HelloRetry."""
        return replace(self, challenge=challenge)

    def encode(self) -> bytes:
        """Return the body before its MAC."""
        return _begin(MessageType.CLIENT_HELLO) + _HELLO.pack(
            self.drone_id,
            self.client_random,
            self.suite,
            self.mode,
            self.previous_session,
            self.previous_epoch,
            self.next_epoch,
            self.reason,
            self.policy_hash,
            self.challenge,
        )

    @classmethod
    def decode(cls, body: bytes) -> ClientHello:
        """Read a body with its MAC, which stays unchecked."""
        _check(body, MessageType.CLIENT_HELLO)
        if len(body) != CLIENT_HELLO_SIZE:
            raise Malformed("it has the wrong size")
        return cls(*_HELLO.unpack_from(body, _COMMON.size))


# --- HelloRetry, ServerFinish, Reject ---

HELLO_RETRY_SIZE = _COMMON.size + 32 + MAC_SIZE
SERVER_FINISH_SIZE = _COMMON.size + MAC_SIZE
REJECT_SIZE = _COMMON.size + 1 + MAC_SIZE


def encode_hello_retry(challenge: bytes) -> bytes:
    """Return a HelloRetry before its MAC."""
    return _begin(MessageType.HELLO_RETRY) + challenge


def decode_hello_retry(body: bytes) -> bytes:
    """Return the challenge."""
    _check(body, MessageType.HELLO_RETRY)
    return body[_COMMON.size : -MAC_SIZE]


def encode_server_finish() -> bytes:
    """Return a ServerFinish before its MAC."""
    return _begin(MessageType.SERVER_FINISH)


def check_server_finish(body: bytes) -> None:
    """Refuse what is no ServerFinish."""
    _check(body, MessageType.SERVER_FINISH)


def encode_reject(reason: RejectReason) -> bytes:
    """Return a Reject before its MAC."""
    return _begin(MessageType.REJECT) + bytes([reason])


def decode_reject(body: bytes) -> RejectReason:
    """Return the reason."""
    _check(body, MessageType.REJECT)
    try:
        return RejectReason(body[_COMMON.size])
    except ValueError as error:
        raise Malformed("its reason is unknown") from error


# --- ServerHello ---


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

    def encode(self) -> bytes:
        """Return the body before its MAC."""
        return self._encode(self.public_key)

    def for_transcript(self, public_key_digest: bytes) -> bytes:
        """Return what MACs and hashes see: H(pk) in the place of pk, its length unchanged."""
        return self._encode(public_key_digest)

    def _encode(self, key_field: bytes) -> bytes:
        return b"".join(
            (
                _begin(MessageType.SERVER_HELLO, _SIGNED_AHEAD if self.signed_ahead else 0),
                self.server_random,
                bytes([self.mode]),
                self.key_id,
                self.x25519_key,
                len(self.public_key).to_bytes(4, "big"),
                key_field,
                _long(self.signature),
            )
        )

    @classmethod
    def decode(cls, body: bytes, suite: Suite) -> ServerHello:
        """Read a body with its MAC, which stays unchecked."""
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
        reader.take(MAC_SIZE)
        reader.finish()
        if len(hello.public_key) != suite.kem.public_key:
            raise Malformed("its key has the wrong size")
        if not suite.signature.fits(len(hello.signature)):
            raise Malformed("its signature has the wrong size")
        return hello


def server_hello_sizes(suite: Suite) -> range:
    """Return the sizes that a ServerHello of this suite can have."""
    fixed = _COMMON.size + 32 + 1 + 16 + 32 + 4 + suite.kem.public_key + 4 + MAC_SIZE
    return _signed_sizes(fixed, suite)


def _signed_sizes(fixed: int, suite: Suite) -> range:
    largest = suite.signature.signature
    return range(fixed + (1 if suite.signature.variable else largest), fixed + largest + 1)


# --- ClientFinish ---


@dataclass(frozen=True)
class ClientFinish:
    """The drone answers with a ciphertext; two MACs follow."""

    ciphertext: bytes
    x25519_key: bytes
    signature: bytes = b""

    def encode_signed_part(self) -> bytes:
        """Return the body up to and including the X25519 key: what the drone signs."""
        return _begin(MessageType.CLIENT_FINISH) + _long(self.ciphertext) + self.x25519_key

    def encode(self) -> bytes:
        """Return the body before its two MACs."""
        return self.encode_signed_part() + _long(self.signature)

    @classmethod
    def decode(cls, body: bytes, suite: Suite, *, drone_signs: bool) -> ClientFinish:
        """Read a body with its MACs, which stay unchecked."""
        _check(body, MessageType.CLIENT_FINISH)
        reader = _Reader(body)
        finish = cls(reader.take_long(), reader.take(32), reader.take_long())
        reader.take(2 * MAC_SIZE)
        reader.finish()
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
