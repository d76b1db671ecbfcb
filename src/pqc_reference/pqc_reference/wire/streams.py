# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Large messages in parts, over frames that may be lost or reordered ("Streams")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

PART_HEADER = 9  # id 1, number 2, offset 3, total 3

FOREGROUND = 0
LANES = (1, 2, 3)  # in the background
_LANE_SHIFT = 6
_COUNTER = 0x3F
_PARTS = 0x10000  # numbers of parts wrap around there
_SMALL_ROUNDS = 3  # repetitions without an answer before parts get small
_FLIGHT = 32  # parts
_FLIGHT_UNANSWERED = 4
_RETRY_S = 0.2
_LONGEST_RETRY_S = 2.0
_ACK_DELAY_S = 0.01
_ACK_EVERY = 2
# At a pace the acknowledgements of small parts are rare, since they would take much beside them.
_PACED_ACK_EVERY = 8
_PACED_ACK_DELAY_S = 4.0
_SMALL_PART = 512
_PACED_PATIENCE_S = 0.5
_LONGEST_PACED_PART_S = 2.5
_LEAST_PART = 64
_OLDER_S = 20.0  # for so long an older id counts as older
_AHEAD_S = 0.25  # that a pace may be behind
_LINE_OVERHEAD = 25 + 48  # of the frame around a part, and of UDP and IPv6

Range = tuple[int, int]  # offset, length


class Ack(NamedTuple):
    number: int  # id of the message
    newest: int  # number of the newest part that is here
    waited_us: int  # since that part came
    through: int  # all bytes before it are here
    received: list[Range]  # beyond `through`, latest change first


class BadPart(Exception):
    """A part that no message can have that this end expects."""


def is_newer(number: int, than: int) -> bool:
    """Return whether a counter of 6 bits is 1 to 31 ahead of another."""
    return 1 <= (number - than & _COUNTER) <= 31


def is_newer_part(number: int, than: int) -> bool:
    """Return whether a counter of 16 bits is 1 to 32767 ahead of another."""
    return 1 <= (number - than) % _PARTS < _PARTS // 2


@dataclass
class _Part:
    begin: int
    end: int
    times_sent: int = 0
    due: float = float("-inf")


class Outgoing:
    """One message on its way to the other end."""

    def __init__(self, number: int, message: bytes, part_size: int) -> None:
        """Cut a message into parts."""
        self.number = number
        self._message = message
        self._open = _cut(_Part(0, len(message)), part_size)  # parts without an answer
        self._silent_rounds = 0  # repetitions since the last answer
        self._round_end = float("-inf")
        self._next_part = 0
        self._sent: dict[
            int, float
        ] = {}  # when, by number: what left after the newest that arrived

    @property
    def done(self) -> bool:
        return not self._open

    @property
    def left(self) -> int:
        """The number of bytes without an answer."""
        return sum(part.end - part.begin for part in self._open)

    def handle_ack(self, ack: Ack, now: float) -> float | None:
        """Note what has arrived; return the round-trip time in s if the answer tells one."""
        known = [(0, ack.through), *((offset, offset + length) for offset, length in ack.received)]
        missing = [
            part
            for part in self._open
            if not any(begin <= part.begin and part.end <= end for begin, end in known)
        ]
        if len(missing) < len(self._open):
            self._open = missing
            self._silent_rounds = 0
        sent = self._sent.get(ack.newest)
        if sent is None:
            return None
        self._sent = {n: at for n, at in self._sent.items() if is_newer_part(n, ack.newest)}
        whole, waited = now - sent, ack.waited_us / 1e6
        return whole - waited if waited < whole else whole

    def poll(
        self, now: float, rtt: float, small_part: int, most: int = _FLIGHT, patience: float = 0.0
    ) -> list[bytes]:
        """Return the payloads of the frames that are due, at most so many.

        `patience`: s that acknowledgements may wait beside the round trip.
        """
        retry = max(_RETRY_S, patience + 2 * rtt)
        due = [part for part in self._window if now >= part.due]
        if any(part.times_sent for part in due) and now >= self._round_end:
            self._silent_rounds += 1
            self._round_end = now + retry
            if self._silent_rounds == _SMALL_ROUNDS:
                self._open = [cut for part in self._open for cut in _cut(part, small_part)]
            due = [part for part in self._window if now >= part.due]
        wait = max(retry, min(retry * 2**self._silent_rounds, _LONGEST_RETRY_S))
        due = due[:most]
        for part in due:
            part.times_sent += 1
            part.due = now + wait
        return [self._payload(part, now) for part in due]

    def next_timeout(self) -> float:
        """Return when `poll` has something to send."""
        return min((part.due for part in self._window), default=float("inf"))

    @property
    def _window(self) -> list[_Part]:
        return self._open[: _FLIGHT_UNANSWERED if self._silent_rounds > 1 else _FLIGHT]

    def _payload(self, part: _Part, now: float) -> bytes:
        sending = self._next_part.to_bytes(2, "big")
        self._sent[self._next_part] = now
        self._next_part = (self._next_part + 1) % _PARTS
        offset, total = (n.to_bytes(3, "big") for n in (part.begin, len(self._message)))
        return (
            bytes([self.number]) + sending + offset + total + self._message[part.begin : part.end]
        )


def _cut(part: _Part, size: int) -> list[_Part]:
    return [
        replace(part, begin=begin, end=min(begin + size, part.end))
        for begin in range(part.begin, part.end, size)
    ]


class Incoming:
    """One message of the other end."""

    def __init__(self, number: int, total: int) -> None:
        """Reserve memory for it."""
        self.number, self.total = number, total
        self.data = bytearray(total)
        self._received: list[tuple[int, int]] = []  # begin and end, disjoint; what grew last, first
        self._newest: int | None = None
        self._came = 0.0

    def note(self, part: int, now: float) -> None:
        """Note that the part of this number has come, whether its bytes are new or not."""
        if self._newest is None or part == self._newest or is_newer_part(part, self._newest):
            self._newest, self._came = part, now

    def add(self, begin: int, data: bytes) -> None:
        end = begin + len(data)
        self.data[begin:end] = data
        touched = [r for r in self._received if r[0] <= end and begin <= r[1]]
        apart = [r for r in self._received if r not in touched]
        merged = (min([begin, *(r[0] for r in touched)]), max([end, *(r[1] for r in touched)]))
        self._received = [merged, *apart]

    @property
    def through(self) -> int:
        """The number of bytes received without a gap from the start."""
        return max((end for begin, end in self._received if begin == 0), default=0)

    @property
    def has_gap(self) -> bool:
        return any(begin > 0 for begin, _ in self._received)

    @property
    def bytes(self) -> int:
        return sum(end - begin for begin, end in self._received)

    def ack(self, now: float) -> Ack:
        beyond = [(begin, end - begin) for begin, end in self._received if begin > 0]
        waited_us = min(max(round(1e6 * (now - self._came)), 0), 0xFFFF)
        return Ack(self.number, self._newest or 0, waited_us, self.through, beyond)


class Receiver:
    """Receives the messages of one lane: one at a time, each newer than the one before."""

    def __init__(self) -> None:
        self._current: Incoming | None = None
        self._complete = False
        self._acks: list[Ack] = []  # due at once
        self._unacknowledged = 0  # frames
        self._ack_due = float("inf")
        self._came = float("-inf")  # the newest part of the newest message
        self.paced = False  # whether its lane has a pace

    @property
    def progress(self) -> float | None:
        """The part of a message under way that is here, 0 to 1; None: there is none."""
        if self._current is None or self._complete:
            return None
        return self._current.bytes / self._current.total

    def decline(self, now: float) -> None:
        """Want no more of the message under way: it is answered as if it were complete."""
        if self._current is not None and not self._complete:
            self._current.add(0, bytes(self._current.total))
            self._complete = True
            self._acknowledge(now)

    def handle_part(
        self, number: int, part: int, begin: int, total: int, data: bytes, now: float
    ) -> bytes:
        """Take a part of a message; return the message that it completes, or else nothing."""
        current = self._current
        forgotten = number != getattr(current, "number", number) and now >= self._came + _OLDER_S
        if current is None or is_newer(number, current.number) or forgotten:
            self._current = current = Incoming(number, total)
            self._complete = False
        elif number != current.number:
            self._acks.append(Ack(number, part, 0, total, []))
            return b""
        elif total != current.total:
            raise BadPart
        current.note(part, now)
        interval, self._came = now - self._came, now
        if self._complete:
            self._acknowledge(now)
            return b""
        current.add(begin, data)
        self._unacknowledged += 1
        self._complete = current.through == total
        rarely = self.paced and PART_HEADER + len(data) < _SMALL_PART
        many = self._unacknowledged >= (_PACED_ACK_EVERY if rarely else _ACK_EVERY)
        if self._complete or many or (current.has_gap and not rarely):
            self._acknowledge(now)
        else:
            wait = _paced_delay(interval) if rarely else _ACK_DELAY_S
            self._ack_due = min(self._ack_due, now + wait)
        return bytes(current.data) if self._complete else b""

    def take_acks(self, now: float) -> list[Ack]:
        if now >= self._ack_due:
            self._acknowledge(now)
        acks, self._acks = self._acks, []
        return acks

    def next_timeout(self) -> float:
        return float("-inf") if self._acks else self._ack_due

    def _acknowledge(self, now: float) -> None:
        assert self._current is not None
        self._acks.append(self._current.ack(now))
        self._unacknowledged, self._ack_due = 0, float("inf")


def _paced_delay(interval: float) -> float:
    """Return how long an acknowledgement of small parts waits that come at an interval, in s."""
    return min(max(4 * interval, _ACK_DELAY_S), _PACED_ACK_DELAY_S)


class Streams:
    """The messages of one session, or of boot keys, in both directions."""

    def __init__(self, limit: int, part_size: int, small_part: int) -> None:
        """Accept messages up to `limit` bytes, and send parts of at most `part_size`."""
        self._limit, self._part_size, self._small_part = limit, part_size, small_part
        self._rtt = 0.0
        lanes = (FOREGROUND, *LANES)
        self._next_number = dict.fromkeys(lanes, 0)
        self._outgoing: dict[int, Outgoing] = {}  # by lane
        self._receivers = {lane: Receiver() for lane in lanes}
        self._pace = 0  # bytes/s on the line of all lanes in the background; 0: any
        self._paced_until = float("-inf")
        self._first = FOREGROUND  # of the lanes without a pace

    # --- Sending ---

    def send(self, message: bytes, lane: int = FOREGROUND) -> None:
        """Send a message in a lane, instead of one that is under way there."""
        number = lane << _LANE_SHIFT | self._next_number[lane]
        self._next_number[lane] = self._next_number[lane] + 1 & _COUNTER
        brief = int(self._pace * _LONGEST_PACED_PART_S) - _LINE_OVERHEAD - PART_HEADER
        paced = self._pace and lane != FOREGROUND
        size = min(self._part_size, max(brief, _LEAST_PART)) if paced else self._part_size
        self._outgoing[lane] = Outgoing(number, message, size)

    def set_pace(self, bytes_per_s: int, first: int = FOREGROUND) -> None:
        """Send the lanes in the background at so many bytes/s together; 0: at any, one lane first.

        Their receivers acknowledge accordingly.
        """
        self._first = first
        if bytes_per_s != self._pace:
            self._pace, self._paced_until = bytes_per_s, float("-inf")
        for lane in LANES:
            self._receivers[lane].paced = self._pace > 0

    def is_sending(self, lane: int) -> bool:
        return lane in self._outgoing

    def stop(self) -> None:
        """Send no more of the message in the foreground."""
        self._outgoing.pop(FOREGROUND, None)

    def handle_ack(self, ack: Ack, now: float) -> None:
        lane = ack.number >> _LANE_SHIFT
        message = self._outgoing.get(lane)
        if message is None or message.number != ack.number:
            return
        trip = message.handle_ack(ack, now)
        if trip is not None:
            self._rtt += (trip - self._rtt) / (8 if self._rtt else 1)
        if message.done:
            del self._outgoing[lane]

    # --- Receiving ---

    def handle_part(self, payload: bytes, now: float) -> bytes:
        """Take the payload of a stream frame; return the message that it completes, or nothing.

        BadPart if this end expects no such message.
        """
        number, data = payload[0] if payload else 0, payload[PART_HEADER:]
        part = int.from_bytes(payload[1:3], "big")
        begin, total = (int.from_bytes(payload[i : i + 3], "big") for i in (3, 6))
        if not data or begin + len(data) > total or total > self._limit:
            raise BadPart
        receiver = self._receivers[number >> _LANE_SHIFT]
        return receiver.handle_part(number, part, begin, total, data, now)

    def progress(self, lane: int) -> float | None:
        """Return how much of the message in a lane is here, 0 to 1; None: there is none."""
        return self._receivers[lane].progress

    def decline(self, lane: int, now: float) -> None:
        """Want no more of the message in a lane."""
        self._receivers[lane].decline(now)

    # --- Both ---

    def take_acks(self, now: float) -> list[Ack]:
        return [ack for receiver in self._receivers.values() for ack in receiver.take_acks(now)]

    def take_parts(self, now: float) -> list[bytes]:
        """Return the payloads of the stream frames that are due.

        The foreground goes first, then the lane with fewest bytes left, within the pace; without
        one, the lane of the newest WANT.
        """
        parts: list[bytes] = []
        if (message := self._outgoing.get(FOREGROUND)) is not None:
            parts += message.poll(now, self._rtt, self._small_part)
        first = self._outgoing.get(self._first) if not self._pace else None
        for message in sorted(self._background, key=lambda one: (one is not first, one.left)):
            while (now >= self._paced_until or not self._pace) and (
                part := message.poll(now, self._rtt, self._small_part, 1, self._patience)
            ):
                parts += part
                self._note_paced(len(part[0]) + _LINE_OVERHEAD, now)
        return parts

    @property
    def _background(self) -> list[Outgoing]:
        return [one for lane, one in self._outgoing.items() if lane != FOREGROUND]

    @property
    def _patience(self) -> float:
        if not self._pace:
            return 0.0
        longest = self._part_size + PART_HEADER + _LINE_OVERHEAD
        interval = min(longest / self._pace, _LONGEST_PACED_PART_S)
        return _PACED_PATIENCE_S + _paced_delay(interval)

    def _note_paced(self, size: int, now: float) -> None:
        if self._pace:
            self._paced_until = max(self._paced_until, now - _AHEAD_S) + size / self._pace

    def next_timeout(self) -> float:
        """Return when there is something to take."""
        times = [receiver.next_timeout() for receiver in self._receivers.values()]
        if FOREGROUND in self._outgoing:
            times.append(self._outgoing[FOREGROUND].next_timeout())
        wait = self._paced_until if self._pace else float("-inf")
        times += [max(one.next_timeout(), wait) for one in self._background]
        return min(times)
