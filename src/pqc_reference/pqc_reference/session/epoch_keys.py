# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of one epoch, and the frames that they seal and open ("Frames")."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from pqc_reference.crypto.aead import TAG_SIZE, InvalidTag
from pqc_reference.crypto.key_schedule import Traffic
from pqc_reference.crypto.suites import Suite
from pqc_reference.session.layers import Layers
from pqc_reference.session.peer_clock import PERIOD_S, PeerClock, send_time
from pqc_reference.session.replay_window import ReplayWindow, Verdict
from pqc_reference.wire.streams import Streams

LAST_EPOCH = 255
HEADER_SIZE = 6
TRAILER_SIZE = 3  # the time and the kind, before the tag
OVERHEAD = HEADER_SIZE + TRAILER_SIZE + TAG_SIZE

ASK_REKEY_FRAMES = 1 << 23
MAX_FRAMES = 1 << 28
MAX_FAILURES = 1 << 36

_SEALED = 0b01
_ID_BITS = 22
_CYCLE = 1 << 24  # the low bits of the sequence travel
_LONGEST_QUESTION_S = PERIOD_S / 16


class Kind(IntEnum):
    """The content of a frame."""

    DATA = 0
    CONTROL = 1
    BUNDLE = 2
    STREAM = 3
    FRAGMENT = 4
    CONTROL_FRAGMENT = 5


class Dropped(Exception):
    """A datagram was not accepted; `counter` names the reason."""

    def __init__(self, counter: str) -> None:
        super().__init__(counter)
        self.counter = counter


def is_sealed(datagram: bytes) -> bool:
    return len(datagram) >= OVERHEAD and datagram[0] >> 6 == _SEALED


def key_id_of(frame: bytes) -> int:
    return int.from_bytes(frame[:3], "big") & ((1 << _ID_BITS) - 1)


def nearest(low: int, highest: int) -> int:
    """Return the sequence with these low bits that is nearest to the highest received."""
    base = max(highest, 0)
    ahead = (low - base) % _CYCLE
    sequence = base + ahead - (_CYCLE if ahead > _CYCLE // 2 else 0)
    return sequence if sequence >= 0 else sequence + _CYCLE


@dataclass
class Session:
    """The common state of the epochs of one session; boot keys have one to themselves."""

    streams: Streams
    id: bytes = bytes(8)
    origin: bytes = field(default=b"", repr=False)  # th3 of its epoch 0
    clock: PeerClock = field(default_factory=PeerClock)  # boot keys share that of their session


class EpochKeys:
    """The keys of one session and epoch at one end."""

    def __init__(
        self,
        suite: Suite,
        session: Session,
        epoch: int,
        traffic: Traffic,
        *,
        drone: bool,
        window: ReplayWindow,
        installed: float,
        max_age_s: float,
        resumption: bytes = b"",
        layers: Layers | None = None,
    ) -> None:
        """Take the keys of a handshake; `drone` tells which end this is."""
        self.suite = suite
        self.session = session
        self.epoch = epoch
        self.resumption = resumption
        self.layers = layers or {}  # that these keys depend on
        self.installed = installed  # s, by the clock of this end
        self.sent = 0
        self.sequence = 0  # number of the latest opened frame
        self.skipped = 0  # frames missing before the latest one; -1 if that was late
        self.sealed_at = 0  # the time in the latest frame
        self.stale = False  # nothing proves that the latest frame is young
        self._max_age_s = max_age_s
        # (number, moment): the other end sealed all frames from the number on after the moment.
        self._proven = self._next_proven = (0, installed)
        self.window = window
        self._failures = 0
        self._nonce_size = suite.cipher.nonce
        directions = [
            (traffic.d2g_key, traffic.d2g_iv, traffic.d2g_id),
            (traffic.g2d_key, traffic.g2d_iv, traffic.g2d_id),
        ]
        sending, receiving = directions if drone else reversed(directions)
        self._sealer, self._opener = (suite.cipher.under(d[0]) for d in (sending, receiving))
        self._send_iv, self._receive_iv = (
            int.from_bytes(d[1], "big") ^ epoch << 64 for d in (sending, receiving)
        )
        self._send_id, self.receive_id = sending[2], receiving[2]

    @property
    def used_up(self) -> bool:
        """Return whether the key has sealed as many frames as it may."""
        return self.sent >= MAX_FRAMES

    @property
    def frames(self) -> int:
        return max(self.sent, self.window.highest + 1)

    def seal(self, kind: Kind, payload: bytes, now: float) -> bytes:
        """Return a frame: header, ciphertext, tag; Dropped if the keys are used up."""
        if self.used_up:
            raise Dropped("no_session")
        sequence = self.sent
        self.sent += 1
        name = _SEALED << _ID_BITS | self._send_id
        header = name.to_bytes(3, "big") + (sequence % _CYCLE).to_bytes(3, "big")
        nonce = self._nonce(self._send_iv, sequence)
        trailer = send_time(now).to_bytes(2, "big") + bytes([kind])
        return header + self._sealer.encrypt(nonce, payload + trailer, header)

    def open(self, frame: bytes, now: float) -> tuple[int, bytes]:
        """Return kind and payload of a frame of the other end; Dropped if it is not accepted."""
        header = frame[:HEADER_SIZE]
        sequence = nearest(int.from_bytes(header[3:], "big"), self.window.highest)
        if sequence >= MAX_FRAMES or self._failures >= MAX_FAILURES:
            raise Dropped("decrypt_fail")
        verdict = self.window.check(sequence, now)
        if verdict is not Verdict.FRESH:
            raise Dropped(verdict.value)
        nonce = self._nonce(self._receive_iv, sequence)
        try:
            plaintext = self._opener.decrypt(nonce, frame[HEADER_SIZE:], header)
        except InvalidTag:
            self._failures += 1
            raise Dropped("auth_fail") from None
        self.sequence = sequence
        self.skipped = self.window.commit(sequence, now)
        self.sealed_at = int.from_bytes(plaintext[-3:-1], "big")
        clock = self.session.clock
        if not clock.answered and now < self.installed + _LONGEST_QUESTION_S:
            clock.note_sealed(self.sealed_at, self.installed, now)
        first, after = self._proven
        proven = sequence >= first and now < after + PERIOD_S / 2
        self.stale = not (proven and clock.is_young(self.sealed_at, self._max_age_s, now))
        return plaintext[-1], plaintext[:-TRAILER_SIZE]

    def note_answer(self, asked: float, now: float) -> None:
        """Take the latest frame as an answer to a question that this end asked at a time."""
        if not asked <= now < asked + _LONGEST_QUESTION_S:
            return
        self.session.clock.note_answer(self.sealed_at, asked, now)
        _, after = self._next_proven
        if asked >= after + PERIOD_S / 8:
            newest = (self.sequence, asked)
            self._proven = self._next_proven if asked < after + PERIOD_S / 4 else newest
            self._next_proven = newest

    def _nonce(self, iv: int, sequence: int) -> bytes:
        return (iv ^ sequence).to_bytes(self._nonce_size, "big")
