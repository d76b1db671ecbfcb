# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Control messages between the two ends, inside sealed frames."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any, NamedTuple

from pqc_reference.wire.streams import LANES


class Control(IntEnum):
    WANT = 1
    LATER = 2
    CONFIRM = 3
    ABORT = 4
    TIME_REQ = 5
    TIME_RSP = 6
    LINK_REPORT = 7
    KEEPALIVE = 8
    REKEY_REQ = 9
    RATCHET = 10
    RATCHET_OK = 11
    STREAM_ACK = 12
    PATH_REQ = 13
    PATH_RSP = 14
    SUPERSEDED = 15
    NOTICE = 16
    WIPED = 17
    ECHO_REQ = 18
    ECHO_RSP = 19
    ERASE = 20
    ERASED = 21


class Abort(IntEnum):
    SUITE_REFUSED = 1
    IN_PROGRESS = 2
    FAILED = 3
    UNKNOWN_PREKEY = 4
    UNKNOWN_ANCHOR = 5
    UNUSABLE_ANCHOR = 6


class Erased(IntEnum):
    DONE = 1
    NOT_ALLOWED = 2
    FAILED = 3


class RekeyKind(IntEnum):
    FULL = 0
    RATCHET = 1
    ONE_TIME_KEY = 2  # a ratchet with a one-time key of the anchor


_HEADER = struct.Struct(">BI")  # type, transaction
_RATCHET = struct.Struct(">B32s")  # next epoch, random; then id and ciphertext, or nothing
_MAC_SIZE = 32
_ANCHORS = (0, 4 + 96, 4 + 156, 4 + 208)
_ACK = struct.Struct(">BHH")  # id, newest part, µs that it has waited
_BODIES = {
    Control.WANT: struct.Struct(">5sBI"),  # suite, lane, bytes/s
    Control.LATER: struct.Struct(">I"),  # estimate in ms
    Control.CONFIRM: struct.Struct("32s"),
    Control.ABORT: struct.Struct(">B"),
    Control.TIME_REQ: struct.Struct(">q"),  # t1 in ns
    Control.TIME_RSP: struct.Struct(">qqq"),  # t1, t2, t3
    Control.KEEPALIVE: struct.Struct(""),
    Control.REKEY_REQ: struct.Struct(">5sB"),  # suite, kind
    Control.RATCHET_OK: struct.Struct("32s32s"),  # random, MAC
    Control.PATH_REQ: struct.Struct("8s"),  # nonce
    Control.PATH_RSP: struct.Struct("8s"),
    Control.SUPERSEDED: struct.Struct(""),
    Control.WIPED: struct.Struct(""),
    Control.ERASE: struct.Struct("32s"),  # MAC
    Control.ERASED: struct.Struct(">B"),  # outcome
}
_ECHO = struct.Struct(">I3s")  # which requests have arrived, version of the software
ECHO_FIELDS = _ECHO.size
_VIEW = struct.Struct(">8I4Q")  # link.LinkView, the first part of a LINK_REPORT
MAX_RANGES = 16
MAX_NOTICE = 64
_WITHOUT_TRANSACTION = {
    Control.TIME_REQ,
    Control.TIME_RSP,
    Control.LINK_REPORT,
    Control.KEEPALIVE,
    Control.STREAM_ACK,
    Control.PATH_REQ,
    Control.PATH_RSP,
    Control.SUPERSEDED,
    Control.NOTICE,
    Control.WIPED,
}


def transaction_of(random: bytes) -> int:
    """Return the transaction of the answers to a ClientHello, a Rekey or a RATCHET."""
    return int.from_bytes(random[:4], "big")


class ControlMessage(NamedTuple):
    """One control message; the fields are those of its type's body."""

    kind: Control
    transaction: int
    fields: tuple[Any, ...]


def encode(kind: Control, transaction: int, *fields: Any) -> bytes:
    """Return a control message.

    The fields of STREAM_ACK are id, newest part, µs that it has waited, received through, and a
    list of (offset, length); those of
    NOTICE are its kind and 1 to 64 bytes; those of LINK_REPORT a LinkView, and the fields of a
    TIME_REQ and of a TIME_RSP, or () for none. ECHO_REQ has the size of its padding; ECHO_RSP which
    requests have arrived, the version, and the same.
    """
    header = _HEADER.pack(kind, transaction)
    if kind is Control.LINK_REPORT:
        view, question, answer = fields
        return (
            header
            + _VIEW.pack(*view)
            + _times(len(question) + len(answer)).pack(*question, *answer)
        )
    if kind is Control.STREAM_ACK:
        return header + _encode_ack(*fields)
    if kind is Control.RATCHET:
        next_epoch, random, anchor, mac = fields
        return header + _RATCHET.pack(next_epoch, random) + anchor + mac
    if kind is Control.ECHO_REQ:
        return header + bytes(fields[0])
    if kind is Control.ECHO_RSP:
        return header + _ECHO.pack(*fields[:2]) + bytes(fields[2])
    return header + (_encode_notice(*fields) if kind is Control.NOTICE else _pack(kind, fields))


def _times(number: int) -> struct.Struct:
    return struct.Struct(f">{number}q")


def _pack(kind: Control, fields: tuple[Any, ...]) -> bytes:
    return _BODIES[kind].pack(*fields)


def decode(payload: bytes) -> ControlMessage | None:
    """Read a control message.

    None if its type, reason, kind or lane is unknown, if its size is not that of its type, and if
    it carries a transaction although its type has none.
    """
    try:
        number, transaction = _HEADER.unpack_from(payload)
        kind = Control(number)
        body = payload[_HEADER.size :]
        if kind is Control.STREAM_ACK:
            fields = _decode_ack(body)
        elif kind is Control.RATCHET:
            fields = _decode_ratchet(body)
        elif kind is Control.NOTICE:
            fields = _decode_notice(body)
        elif kind is Control.LINK_REPORT:
            fields = _decode_report(body)
        elif kind is Control.ECHO_REQ:
            fields = (_padding(body),)
        elif kind is Control.ECHO_RSP:
            fields = (*_ECHO.unpack_from(body), _padding(body[_ECHO.size :]))
        else:
            fields = _BODIES[kind].unpack(body)
        if kind is Control.ABORT:
            Abort(fields[0])
        elif kind is Control.REKEY_REQ:
            RekeyKind(fields[1])
        elif kind is Control.ERASED:
            Erased(fields[0])
        elif kind is Control.WANT and fields[1] not in LANES:
            raise ValueError
    except (struct.error, ValueError):
        return None
    if transaction != 0 and kind in _WITHOUT_TRANSACTION:
        return None
    return ControlMessage(kind, transaction, fields)


def _padding(zeros: bytes) -> int:
    if any(zeros):
        raise ValueError
    return len(zeros)


def _decode_report(body: bytes) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the LinkView, the time of a question, the times of an answer; () for none."""
    number, rest = divmod(len(body) - _VIEW.size, 8)
    if rest or number not in (0, 1, 3, 4):
        raise ValueError
    times = _times(number).unpack_from(body, _VIEW.size)
    return _VIEW.unpack_from(body), times[: number % 3], times[number % 3 :]


def _decode_ratchet(body: bytes) -> tuple[int, bytes, bytes, bytes]:
    """Return next epoch, random, id and ciphertext of a one-time key, MAC."""
    next_epoch, random = _RATCHET.unpack_from(body)
    rest = body[_RATCHET.size :]
    if len(rest) - _MAC_SIZE not in _ANCHORS:
        raise ValueError
    return next_epoch, random, rest[:-_MAC_SIZE], rest[-_MAC_SIZE:]


def _encode_notice(number: int, content: bytes) -> bytes:
    return bytes([number]) + content


def _decode_notice(body: bytes) -> tuple[int, bytes]:
    """Return kind and content; raise ValueError for another size."""
    if not 2 <= len(body) <= 1 + MAX_NOTICE:
        raise ValueError
    return body[0], body[1:]


def _encode_ack(
    number: int, newest: int, waited_us: int, through: int, ranges: list[tuple[int, int]]
) -> bytes:
    numbers = [through, *(n for received in ranges[:MAX_RANGES] for n in received)]
    return _ACK.pack(number, newest, waited_us) + b"".join(n.to_bytes(3, "big") for n in numbers)


def _decode_ack(body: bytes) -> tuple[int, int, int, int, list[tuple[int, int]]]:
    if len(body) not in range(_ACK.size + 3, _ACK.size + 4 + 6 * MAX_RANGES, 6):
        raise ValueError
    number, newest, waited_us = _ACK.unpack_from(body)
    numbers = [int.from_bytes(body[i : i + 3], "big") for i in range(_ACK.size, len(body), 3)]
    return (
        number,
        newest,
        waited_us,
        numbers[0],
        list(zip(numbers[1::2], numbers[2::2], strict=True)),
    )
