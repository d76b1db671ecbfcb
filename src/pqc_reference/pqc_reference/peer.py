# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One remote end, for both roles: its keys, its packets, its clock."""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pqc_reference import control, datagrams
from pqc_reference.config import Config
from pqc_reference.control import Control, ControlFrame
from pqc_reference.datagrams import Address, PlaintextPort
from pqc_reference.epoch_keys import Dropped, EpochKeys, FrameType, frame_name
from pqc_reference.key_slots import KeySlots
from pqc_reference.link import Clock, LinkMeter, LinkView

if TYPE_CHECKING:
    from pqc_reference.role import Role

_MIN_OVERLAP_S = 2.0

# Called with a sentence, and with the keys that it is about if there are any.
Report = Callable[[str, EpochKeys | None], None]


class Peer:
    """One remote end."""

    def __init__(
        self, name: str, config: Config, role: Role, link: socket.socket, report: Report
    ) -> None:
        """Bind the plaintext port; `link` is the socket of the encrypted side."""
        self.name = name
        self.report = report
        self.plaintext = PlaintextPort(config.plaintexts[name])
        self.slots = KeySlots()
        self.address: Address | None = None
        self.meter = LinkMeter()
        self.clock = Clock()
        self.remote_view: LinkView | None = None
        self.last_received = 0.0
        self.packets: Counter[str] = Counter()  # plain_in, cipher_out, control_ignored …
        self.drops: Counter[str] = Counter()  # by reason
        self._config = config
        self._role = role
        self._link = link
        self._last_sent = 0.0
        self._next_report = float("inf")

    # --- The packet path ---

    def handle_plaintext(self) -> None:
        """Seal and send the datagrams of applications."""
        self.plaintext.handle_ready(self._seal)

    def _seal(self, datagram: bytes) -> None:
        self.packets["plain_in"] += 1
        keys = self.slots.sending
        if keys is None or self.address is None:
            self.drops["no_session"] += 1
        elif len(datagram) > self._config.max_datagram:
            self.drops["oversize"] += 1
        else:
            try:
                self._send(keys.seal(FrameType.DATA, datagram))
            except Dropped as dropped:
                self.drops[dropped.counter] += 1

    def handle_frame(self, datagram: bytes, sender: Address) -> None:
        """Open a frame from the link, and deliver it or act on it."""
        keys, plaintext = self._open(datagram)
        if keys is None:
            return
        now = time.monotonic()
        self.packets["cipher_in"] += 1
        self.last_received = now
        self.meter.note(len(datagram), keys.skipped, now)
        self._role.handle_authenticated(self)
        if self.slots.note_received(keys):
            overlap = max(_MIN_OVERLAP_S, 3 * (self.clock.rtt_s or 0.0))
            self.slots.retire_older(now + overlap)
            self.start_listening()
            self._role.handle_proved(self)
        # The address follows the newest authenticated packet under the newest keys.
        if keys is self.slots.sending and keys.skipped >= 0 and sender != self.address:
            moved, self.address = self.address is not None, sender
            if moved:
                self.report(f"{self.name or 'the ground station'} has another address now", keys)
        if datagram[0] & 0x0F == FrameType.DATA:
            self.packets["plain_out"] += 1
            self.plaintext.deliver(plaintext)
        else:
            self._handle_control(plaintext)

    def _open(self, datagram: bytes) -> tuple[EpochKeys | None, bytes]:
        counter = "unknown"
        for keys in self.slots.find(frame_name(datagram)):
            try:
                return keys, keys.open(datagram)
            except Dropped as dropped:
                counter = dropped.counter
        self.drops[counter] += 1
        self.meter.duplicates += counter == "replay"
        return None, b""

    def _send(self, frame: bytes) -> None:
        assert self.address is not None
        self._last_sent = time.monotonic()
        self.packets["cipher_out"] += 1
        if not datagrams.send(self._link, frame, self.address):
            self.drops["queue_full"] += 1

    # --- Control frames ---

    def send_control(self, kind: Control, transaction: int, *fields: Any) -> None:
        """Send a control frame, if there are keys to send it under."""
        keys = self.slots.sending
        if keys is None or keys.used_up or self.address is None:
            return
        self.packets["control_out"] += 1
        self._send(keys.seal(FrameType.CONTROL, control.encode(kind, transaction, *fields)))

    def _handle_control(self, plaintext: bytes) -> None:
        self.packets["control_in"] += 1
        frame = control.decode(plaintext)
        if frame is None or not (self._handle_own(frame) or self._role.handle_control(self, frame)):
            self.packets["control_ignored"] += 1

    def _handle_own(self, frame: ControlFrame) -> bool:
        """Handle the frames that mean the same to both roles."""
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
        self.last_received = now
        self._next_report = min(self._next_report, now)

    def handle_tick(self, now: float) -> None:
        """Send reports and keep-alives that are due."""
        self.slots.handle_tick(now)
        if now >= self._next_report:
            self._next_report = now + self._config.report_interval_s
            self.send_control(Control.TIME_REQ, 0, time.monotonic_ns())
            self.send_control(Control.LINK_REPORT, 0, *self.meter.report(now))
        if now >= self._last_sent + self._config.keepalive_interval_s:
            self.send_control(Control.KEEPALIVE, 0)
