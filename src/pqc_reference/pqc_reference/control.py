# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Control frames: the messages between the two ends inside the tunnel."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any, NamedTuple


class Control(IntEnum):
    """Types of control frames."""

    PREPARE = 1
    READY = 2
    BUSY = 3
    COMMIT = 4
    COMMIT_ACK = 5
    ABORT = 6
    TIME_REQ = 7
    TIME_RSP = 8
    LINK_REPORT = 9
    KEEPALIVE = 10
    REKEY_REQ = 11


class Abort(IntEnum):
    """Reasons of ABORT."""

    SUITE_REFUSED = 1
    IN_PROGRESS = 2
    FAILED = 3


_HEADER = struct.Struct(">BBIH")  # type, flags, transaction, length of the body
_BODIES = {
    Control.PREPARE: struct.Struct(">B5s"),  # next epoch, suite
    Control.READY: struct.Struct(">I"),  # estimate in ms
    Control.BUSY: struct.Struct(">I"),  # estimate in ms
    Control.COMMIT: struct.Struct(">8sB16s"),  # session, epoch, th3[0:16]
    Control.COMMIT_ACK: struct.Struct(""),
    Control.ABORT: struct.Struct(">B"),
    Control.TIME_REQ: struct.Struct(">q"),  # t1 in ns
    Control.TIME_RSP: struct.Struct(">qqq"),  # t1, t2, t3
    Control.LINK_REPORT: struct.Struct(">8I4Q"),  # link.LinkView
    Control.KEEPALIVE: struct.Struct(""),
    Control.REKEY_REQ: struct.Struct("5s"),
}


class ControlFrame(NamedTuple):
    """One control frame; the fields are those of its type's body."""

    kind: Control
    transaction: int
    fields: tuple[Any, ...]


def encode(kind: Control, transaction: int, *fields: Any) -> bytes:
    """Return a control frame as the plaintext of a data-plane frame."""
    body = _BODIES[kind].pack(*fields)
    return _HEADER.pack(kind, 0, transaction, len(body)) + body


def decode(plaintext: bytes) -> ControlFrame | None:
    """Read a control frame; None if its type is unknown or its size is not that of its type."""
    try:
        number, _flags, transaction, length = _HEADER.unpack_from(plaintext)
        kind = Control(number)
        body = plaintext[_HEADER.size :]
        frame = ControlFrame(kind, transaction, _BODIES[kind].unpack(body))
    except (struct.error, ValueError):
        return None
    return frame if length == len(body) else None
