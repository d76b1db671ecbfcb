# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Hello frames, and the messages in streams: bytes and values ("Frames", "Messages in streams").

Encoders leave out the MACs at the end; decoders take them with the message, unchecked.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from pqc_reference.crypto.key_schedule import MAC_SIZE, digest
from pqc_reference.crypto.policy import DRONE_SIGNATURE, HYBRID_X25519
from pqc_reference.crypto.suites import Suite

VERSION = 4
X25519_SIZE = 32
NO_CHALLENGE = bytes(32)
NO_FORMER = bytes(8)
ANCHOR_BIT = 4  # of the mode in a ClientHello
FORMER_BIT = 8  # of the mode in a Prekey, and not signed
LONGEST_ANCHOR = 4 + 208

_HELLO = struct.Struct(">8s32s5sB32s8s32s")


class HelloType(IntEnum):
    """The first bytes of hello frames."""

    CLIENT_HELLO = 0x81
    HELLO_RETRY = 0x82
    REJECT = 0x83


HELLO_SIZES = {
    HelloType.CLIENT_HELLO: 2 + _HELLO.size + MAC_SIZE,
    HelloType.HELLO_RETRY: 2 + 32 + MAC_SIZE,
    HelloType.REJECT: 2 + 1 + MAC_SIZE,
}


class RejectReason(IntEnum):
    """The reasons for which the GCS rejects a drone that has proved the pre-shared key."""

    FAILED = 1
    POLICY_MISMATCH = 2
    SUITE_REFUSED = 3
    BUSY = 4


class MessageType(IntEnum):
    """The first bytes of messages in streams."""

    PREKEY = 1
    FINISH = 2
    REKEY = 3


class Malformed(Exception):
    """Bytes that are no message of this protocol."""


# --- Hello frames ---


def hello_type(frame: bytes) -> HelloType:
    """Return the type of a hello frame; Malformed if it is none, or its size is another's."""
    try:
        kind = HelloType(frame[0])
    except (ValueError, IndexError) as error:
        raise Malformed("it is of no known type") from error
    if len(frame) != HELLO_SIZES[kind] or frame[1] != VERSION:
        raise Malformed("its size or version is another")
    return kind


def encode_hello(kind: HelloType, content: bytes) -> bytes:
    return bytes([kind, VERSION]) + content


def hello_content(frame: bytes) -> bytes:
    """Return the challenge of a HelloRetry, or the reason of a Reject."""
    return frame[2:-MAC_SIZE]


@dataclass(frozen=True)
class ClientHello:
    """The drone asks for a new session."""

    drone_id: bytes
    client_random: bytes
    suite: bytes
    mode: int
    policy_hash: bytes
    former: bytes = NO_FORMER  # the name of the rms that the drone still has
    challenge: bytes = NO_CHALLENGE

    def encode(self) -> bytes:
        fields = (self.drone_id, self.client_random, self.suite, self.mode)
        content = _HELLO.pack(*fields, self.policy_hash, self.former, self.challenge)
        return encode_hello(HelloType.CLIENT_HELLO, content)

    @classmethod
    def decode(cls, frame: bytes) -> ClientHello:
        return cls(*_HELLO.unpack_from(frame, 2))


# --- Messages in streams ---


@dataclass(frozen=True)
class Prekey:
    """An ephemeral key of the GCS, signed, for one handshake."""

    key_id: bytes
    pair: bytes  # suite[0:4]
    mode: int
    x25519_key: bytes  # empty without hybrid mode
    public_key: bytes
    signature: bytes
    former: int = 0  # FORMER_BIT: the rms that the hello names is mixed in

    def encode(self) -> bytes:
        return self._encode(self.public_key)

    @property
    def transcript(self) -> bytes:
        """The message with H(pk) in place of pk."""
        return self._encode(digest(self.public_key))

    def _encode(self, public_key: bytes) -> bytes:
        names = bytes([MessageType.PREKEY]) + self.key_id + self.pair
        return (
            names + bytes([self.mode | self.former]) + self.x25519_key + public_key + self.signature
        )

    @classmethod
    def decode(cls, message: bytes, suite: Suite, mode: int) -> Prekey:
        reader = _Reader(message, MessageType.PREKEY)
        prekey = cls(
            key_id=reader.take(16),
            pair=reader.take(4),
            mode=(mode_bits := reader.take(1)[0]) & ~FORMER_BIT,
            former=mode_bits & FORMER_BIT,
            x25519_key=reader.take(_x25519_size(mode)),
            public_key=reader.take(suite.kem.public_key),
            signature=reader.take_rest(),
        )
        if (prekey.pair, prekey.mode) != (suite.pair, mode):
            raise Malformed("it is for another suite or mode")
        if not suite.signature.fits(len(prekey.signature)):
            raise Malformed("its signature has the wrong size")
        return prekey


def pair_of_prekey(message: bytes) -> bytes:
    """Return suite[0:4] of a Prekey."""
    reader = _Reader(message, MessageType.PREKEY)
    reader.take(16)
    return reader.take(4)


@dataclass(frozen=True)
class Finish:
    """The drone answers a Prekey with a ciphertext, from `ct` on; two MACs follow."""

    ciphertext: bytes
    x25519_key: bytes  # empty without hybrid mode
    signature: bytes | None = None  # None if the drone does not sign
    anchor: bytes = b""  # the name of a key of the anchor, and a ciphertext for it

    @property
    def signed_part(self) -> bytes:
        return self.anchor + self.ciphertext + self.x25519_key

    def encode(self) -> bytes:
        """Return the bytes before the MACs."""
        if self.signature is None:
            return self.signed_part
        return self.signed_part + len(self.signature).to_bytes(2, "big") + self.signature

    @classmethod
    def decode(
        cls, content: bytes, suite: Suite, mode: int, anchor_size: int = 0
    ) -> tuple[Finish, bytes]:
        """Read the bytes after the type; return them without the MACs, and the MACs."""
        reader = _Reader(content)
        anchor = reader.take(anchor_size)
        ciphertext = reader.take(suite.kem.ciphertext)
        x25519_key = reader.take(_x25519_size(mode))
        signature = None
        if mode & DRONE_SIGNATURE:
            signature = reader.take(int.from_bytes(reader.take(2), "big"))
            if not suite.signature.fits(len(signature)):
                raise Malformed("its signature has the wrong size")
        macs = reader.take_rest()
        if len(macs) != 2 * MAC_SIZE:
            raise Malformed("its size is not that of its suite")
        return cls(ciphertext, x25519_key, signature, anchor), macs


_REKEY = struct.Struct(">B32s16s5sB8sB")


@dataclass(frozen=True)
class Rekey:
    """The drone asks for the next epoch of a session; a Finish follows in the same message."""

    client_random: bytes
    key_id: bytes
    suite: bytes
    mode: int
    session_id: bytes
    next_epoch: int

    def encode(self) -> bytes:
        """Return the bytes before the Finish, which are the opening of the transcript."""
        names = (self.client_random, self.key_id, self.suite, self.mode)
        return _REKEY.pack(MessageType.REKEY, *names, self.session_id, self.next_epoch)

    @classmethod
    def decode(cls, message: bytes) -> tuple[Rekey, bytes]:
        """Read a message; return the rest of it, too."""
        if len(message) < _REKEY.size:
            raise Malformed("it is cut short")
        return cls(*_REKEY.unpack_from(message)[1:]), message[_REKEY.size :]


def largest_prekey(suite: Suite, mode: int) -> int:
    """Return the size that a Prekey can have, in bytes."""
    names = 1 + 16 + 4 + 1 + _x25519_size(mode)
    return names + suite.kem.public_key + suite.signature.signature


def largest_rekey(suite: Suite, mode: int) -> int:
    """Return the size that a Finish with or without a Rekey can have, in bytes."""
    signature = 2 + suite.signature.signature if mode & DRONE_SIGNATURE else 0
    return (
        _REKEY.size
        + LONGEST_ANCHOR
        + suite.kem.ciphertext
        + _x25519_size(mode)
        + signature
        + 2 * MAC_SIZE
    )


def _x25519_size(mode: int) -> int:
    return X25519_SIZE if mode & HYBRID_X25519 else 0


class _Reader:
    """Takes one field after the other."""

    def __init__(self, message: bytes, kind: MessageType | None = None) -> None:
        self._rest = memoryview(message)
        if kind is not None and self.take(1) != bytes([kind]):
            raise Malformed("it is of another type")

    def take(self, size: int) -> bytes:
        if size > len(self._rest):
            raise Malformed("it is cut short")
        field, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return field

    def take_rest(self) -> bytes:
        return self.take(len(self._rest))
