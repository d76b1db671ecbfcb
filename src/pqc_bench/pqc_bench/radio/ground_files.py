# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Files, as MAVProxy transfers them (mavproxy_ftp.py)."""

from __future__ import annotations

from abc import abstractmethod

from pqc_sim.datagrams.ftp_packet import MOST_BYTES, FtpPacket, Operation, read_packet
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.radio.dialogue import MS, VEHICLE, Dialogue, Sent

# The settings burst_read_size, max_backlog and retry_time
_READ_BYTES, _BACKLOG, _RETRY_NS = 80, 5, 500 * MS
_WRITES = 4  # frames of 266 bytes in a datagram
_WRITE_RETRY_NS = 1000 * MS


class _FileDialogue(Dialogue):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._number = 0
        self._heard_ns = 0
        self._opened = False

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Sent:
        if message.get_type() != "FILE_TRANSFER_PROTOCOL" or self.took_s is not None:
            return []
        packet = read_packet(message)
        if packet.answered == self._opening and packet.operation == Operation.ACK:
            if self._opened:
                return []
            self._opened, self._heard_ns = True, now_ns
            self._move(now_ns)
            return self._start(packet, now_ns)
        return self._take(packet, now_ns) if self._opened else []

    def _first(self, now_ns: int) -> Sent:
        self._heard_ns = now_ns
        return [[self._request(self._opening, 0, self.name.encode())]]

    def _request(
        self, operation: int, offset: int, data: bytes = b"", size: int | None = None
    ) -> mavlink.MAVLink_message:
        packet = FtpPacket(self._number, 0, operation, offset, data, size)
        self._number += 1
        return packet.message(*VEHICLE)

    def _close(self, now_ns: int) -> Sent:
        self._done(now_ns)
        return [[self._request(Operation.TERMINATE, 0)]]

    _opening: int

    @abstractmethod
    def _start(self, packet: FtpPacket, now_ns: int) -> Sent: ...

    @abstractmethod
    def _take(self, packet: FtpPacket, now_ns: int) -> Sent: ...


class FileFetch(_FileDialogue):
    """Reads a file in a burst, and then the gaps; up to five requests are under way."""

    _opening = Operation.OPEN

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._size = 0
        self._parts: dict[int, bytes] = {}
        self._ended = False
        self._asked_ns: dict[int, int] = {}  # offsets of gaps

    @property
    def content(self) -> bytes:
        return b"".join(self._parts[offset] for offset in sorted(self._parts))

    def due(self, now_ns: int) -> Sent:
        """Ask for gaps, or begin the burst again where it broke off."""
        if not self._opened or not self._ended:
            if now_ns - self._heard_ns <= _RETRY_NS:
                return []
            self._heard_ns = now_ns
            self.asked_again += 1
            return self._burst() if self._opened else self._first(now_ns)
        return self._ask(now_ns)

    def _start(self, packet: FtpPacket, now_ns: int) -> Sent:
        self._size = int.from_bytes(packet.data[:4], "little")
        return self._burst()

    def _take(self, packet: FtpPacket, now_ns: int) -> Sent:
        self._heard_ns = now_ns
        burst = packet.answered == Operation.BURST
        if packet.operation == Operation.ACK and packet.data and packet.offset not in self._parts:
            self._parts[packet.offset] = packet.data
            self._move(now_ns)
            self._asked_ns.pop(packet.offset, None)
            # The last part is the only short one.
            self._ended |= len(packet.data) < _READ_BYTES
        self._ended |= burst and packet.operation == Operation.NACK
        if sum(map(len, self._parts.values())) == self._size:
            return self._close(now_ns)
        if burst and packet.last and not self._ended:
            return self._burst()
        return self._ask(now_ns) if self._ended else []

    def _burst(self) -> Sent:
        at = max((o + len(part) for o, part in self._parts.items()), default=0)
        return [[self._request(Operation.BURST, at, size=_READ_BYTES)]]

    def _ask(self, now_ns: int) -> Sent:
        late = [o for o, asked in self._asked_ns.items() if now_ns - asked > _RETRY_NS]
        gaps = (o for o in range(0, self._size, _READ_BYTES) if o not in self._parts)
        new = [o for o in gaps if o not in self._asked_ns]
        ask = late + new[: max(0, _BACKLOG - len(self._asked_ns))]
        self.asked_again += len(ask)
        self._asked_ns.update(dict.fromkeys(ask, now_ns))
        return [[self._request(Operation.READ, o, size=_READ_BYTES)] for o in ask]


class FilePut(_FileDialogue):
    """Writes a file, four blocks in a datagram; what isn't acknowledged is written again."""

    _opening = Operation.CREATE

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(name)
        self.content = content
        self._left = list(range(0, len(content), MOST_BYTES))
        self._under_way: set[int] = set()

    def due(self, now_ns: int) -> Sent:
        """Write again."""
        if now_ns - self._heard_ns <= _WRITE_RETRY_NS:
            return []
        self.asked_again += 1
        return self._write(now_ns) if self._opened else self._first(now_ns)

    def _start(self, packet: FtpPacket, now_ns: int) -> Sent:
        return self._write(now_ns)

    def _take(self, packet: FtpPacket, now_ns: int) -> Sent:
        written = packet.operation == Operation.ACK and packet.answered == Operation.WRITE
        if not written or packet.offset not in self._left:
            return []
        self._heard_ns = now_ns
        self._move(now_ns)
        self._left.remove(packet.offset)
        self._under_way.discard(packet.offset)
        if not self._left:
            return self._close(now_ns)
        return [] if self._under_way else self._write(now_ns)

    def _write(self, now_ns: int) -> Sent:
        self._heard_ns = now_ns
        blocks = self._left[:_WRITES]
        self._under_way = set(blocks)
        parts = [(offset, self.content[offset : offset + MOST_BYTES]) for offset in blocks]
        return [[self._request(Operation.WRITE, offset, part) for offset, part in parts]]
