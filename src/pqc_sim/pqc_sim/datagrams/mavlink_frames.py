# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Splits a datagram into MAVLink frames and checks each one; keeps no state between datagrams.

pymavlink's parser takes five times as long, too long for the process that is measured.
"""

from __future__ import annotations

from typing import NamedTuple

from pymavlink.dialects.v20 import ardupilotmega as mavlink
from pymavlink.generator.mavcrc import x25crc

_MAGIC_1 = 0xFE
_MAGIC_2 = 0xFD
_HEADER_1 = 6
_HEADER_2 = 10
_CHECKSUM = 2
_SIGNATURE = 13
_SIGNED = 0x01


class Frame(NamedTuple):
    """One MAVLink frame: its source, its 8-bit sequence number, and its bytes."""

    system: int
    component: int
    sequence: int
    message_id: int
    data: bytes


class Split(NamedTuple):
    """The frames whose checksum is not wrong, and whether the datagram holds nothing else."""

    frames: list[Frame]
    intact: bool


def split_frames(datagram: bytes) -> Split:
    """Return the frames of a datagram; it is intact if every byte belongs to a good frame.

    Messages that the dialect doesn't know are accepted: their checksum can't be verified.
    """
    frames = []
    intact = len(datagram) > 0
    position = 0
    while position < len(datagram):
        frame = _frame_at(datagram, position)
        if frame is None:
            return Split(frames, False)
        position += len(frame.data)
        if _checksum_holds(frame):
            frames.append(frame)
        else:
            intact = False
    return Split(frames, intact)


class FrameStream:
    """Puts the frames of a serial line together, whose reads cut them anywhere."""

    def __init__(self) -> None:
        """Begin with an empty line."""
        self._parser = mavlink.MAVLink(None)
        self._parser.robust_parsing = True

    def feed(self, octets: bytes) -> list[bytes]:
        """Return the frames that have become whole."""
        messages = self._parser.parse_buffer(octets) or []
        return [bytes(m.get_msgbuf()) for m in messages if m.get_type() != "BAD_DATA"]


def _frame_at(datagram: bytes, start: int) -> Frame | None:
    head = datagram[start : start + _HEADER_2]
    if len(head) >= _HEADER_1 and head[0] == _MAGIC_1:
        end = start + _HEADER_1 + head[1] + _CHECKSUM
        sequence, system, component, message_id = head[2:6]
    elif len(head) == _HEADER_2 and head[0] == _MAGIC_2:
        end = start + _HEADER_2 + head[1] + _CHECKSUM + (_SIGNATURE if head[2] & _SIGNED else 0)
        sequence, system, component = head[4:7]
        message_id = int.from_bytes(head[7:10], "little")
    else:
        return None
    if end > len(datagram):
        return None
    return Frame(system, component, sequence, message_id, datagram[start:end])


def message_name(message_id: int) -> str:
    """Return the name of a message; its number if the dialect doesn't know it."""
    message = mavlink.mavlink_map.get(message_id)
    return message.msgname if message is not None else str(message_id)


def _checksum_holds(frame: Frame) -> bool:
    message = mavlink.mavlink_map.get(frame.message_id)
    if message is None:
        return True
    data = frame.data
    end = (_HEADER_1 if data[0] == _MAGIC_1 else _HEADER_2) + data[1]
    checksum = x25crc(data[1:end])
    checksum.accumulate(bytes((message.crc_extra,)))
    return checksum.crc == int.from_bytes(data[end : end + _CHECKSUM], "little")
