# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Counts the traffic of one direction at one end, and compares the counts of both ends.

The difference of the numbers of datagrams is the loss if both ends count the same stream. The
digest, a sum over all datagrams, is equal at both ends if and only if every datagram arrived
unchanged, in any order. MAVLink's sequence numbers and checksums give the cause of a difference.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from pqc_sim.datagrams.mavlink_frames import split_frames

_SEQUENCES = 256
_HALF = _SEQUENCES // 2
_DIGEST_BYTES = 8
_DIGEST_MODULUS = 1 << (8 * _DIGEST_BYTES)


@dataclass
class SequenceCount:
    """Gaps, repetitions and disorder in the 8-bit sequence numbers of one MAVLink source.

    A gap of half the number space or more looks like a late message. `lost` is the count of ground
    programs: whatever doesn't follow the message before it is a gap, and a late message is one of
    nearly 256.
    """

    messages: int = 0
    missing: int = 0
    duplicated: int = 0
    reordered: int = 0
    lost: int = 0
    _last: int | None = None
    _next: int | None = None
    _open_gaps: set[int] = field(default_factory=set)

    def note(self, sequence: int) -> None:
        self.messages += 1
        if self._last is not None:
            self.lost += (sequence - self._last - 1) % _SEQUENCES
        self._last = sequence
        if self._next is None:
            self._next = sequence
        if (sequence - self._next) % _SEQUENCES < _HALF:
            self._advance_to(sequence)
        elif sequence in self._open_gaps:
            self._open_gaps.remove(sequence)
            self.missing -= 1
            self.reordered += 1
        else:
            self.duplicated += 1

    def _advance_to(self, sequence: int) -> None:
        assert self._next is not None
        while self._next != sequence:
            self.missing += 1
            self._open_gaps.add(self._next)
            self._step()
        self._step()

    def _step(self) -> None:
        assert self._next is not None
        self._next = (self._next + 1) % _SEQUENCES
        # Further back than half the number space, a gap can't be filled any more.
        self._open_gaps.discard((self._next + _HALF - 1) % _SEQUENCES)


@dataclass
class FlowCount:
    """The datagrams of one direction, as counted at one end."""

    datagrams: int = 0
    octets: int = 0
    corrupted: int = 0
    digest: int = 0
    sources: dict[tuple[int, int], SequenceCount] = field(default_factory=dict)

    def note(self, datagram: bytes) -> None:
        self.datagrams += 1
        self.octets += len(datagram)
        head = hashlib.sha256(datagram).digest()[:_DIGEST_BYTES]
        self.digest = (self.digest + int.from_bytes(head, "big")) % _DIGEST_MODULUS
        split = split_frames(datagram)
        self.corrupted += not split.intact
        for frame in split.frames:
            source = (frame.system, frame.component)
            self.sources.setdefault(source, SequenceCount()).note(frame.sequence)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data for a summary file."""
        return {
            "datagrams": self.datagrams,
            "bytes": self.octets,
            "corrupted": self.corrupted,
            "missing": sum(s.missing for s in self.sources.values()),
            "duplicated": sum(s.duplicated for s in self.sources.values()),
            "reordered": sum(s.reordered for s in self.sources.values()),
            "lost_by_sequence": sum(s.lost for s in self.sources.values()),
            "digest": f"{self.digest:0{2 * _DIGEST_BYTES}x}",
            "sources": {
                f"{system}.{component}": {
                    "messages": count.messages,
                    "missing": count.missing,
                    "duplicated": count.duplicated,
                    "reordered": count.reordered,
                }
                for (system, component), count in sorted(self.sources.items())
            },
        }


@dataclass(frozen=True)
class FlowReport:
    """One direction from end to end. Counts are datagrams; `identical` means byte for byte."""

    sent: int
    received: int
    lost: int
    corrupted: int
    duplicated: int
    reordered: int
    identical: bool

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def compare(sent: dict[str, Any], received: dict[str, Any], *, lossy: bool = False) -> FlowReport:
    """Compare the counts (`FlowCount.as_dict`) of the sending and the receiving end.

    A lossy link may drop so many in a row that a late sequence number looks like a repeated one:
    then only a surplus counts as duplicates.
    """
    went, came = sent["datagrams"], received["datagrams"]
    identical = went == came and sent["digest"] == received["digest"]
    if identical:
        reordered = max(0, received["reordered"] - sent["reordered"])
        return FlowReport(went, came, 0, 0, 0, reordered, True)
    repeated = 0 if lossy else received["duplicated"] - sent["duplicated"]
    duplicated = max(0, repeated, came - went)
    lost = max(0, went - (came - duplicated))
    corrupted = max(0, received["corrupted"] - sent["corrupted"])
    if went == came and lost == 0:
        # Same number, other bytes: something was altered even if every checksum holds.
        corrupted = max(1, corrupted)
    reordered = max(0, received["reordered"] - sent["reordered"])
    return FlowReport(went, came, lost, corrupted, duplicated, reordered, False)
