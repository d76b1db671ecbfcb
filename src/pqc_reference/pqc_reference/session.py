# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One epoch's keys, and the frames they seal and open ("Data plane" of the protocol page)."""

from __future__ import annotations

import struct
from enum import IntEnum

from pqc_reference.aead import TAG_SIZE, InvalidTag, aead
from pqc_reference.key_schedule import SessionSecrets
from pqc_reference.replay_window import ReplayWindow, Verdict
from pqc_reference.suites import Suite

VERSION = 2
HEADER = struct.Struct(">B4s8sQB")  # version and type, suite[0:4], session, sequence, epoch
OVERHEAD = HEADER.size + TAG_SIZE
SESSION_FIELD = slice(5, 13)

ASK_REKEY_PACKETS = 1 << 23
MAX_PACKETS = 1 << 28
MAX_FAILURES = 1 << 36


class FrameType(IntEnum):
    """What a frame carries."""

    DATA = 0
    CONTROL = 1


FIRST_BYTES = {VERSION << 4 | kind: kind for kind in FrameType}


class Dropped(Exception):
    """A datagram that isn't accepted; says under which name that is counted."""

    def __init__(self, counter: str) -> None:
        """Remember the counter."""
        super().__init__(counter)
        self.counter = counter


def frame_name(datagram: bytes) -> bytes:
    """Return what tells which keys sealed a frame: suite, session and epoch."""
    return datagram[1:13] + datagram[21:22]


class Session:
    """The keys of one session and epoch, as one end has them."""

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
        self.skipped = 0  # packets missing before the one opened last; -1 if that came late
        self.window = ReplayWindow(replay_window)
        self._failures = 0
        self._header_suite = suite.wire_id[:4]
        drone_aead, gcs_aead = (
            aead(suite.cipher, secrets.drone_key),
            aead(suite.cipher, secrets.gcs_key),
        )
        drone_iv, gcs_iv = (
            int.from_bytes(iv, "big") ^ epoch << 64 for iv in (secrets.drone_iv, secrets.gcs_iv)
        )
        self._sealer, self._send_iv = (drone_aead, drone_iv) if drone else (gcs_aead, gcs_iv)
        self._opener, self._receive_iv = (gcs_aead, gcs_iv) if drone else (drone_aead, drone_iv)
        self._nonce_size = suite.cipher.nonce

    @property
    def used_up(self) -> bool:
        """Whether the key has sealed all it may."""
        return self.sent >= MAX_PACKETS

    @property
    def packets(self) -> int:
        """Packets in the busier direction."""
        return max(self.sent, self.window.highest + 1)

    def seal(self, kind: FrameType, text: bytes) -> bytes:
        """Return the frame for a text: header, ciphertext, tag."""
        if self.sent >= MAX_PACKETS:
            raise Dropped("no_session")
        sequence = self.sent
        self.sent += 1
        header = HEADER.pack(VERSION << 4 | kind, self._header_suite, self.id, sequence, self.epoch)
        nonce = (self._send_iv ^ sequence).to_bytes(self._nonce_size, "big")
        return header + self._sealer.encrypt(nonce, text, header)

    def open(self, datagram: bytes) -> bytes:
        """Return the text of a frame sealed by the other end; Dropped if it isn't acceptable."""
        header = datagram[: HEADER.size]
        sequence = int.from_bytes(header[13:21], "big")
        if sequence >= MAX_PACKETS or self._failures >= MAX_FAILURES:
            raise Dropped("decrypt_fail")
        verdict = self.window.check(sequence)
        if verdict is not Verdict.FRESH:
            raise Dropped(verdict.value)
        nonce = (self._receive_iv ^ sequence).to_bytes(self._nonce_size, "big")
        try:
            text = self._opener.decrypt(nonce, datagram[HEADER.size :], header)
        except InvalidTag:
            self._failures += 1
            raise Dropped("auth_fail") from None
        self.skipped = self.window.commit(sequence)
        return text
