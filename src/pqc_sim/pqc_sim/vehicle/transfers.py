# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The traffic of an ArduCopter beside telemetry, and its pace at a port.

The figures are those of ArduPilot's sources and its simulator; each names the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.file_transfer import FileTransfer
from pqc_sim.vehicle.flow_control import FlowControl
from pqc_sim.vehicle.log_transfer import LogTransfer
from pqc_sim.vehicle.outlet import MS, Outlet, Pace
from pqc_sim.vehicle.reply import Reply

# Streams go at a quarter of their rate while parameters are listed, or files are sent
# (GCS_MAVLINK::get_reschedule_interval_ms).
_PENALTY = 4
_BITS = 10  # bits of a byte on a serial line
_FTP_FRAME = 107  # bytes of a frame with the 80 bytes of file that MAVProxy asks for
FILE = "@ROMFS/locations.txt"


# 40 LOG_DATA at once (LoggerThread::handle_log_sending in the simulator)
_LOG_PACE = Pace(40, 10 * MS)


@dataclass(frozen=True)
class Channel:
    """The pace of bulk at a port, and how much there is."""

    listing: Pace
    burst: Pace
    log: Pace = _LOG_PACE
    parameters: int = 1340
    log_bytes: int = 60_000
    file_bytes: int = 10_000


# A period of 100 ms (MSG_NEXT_PARAM), and what a buffer of 4 KiB takes (queued_param_send): 1,340
# parameters in 1.2 s. Files go as fast as that buffer empties.
NETWORK_CHANNEL = Channel(Pace(110, 100 * MS), Pace(15, 10 * MS))


def serial_channel(baud: int) -> Channel:
    """Return the channel of a serial line without flow control.

    There are five parameters at once (queued_param_send), and a third of the rate for a burst
    (GCS_FTP.cpp).
    """
    frame_ns = _FTP_FRAME * _BITS * 1000 * MS // baud
    return Channel(Pace(5, 100 * MS), Pace(1, 3 * frame_ns))


class Transfers:
    """Parameters, log and files, and the flow control that holds them back."""

    def __init__(self, channel: Channel, seed: int) -> None:
        """Make a log and a file; nothing is sent yet."""
        dice = Random(seed)
        self.flow = FlowControl()
        self.listing = Outlet(channel.listing)
        self.log_content = dice.randbytes(channel.log_bytes)
        self.logs = LogTransfer(self.log_content, Outlet(channel.log))
        files = {FILE: bytearray(dice.randbytes(channel.file_bytes))}
        self.ftp = FileTransfer(files, Outlet(channel.burst))

    @property
    def penalty(self) -> int:
        """The factor by which the streams are slowed down."""
        return _PENALTY if self.listing.busy or self.ftp.outlet.busy else 1

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        kind = message.get_type()
        if kind == "FILE_TRANSFER_PROTOCOL":
            return self.ftp.handle(message, now_ns)
        if kind.startswith("LOG_"):
            return self.logs.handle(message, now_ns)
        if kind in ("RADIO", "RADIO_STATUS"):
            self.flow.handle(message, now_ns)
        elif kind == "HEARTBEAT":
            self.logs.note_heartbeat(now_ns)
        return []

    def next_ns(self) -> int:
        """Return when something is due, in ns."""
        return min(o.next_ns() for o in (self.listing, self.logs.outlet, self.ftp.outlet))

    def due(self, now_ns: int) -> Reply:
        room = self.flow.has_room(now_ns)
        return [
            *self.listing.due(now_ns, room=room),
            *self.logs.due(now_ns),
            *self.ftp.due(now_ns, room=room),
        ]
