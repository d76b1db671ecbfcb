# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ground program without I/O, on pymavlink's parser: bytes in, datagrams out, times in ns."""

from __future__ import annotations

from random import Random

from pqc_sim.datagrams.counting import SequenceCount
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.radio.dialogue import MS, VEHICLE, Dialogue, Sent

_SYSTEM = 255
_SECOND_NS = 1000 * MS
# Ground programs count no messages of a radio (mavfile.post_message).
_RADIO = (ord("3"), ord("D"))
_SPEED_M_S = 10.0
# MAVLink's time stamps are tens of microseconds since 2015.
_EPOCH_2015_NS = 1_420_070_400 * 1_000_000_000
_STAMP_NS = 10_000


class GroundProgram:
    """Sends heartbeats and commands, carries on a dialogue, and counts what arrives."""

    def __init__(self, now_ns: int, seed: int) -> None:
        self._codec = mavlink.MAVLink(None, _SYSTEM, mavlink.MAV_COMP_ID_MISSIONPLANNER)
        self._codec.robust_parsing = True
        self._random = Random(seed)
        self._key = self._random.randbytes(32)
        self.dialogue: Dialogue | None = None
        self.command_hz = 0
        # In step with the vehicle's telemetry, most commands would meet it, or none for minutes.
        self.even = True  # else each command has a random moment of its interval
        self.counting = True
        self.received = 0
        self._counts: dict[tuple[int, int], SequenceCount] = {}
        self.lost = 0
        self.commands_ns: dict[int, int] = {}  # by number, when each was sent
        self.answered = 0
        self._heartbeat_ns = self._command_ns = now_ns
        self._scattered_ns = 0
        self._setup_ns: int | None = None

    @property
    def signing(self) -> mavlink.MAVLinkSigning:
        return self._codec.signing

    def count(self, yes: bool) -> None:
        self.counting = yes
        self._counts.clear()

    def sign(self, now_ns: int, wall_ns: int) -> None:
        """Have the vehicle sign from now on, and sign oneself."""
        stamp = (wall_ns - _EPOCH_2015_NS) // _STAMP_NS
        self.signing.secret_key = self._key
        self.signing.timestamp = stamp
        self.signing.sign_outgoing = True
        self.signing.allow_unsigned_callback = lambda *_: self._setup_ns is not None
        self._setup_ns = now_ns

    def begin(self, dialogue: Dialogue, now_ns: int) -> list[bytes]:
        self.dialogue = dialogue
        return self._packed(dialogue.begin(now_ns))

    def handle(self, octets: bytes, now_ns: int) -> list[bytes]:
        """Take bytes that have arrived; return the datagrams to send."""
        datagrams = []
        for message in self._codec.parse_buffer(octets) or []:
            if message.get_type() == "BAD_DATA":
                continue
            self._note(message)
            if self._setup_ns is not None and message.get_signed():
                self._setup_ns = None
            if self.dialogue is not None:
                datagrams += self._packed(self.dialogue.handle(message, now_ns))
        return datagrams

    def due(self, now_ns: int) -> list[bytes]:
        sent: Sent = []
        if now_ns >= self._heartbeat_ns:
            self._heartbeat_ns += _SECOND_NS
            sent.append([mavlink.MAVLink_heartbeat_message(mavlink.MAV_TYPE_GCS, 8, 0, 0, 0, 3)])
        if self.command_hz and now_ns >= self._command_ns + self._scattered_ns:
            interval_ns = _SECOND_NS // self.command_hz
            self._command_ns = max(self._command_ns, now_ns - _SECOND_NS)
            self._command_ns += interval_ns
            self._scattered_ns = 0 if self.even else self._random.randrange(interval_ns)
            sent.append([self._command(now_ns)])
        if self._setup_ns is not None and now_ns >= self._setup_ns:
            self._setup_ns += _SECOND_NS
            sent.append([self._setup()])
        if self.dialogue is not None:
            sent += self.dialogue.due(now_ns)
        return self._packed(sent)

    def _note(self, message: mavlink.MAVLink_message) -> None:
        if message.get_type() == "COMMAND_ACK":
            self.answered += 1
        source = (message.get_srcSystem(), message.get_srcComponent())
        if not self.counting or source == _RADIO:
            return
        count = self._counts.setdefault(source, SequenceCount())
        before = count.lost
        count.note(message.get_seq())
        self.received += 1
        self.lost += count.lost - before

    def _command(self, now_ns: int) -> mavlink.MAVLink_message:
        number = len(self.commands_ns)
        self.commands_ns[number] = now_ns
        return mavlink.MAVLink_command_long_message(
            *VEHICLE, mavlink.MAV_CMD_DO_CHANGE_SPEED, 0, 1.0, _SPEED_M_S, -1.0, 0, 0, 0, number
        )

    def _setup(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_setup_signing_message(*VEHICLE, self._key, self.signing.timestamp)

    def _packed(self, sent: Sent) -> list[bytes]:
        return [b"".join(map(self._pack, messages)) for messages in sent]

    def _pack(self, message: mavlink.MAVLink_message) -> bytes:
        # The vehicle gets its key in a message that isn't signed.
        self.signing.sign_outgoing &= message.get_type() != "SETUP_SIGNING"
        octets = bytes(message.pack(self._codec))
        self.signing.sign_outgoing = self.signing.secret_key is not None
        self._codec.seq = (self._codec.seq + 1) % 256
        return octets
