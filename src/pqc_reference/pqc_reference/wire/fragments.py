# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Datagrams that no frame of the link holds ("Fragments")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

LONGEST_DATAGRAM = 1500  # bytes that leave in fragments
HEADER_SIZE = 3

_LAST = 1 << 23
_OFFSET_SHIFT = 12
_MOST_PARTIALS = 8


class BadFragment(Exception):
    """A fragment that no end sends."""


class Fragment(NamedTuple):
    """A part of a datagram."""

    offset: int  # place of its bytes in the datagram
    last: bool
    back: int  # sequence number less that of the first fragment
    data: bytes

    def encode(self) -> bytes:
        word = self.last * _LAST | self.offset << _OFFSET_SHIFT | self.back
        return word.to_bytes(HEADER_SIZE, "big") + self.data

    @staticmethod
    def decode(payload: bytes) -> Fragment:
        """Return the fragment of a payload; BadFragment if there can be none."""
        word, data = int.from_bytes(payload[:HEADER_SIZE], "big"), payload[HEADER_SIZE:]
        offset, back = word % _LAST >> _OFFSET_SHIFT, word % (1 << _OFFSET_SHIFT)
        last = word >= _LAST
        first = offset == 0
        if not data or first != (back == 0) or (first and last):
            raise BadFragment
        if offset + len(data) > LONGEST_DATAGRAM:
            raise BadFragment
        return Fragment(offset, last, back, data)


def fragments(datagram: bytes, room: int) -> Iterator[Fragment]:
    """Yield the fragments of a datagram, of at most `room` bytes, which are sealed in a row."""
    for number, offset in enumerate(range(0, len(datagram), room)):
        data = datagram[offset : offset + room]
        yield Fragment(offset, offset + len(data) == len(datagram), number, data)


@dataclass
class _Partial:
    newest: float  # when its newest fragment came
    data: bytearray = field(default_factory=bytearray)
    here: bytearray = field(default_factory=bytearray)  # 1 for each byte that is here
    size: int | None = None  # bytes; None: the last fragment is missing

    def add(self, fragment: Fragment) -> None:
        """Take a fragment; BadFragment if it contradicts others."""
        end = fragment.offset + len(fragment.data)
        size = end if fragment.last else self.size
        if size is not None and (max(end, len(self.here)) > size or self.size not in (None, size)):
            raise BadFragment
        if any(self.here[fragment.offset : end]):
            raise BadFragment
        self.size = size
        for array in (self.data, self.here):
            array.extend(bytes(max(0, end - len(array))))
        self.data[fragment.offset : end] = fragment.data
        self.here[fragment.offset : end] = b"\1" * len(fragment.data)

    @property
    def is_complete(self) -> bool:
        return self.size == len(self.here) and all(self.here)


class Reassembly:
    """Puts datagrams together, a few at a time."""

    def __init__(self, patience_s: float) -> None:
        """`patience_s`: how long a datagram waits for its next fragment."""
        self.incomplete = 0  # datagrams given up
        self._patience_s = patience_s
        self._partials: dict[tuple[object, int], _Partial] = {}
        self._keys: object = None  # those of the latest fragment

    def handle(self, keys: object, sequence: int, payload: bytes, now: float) -> bytes | None:
        """Take the payload of a young frame with that sequence number under these keys.

        Returns the datagram that it completes. BadFragment if no end sends it.
        """
        self._keys = keys
        self._give_up_before(now - self._patience_s)
        fragment = Fragment.decode(payload)
        origin = (keys, sequence - fragment.back)
        if fragment.back > sequence:
            raise BadFragment
        if origin not in self._partials and len(self._partials) == _MOST_PARTIALS:
            self._give_up(min(self._partials, key=lambda one: self._partials[one].newest))
        partial = self._partials.setdefault(origin, _Partial(now))
        partial.newest = now
        try:
            partial.add(fragment)
        except BadFragment:
            del self._partials[origin]
            raise
        return bytes(self._partials.pop(origin).data) if partial.is_complete else None

    def _give_up_before(self, time: float) -> None:
        for origin in [one for one, partial in self._partials.items() if partial.newest < time]:
            self._give_up(origin)

    def _give_up(self, origin: tuple[object, int]) -> None:
        del self._partials[origin]
        # The sender has sent all of it again since the keys changed.
        self.incomplete += origin[0] is self._keys
