# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flow control of an ArduCopter by the RADIO_STATUS of its radio."""

from __future__ import annotations

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.outlet import MS

# Bulk waits while no more than this is free, unless the report is old
# (GCS_MAVLINK::last_txbuf_is_greater, used by GCS_Param.cpp and GCS_FTP.cpp).
_ROOM_PERCENT = 33
_STALE_NS = 5000 * MS
# Steps and limits of stream_slowdown_ms (GCS_MAVLINK::handle_radio_status)
_MOST_MS = 2000


class FlowControl:
    """The room in the radio, as far as it is known, and what telemetry is slowed down by."""

    def __init__(self) -> None:
        self._free_percent = 100
        self._heard_ns: int | None = None
        self.slowdown_ms = 0

    def handle(self, message: mavlink.MAVLink_radio_status_message, now_ns: int) -> None:
        free, self._heard_ns = message.txbuf, now_ns
        self._free_percent = free
        if free < 20 and self.slowdown_ms < _MOST_MS:
            self.slowdown_ms += 60
        elif free < 50 and self.slowdown_ms < _MOST_MS:
            self.slowdown_ms += 20
        elif free > 95 and self.slowdown_ms > 200:
            self.slowdown_ms -= 40
        elif free > 90:
            self.slowdown_ms = max(0, self.slowdown_ms - 20)

    def has_room(self, now_ns: int) -> bool:
        stale = self._heard_ns is None or now_ns - self._heard_ns > _STALE_NS
        return stale or self._free_percent > _ROOM_PERCENT
