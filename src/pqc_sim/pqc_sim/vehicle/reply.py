# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result of protocol handlers: messages to send, in order."""

from __future__ import annotations

from pymavlink.dialects.v20 import ardupilotmega as mavlink

Reply = list[mavlink.MAVLink_message]

_TEXT_BYTES = 50


def notice(severity: int, text: str) -> mavlink.MAVLink_statustext_message:
    """Return a text for the operator, cut to the length of one message."""
    return mavlink.MAVLink_statustext_message(
        severity, text.encode("ascii", "replace")[:_TEXT_BYTES]
    )
