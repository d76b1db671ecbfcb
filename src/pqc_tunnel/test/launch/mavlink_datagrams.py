# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""MAVLink that the tests of both ends send and read."""

from __future__ import annotations

from typing import Any

from pymavlink.dialects.v20 import common as mavlink


def heartbeat() -> bytes:
    """Return the heartbeat of a vehicle."""
    message = mavlink.MAVLink_heartbeat_message(2, 3, 81, 0, 4, 3)
    return bytes(message.pack(mavlink.MAVLink(None, 42, 1)))


def message_of(datagram: bytes) -> Any:
    """Return the only message of a datagram."""
    (message,) = mavlink.MAVLink(None).parse_buffer(bytearray(datagram))
    return message
