# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The files of the vehicle and their transfer, as GCS_FTP.cpp does it; one session."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.datagrams.ftp_packet import MOST_BYTES, FtpPacket, Operation, Refusal, read_packet
from pqc_sim.vehicle.outlet import Outlet
from pqc_sim.vehicle.reply import Reply

_BURST_PACKETS = 2000
_WAITING = 5  # requests


class FileTransfer:
    """Serves files by name; a request waits while a burst is on its way."""

    def __init__(self, files: dict[str, bytearray], outlet: Outlet) -> None:
        """Serve these files, and those that are created."""
        self.files, self.outlet = files, outlet
        self._open: bytearray | None = None
        self._waiting: deque[mavlink.MAVLink_message] = deque(maxlen=_WAITING)

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        if self.outlet.busy:
            if len(self._waiting) < _WAITING:
                self._waiting.append(message)
            return []
        return self._serve(message, now_ns)

    def due(self, now_ns: int, *, room: bool) -> Reply:
        """Return what is due of a burst, and answers to what waited for its end."""
        replies = self.outlet.due(now_ns, room=room)
        while self._waiting and not self.outlet.busy:
            replies += self._serve(self._waiting.popleft(), now_ns)
        return replies

    def _serve(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        request = read_packet(message)
        sender = (message.get_srcSystem(), message.get_srcComponent())
        if request.operation == Operation.BURST and self._open is not None:
            self.outlet.begin((p.message(*sender) for p in self._burst(request)), now_ns)
            return []
        return [self._answer_to(request).message(*sender)]

    def _answer_to(self, request: FtpPacket) -> FtpPacket:
        offset, size = request.offset, request.size or 0
        match request.operation:
            case Operation.TERMINATE | Operation.RESET:
                self._open = None
                return _ack(request)
            case Operation.OPEN:
                self._open = self.files.get(request.data.decode("ascii", "replace"))
                if self._open is not None:
                    return _ack(request, len(self._open).to_bytes(4, "little"))
                return _nack(request, Refusal.NOT_FOUND)
            case Operation.CREATE:
                self._open = self.files[request.data.decode("ascii", "replace")] = bytearray()
                return _ack(request)
            case Operation.WRITE if self._open is not None:
                self._open.extend(bytes(max(0, offset - len(self._open))))
                self._open[offset : offset + len(request.data)] = request.data
                return _ack(request, offset=offset)
            case Operation.READ if self._open is not None:
                data = bytes(self._open[offset : offset + min(size, MOST_BYTES)])
                if data:
                    return _ack(request, data, offset)
                return _nack(request, Refusal.END_OF_FILE)
            case Operation.READ | Operation.WRITE | Operation.BURST:
                return _nack(request, Refusal.NOT_FOUND)
            case _:
                return _nack(request, Refusal.UNKNOWN_COMMAND)

    def _burst(self, request: FtpPacket) -> Iterator[FtpPacket]:
        content, offset = self._open or b"", request.offset
        number = request.number
        for left in range(_BURST_PACKETS, 0, -1):
            data = bytes(content[offset : offset + min(request.size or MOST_BYTES, MOST_BYTES)])
            if not data:
                yield _nack(request._replace(number=number, offset=offset), Refusal.END_OF_FILE)
                return
            packet = _ack(request._replace(number=number), data, offset)
            yield packet._replace(last=left == 1)
            offset, number = offset + len(data), number + 1


def _ack(request: FtpPacket, data: bytes = b"", offset: int = 0) -> FtpPacket:
    return FtpPacket(
        request.number + 1,
        request.session,
        Operation.ACK,
        offset,
        data,
        answered=request.operation,
    )


def _nack(request: FtpPacket, refusal: Refusal) -> FtpPacket:
    last = request.operation == Operation.BURST
    packet = _ack(request, bytes([refusal]), request.offset)
    return packet._replace(operation=Operation.NACK, last=last)
