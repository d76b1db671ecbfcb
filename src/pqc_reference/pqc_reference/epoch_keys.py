# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of one epoch, and the frames that they seal and open ("Data plane")."""

from __future__ import annotations

import struct
from enum import IntEnum

from pqc_reference.aead import TAG_SIZE, InvalidTag, aead
from pqc_reference.key_schedule import SessionSecrets
from pqc_reference.replay_window import ReplayWindow, Verdict
from pqc_reference.suites import Suite

VERSION = 2
LAST_EPOCH = 255
HEADER = struct.Struct(">B4s8sQB")  # version and type, suite[0:4], session, sequence, epoch
OVERHEAD = HEADER.size + TAG_SIZE
SESSION_FIELD = slice(5, 13)

ASK_REKEY_PACKETS = 1 << 23
MAX_PACKETS = 1 << 28
MAX_FAILURES = 1 << 36


class FrameType(IntEnum):
    """The content of a frame."""

    DATA = 0
    CONTROL = 1


_FIRST_BYTES = tuple(VERSION << 4 | kind for kind in FrameType)


class Dropped(Exception):
    """A datagram was not accepted; `counter` names the reason."""

    def __init__(self, counter: str) -> None:
        super().__init__(counter)
        self.counter = counter


def is_frame(datagram: bytes) -> bool:
    """Whether a datagram has the form of a frame."""
    return len(datagram) >= OVERHEAD and datagram[0] in _FIRST_BYTES


def frame_name(datagram: bytes) -> bytes:
    """Return suite, session and epoch of a frame, which name the keys that sealed it."""
    return datagram[1:13] + datagram[21:22]


class EpochKeys:
    """The keys of one session and epoch at one end."""

    def __init__(
        self,
        suite: Suite,
        session_id: bytes,
        epoch: int,
        secrets: SessionSecrets,
        *,
        drone: bool,
        replay_window: int,
    ) -> None:
        """Take the secrets of a handshake; `drone` tells which end this is."""
        self.suite = suite
        self.id = session_id
        self.epoch = epoch
        self.name = suite.wire_id[:4] + session_id + bytes([epoch])
        self.resumption = secrets.resumption
        self.transcript_tag = secrets.th3[:16]
        self.sent = 0
        self.skipped = 0  # packets missing before the latest one; -1 if that was late
        self.window = ReplayWindow(replay_window)
        self._failures = 0
        self._nonce_size = suite.cipher.nonce
        directions = [(secrets.drone_key, secrets.drone_iv), (secrets.gcs_key, secrets.gcs_iv)]
        (send_key, send_iv), (key, iv) = directions if drone else reversed(directions)
        self._sealer, self._opener = aead(suite.cipher, send_key), aead(suite.cipher, key)
        self._send_iv, self._receive_iv = (
            int.from_bytes(vector, "big") ^ epoch << 64 for vector in (send_iv, iv)
        )

    @property
    def used_up(self) -> bool:
        """Whether the key has sealed as many packets as it may."""
        return self.sent >= MAX_PACKETS

    @property
    def packets(self) -> int:
        """Packets in the busier direction."""
        return max(self.sent, self.window.highest + 1)

    def seal(self, kind: FrameType, plaintext: bytes) -> bytes:
        """Return a frame: header, ciphertext, tag; Dropped if the keys are used up."""
        if self.used_up:
            raise Dropped("no_session")
        sequence = self.sent
        self.sent += 1
        first_byte = VERSION << 4 | kind
        header = HEADER.pack(first_byte, self.name[:4], self.id, sequence, self.epoch)
        nonce = self._nonce(self._send_iv, sequence)
        return header + self._sealer.encrypt(nonce, plaintext, header)

    def open(self, datagram: bytes) -> bytes:
        """Return the plaintext of a frame of the other end; Dropped if it is not accepted."""
        header = datagram[: HEADER.size]
        sequence = int.from_bytes(header[13:21], "big")
        if sequence >= MAX_PACKETS or self._failures >= MAX_FAILURES:
            raise Dropped("decrypt_fail")
        verdict = self.window.check(sequence)
        if verdict is not Verdict.FRESH:
            raise Dropped(verdict.value)
        nonce = self._nonce(self._receive_iv, sequence)
        try:
            plaintext = self._opener.decrypt(nonce, datagram[HEADER.size :], header)
        except InvalidTag:
            self._failures += 1
            raise Dropped("auth_fail") from None
        self.skipped = self.window.commit(sequence)
        return plaintext

    def _nonce(self, iv: int, sequence: int) -> bytes:
        return (iv ^ sequence).to_bytes(self._nonce_size, "big")
