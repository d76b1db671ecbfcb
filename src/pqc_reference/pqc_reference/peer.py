# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Everything about one remote that both roles have in common: its keys, its packets, its clock."""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from pqc_reference import control, datagrams
from pqc_reference.config import Config
from pqc_reference.control import Control, ControlFrame
from pqc_reference.datagrams import Address, PlaintextPort
from pqc_reference.key_slots import KeySlots
from pqc_reference.link import Clock, LinkMeter, LinkView
from pqc_reference.session import (
    FIRST_BYTES,
    OVERHEAD,
    Dropped,
    FrameType,
    Session,
    frame_name,
)

_MIN_OVERLAP_S = 2.0

DROPS = (
    "replay",
    "auth_fail",
    "seq_old",
    "decrypt_fail",
    "malformed",
    "unknown",
    "no_session",
    "queue_full",
    "oversize",
)

# Called with a sentence and, where one is meant, the session.
Report = Callable[[str, Session | None], None]


class Role(Protocol):
    """What a drone or a ground station does about what its peer receives."""

    def handle_heard(self, peer: Peer) -> None:
        """Any authenticated packet came."""

    def handle_proved(self, peer: Peer) -> None:
        """The first packet under new keys came."""

    def handle_control(self, peer: Peer, frame: ControlFrame) -> bool:
        """Handle a control frame; False if it means nothing here."""


def is_frame(datagram: bytes) -> bool:
    """Tell whether a datagram has the form of a frame."""
    return len(datagram) >= OVERHEAD and datagram[0] in FIRST_BYTES


class Peer:
    """One remote. Belongs to the packet thread."""

    def __init__(
        self, name: str, config: Config, role: Role, link: socket.socket, report: Report
    ) -> None:
        """Begin without keys; `link` is the socket of the encrypted side."""
        self.name = name
        self.report = report
        self.plaintext = PlaintextPort(config.plaintexts[name])
        self.slots = KeySlots()
        self.address: Address | None = None
        self.meter = LinkMeter()
        self.clock = Clock()
        self.remote_view: LinkView | None = None
        self.last_heard = 0.0
        self.drops: Counter[str] = Counter()
        self.control_ignored = 0
        self.control_in = self.control_out = 0
        self.plain_in = self.plain_out = self.cipher_in = self.cipher_out = 0
        self._config = config
        self._role = role
        self._link = link
        self._last_sent = 0.0
        self._next_report: float | None = None

    # --- The packet path ---

    def handle_plaintext(self) -> None:
        """Seal and send what applications sent."""
        self.plaintext.handle_ready(self._seal)

    def _seal(self, datagram: bytes) -> None:
        self.plain_in += 1
        session = self.slots.sending
        if session is None or self.address is None:
            self.drops["no_session"] += 1
        elif len(datagram) > self._config.max_datagram:
            self.drops["oversize"] += 1
        else:
            try:
                self._send(session.seal(FrameType.DATA, datagram))
            except Dropped as dropped:
                self.drops[dropped.counter] += 1

    def handle_frame(self, datagram: bytes, sender: Address) -> None:
        """Open what came from the link, and deliver it or act on it."""
        session, text = self._open(datagram)
        if session is None:
            return
        now = time.monotonic()
        self.cipher_in += 1
        self.last_heard = now
        self.meter.note(len(datagram), session.skipped, now)
        self._role.handle_heard(self)
        if self.slots.note_received(session):
            overlap = max(_MIN_OVERLAP_S, 3 * (self.clock.rtt_s or 0.0))
            self.slots.retire_older(now + overlap)
            self.start_listening()
            self._role.handle_proved(self)
        # The address follows the newest authenticated packet under the newest keys.
        if session is self.slots.sending and session.skipped >= 0 and sender != self.address:
            moved, self.address = self.address is not None, sender
            if moved:
                self.report(f"{self.name or 'the ground station'} is heard elsewhere", session)
        if datagram[0] & 0x0F == FrameType.DATA:
            self.plain_out += 1
            self.plaintext.deliver(text)
        else:
            self._handle_control(text)

    def _open(self, datagram: bytes) -> tuple[Session | None, bytes]:
        counter = "unknown"
        for session in self.slots.find(frame_name(datagram)):
            try:
                return session, session.open(datagram)
            except Dropped as dropped:
                counter = dropped.counter
        self.drops[counter] += 1
        if counter == "replay":
            self.meter.duplicates += 1
        return None, b""

    def _send(self, frame: bytes) -> None:
        assert self.address is not None
        self._last_sent = time.monotonic()
        self.cipher_out += 1
        if not datagrams.send(self._link, frame, self.address):
            self.drops["queue_full"] += 1

    # --- Control frames ---

    def send_control(self, kind: Control, transaction: int, *fields: Any) -> None:
        """Send a control frame, if there are keys to send it under."""
        session = self.slots.sending
        if session is None or session.used_up or self.address is None:
            return
        self.control_out += 1
        self._send(session.seal(FrameType.CONTROL, control.encode(kind, transaction, *fields)))

    def _handle_control(self, text: bytes) -> None:
        self.control_in += 1
        frame = control.decode(text)
        if frame is None or not (self._handle_own(frame) or self._role.handle_control(self, frame)):
            self.control_ignored += 1

    def _handle_own(self, frame: ControlFrame) -> bool:
        """Handle what both roles handle alike."""
        now = time.monotonic_ns()
        if frame.kind is Control.TIME_REQ:
            self.send_control(Control.TIME_RSP, frame.transaction, frame.fields[0], now, now)
        elif frame.kind is Control.TIME_RSP:
            self.clock.note(*frame.fields, now)
        elif frame.kind is Control.LINK_REPORT:
            self.remote_view = LinkView(*frame.fields)
        elif frame.kind is not Control.KEEPALIVE:
            return False
        return True

    # --- Time ---

    def start_listening(self) -> None:
        """Expect packets, and report on them, from now on."""
        now = time.monotonic()
        self.last_heard = now
        if self._next_report is None:
            self._next_report = now

    def handle_timeout(self, now: float) -> float:
        """Send reports and keep-alives that are due; return when it is needed next."""
        self.slots.handle_timeout(now)
        if self.slots.sending is None:
            return float("inf")
        if self._next_report is not None and now >= self._next_report:
            self._next_report = now + self._config.report_interval_s
            self.send_control(Control.TIME_REQ, 0, time.monotonic_ns())
            self.send_control(Control.LINK_REPORT, 0, *self.meter.report(now))
        keepalive = self._last_sent + self._config.keepalive_interval_s
        if now >= keepalive:
            self.send_control(Control.KEEPALIVE, 0)
            keepalive = now + self._config.keepalive_interval_s
        return min(keepalive, self._next_report or float("inf"))
