# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The payload of FILE_TRANSFER_PROTOCOL, as https://mavlink.io/en/services/ftp.html defines it."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

from pymavlink.dialects.v20 import ardupilotmega as mavlink

# Number, session, operation, size, answered operation, end of the burst, padding, offset
_HEADER = struct.Struct("<HBBBBBxI")
_PAYLOAD_BYTES = 251
MOST_BYTES = _PAYLOAD_BYTES - _HEADER.size


class Operation(IntEnum):
    """The operations that the vehicle knows, and the answers."""

    TERMINATE = 1
    RESET = 2
    OPEN = 4
    READ = 5
    CREATE = 6
    WRITE = 7
    BURST = 15
    ACK = 128
    NACK = 129


class Refusal(IntEnum):
    """The first byte of a NACK."""

    FAIL = 1
    END_OF_FILE = 6
    UNKNOWN_COMMAND = 7
    NOT_FOUND = 10


class FtpPacket(NamedTuple):
    """A request or an answer; `size` differs from the length of the data in requests to read."""

    number: int
    session: int
    operation: int
    offset: int = 0
    data: bytes = b""
    size: int | None = None
    answered: int = 0
    last: bool = False

    def message(self, system: int, component: int) -> mavlink.MAVLink_message:
        size = len(self.data) if self.size is None else self.size
        head = (self.number % 65536, self.session, self.operation, size, self.answered, self.last)
        payload = _HEADER.pack(*head, self.offset) + self.data
        return mavlink.MAVLink_file_transfer_protocol_message(
            0, system, component, payload.ljust(_PAYLOAD_BYTES, b"\0")
        )


def read_packet(message: mavlink.MAVLink_message) -> FtpPacket:
    payload = bytes(message.payload)
    number, session, operation, size, answered, last, offset = _HEADER.unpack_from(payload)
    data = payload[_HEADER.size : _HEADER.size + size]
    return FtpPacket(number, session, operation, offset, data, size, answered, bool(last))
