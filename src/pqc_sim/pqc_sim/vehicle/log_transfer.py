# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The log of the vehicle and its download, as AP_Logger_MAVLinkLogTransfer.cpp sends it."""

from __future__ import annotations

from collections.abc import Iterator

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.outlet import MS, Outlet
from pqc_sim.vehicle.reply import Reply

CHUNK = 90  # bytes of log in a LOG_DATA
_NUMBER = 1
# A log pauses until the ground is heard again.
_SILENT_NS = 3000 * MS


class LogTransfer:
    """Serves one log; a request while it sends is ignored."""

    def __init__(self, content: bytes, outlet: Outlet) -> None:
        self._content, self.outlet = content, outlet
        self._heard_ns = 0

    def note_heartbeat(self, now_ns: int) -> None:
        """Note that the ground is there."""
        self._heard_ns = now_ns

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        if isinstance(message, mavlink.MAVLink_log_request_list_message):
            return [mavlink.MAVLink_log_entry_message(_NUMBER, 1, 1, 0, len(self._content))]
        if isinstance(message, mavlink.MAVLink_log_request_end_message):
            self.outlet.stop()
        elif (
            isinstance(message, mavlink.MAVLink_log_request_data_message)
            and message.id == _NUMBER
            and not self.outlet.busy
        ):
            self.outlet.begin(self._chunks(message.ofs, message.count), now_ns)
        return []

    def due(self, now_ns: int) -> Reply:
        """Return the data that is due."""
        return self.outlet.due(now_ns, room=now_ns - self._heard_ns <= _SILENT_NS)

    def _chunks(self, offset: int, count: int) -> Iterator[mavlink.MAVLink_message]:
        end = min(len(self._content), offset + count)
        while True:
            data = self._content[offset : min(offset + CHUNK, end)]
            yield mavlink.MAVLink_log_data_message(
                _NUMBER, offset, len(data), data.ljust(CHUNK, b"\0")
            )
            offset += len(data)
            if len(data) < CHUNK or offset == end:
                return
