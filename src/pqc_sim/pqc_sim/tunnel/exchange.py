# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""An exchange of keys: a sequence of messages and computations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pqc_sim.tunnel.chain import Secret
from pqc_sim.tunnel.events import Kind

UP, DOWN, WORK = "up", "down", "work"
_FETCH_TURN = 50
# The overhead of a message on a thin link, and on any other.
_THIN_PART_BYTES, PART_BYTES = 290, 1200
# A sender that knows nothing of a link sends so much at once: four parts, and the one that exceeds
# them. In each further round trip it sends twice as much.
FIRST_WINDOW = 5 * PART_BYTES


@dataclass(frozen=True, slots=True)
class Step:
    """A message up or down of so many bytes, or work for so many seconds."""

    kind: str
    size: int = 0
    work_s: float = 0.0
    drone_s: float = 0.0  # time of the drone's work
    began: bool = False  # the handshake's time counts from here
    then: Kind | None = None  # the event when the step is done


@dataclass
class Exchange:
    """A rekey or handshake under way."""

    purpose: str  # rekey, ratchet, handshake, restart, or fetch of the key that a rekey waits for
    suite: str
    steps: tuple[Step, ...]
    started_s: float
    due_s: float  # when the step is done, or the message is sent again
    progress_s: float
    retry_s: float
    at: int = 0
    missing: int = -1  # parts of the message; -1: not sent yet
    arrives: bool = False
    began_s: float | None = None
    mixed: tuple[Secret, ...] = ()  # into the chain of keys when it is done

    @property
    def is_rekey(self) -> bool:
        """Return whether it replaces keys that serve until then."""
        return self.purpose in ("rekey", "ratchet")

    @property
    def turn(self) -> int:
        """The number that tells its message from others of the moment."""
        return self.at + (_FETCH_TURN if self.purpose == "fetch" else 0)

    def took_s(self, now_s: float) -> float:
        """Return how long the handshake has taken until now."""
        return now_s - (self.began_s if self.began_s is not None else self.started_s)


class ControlPath(Protocol):
    """Carries the messages of exchanges."""

    @property
    def rate_bytes_s(self) -> float | None:
        """The rate of a thin link; None: its rate does not matter."""

    @property
    def free_bytes_s(self) -> float | None:
        """What the data leaves of the way up, or of both; None: all."""

    @property
    def capacity_bytes_s(self) -> float | None:
        """The rate of any link on the way down; None: it does not matter."""

    @property
    def spread_s(self) -> float:
        """By how much jitter spreads the arrival of what leaves together."""

    def tried(self, way: str, parts: int, size: int, now_s: float, turn: int) -> tuple[int, float]:
        """Send the missing parts of a message of `size` bytes.

        Return how many are still missing, and the delay of the others in s. `turn` tells messages
        of one moment apart.
        """


def part_bytes(path: ControlPath) -> int:
    """Return how many bytes of a message are sent together."""
    return PART_BYTES if path.rate_bytes_s is None else _THIN_PART_BYTES


def part_count(size: int, path: ControlPath) -> int:
    """Return in how many parts a message of so many bytes is sent."""
    return -(-size // part_bytes(path))


def trips(size: int) -> int:
    """Return how many round trips a message takes before the one of its last part."""
    return (-(-size // FIRST_WINDOW)).bit_length() - 1


def airtime_s(size: int, path: ControlPath) -> float:
    """Return how long a message takes the link; 0 where its rate does not matter.

    Data goes before a message of several parts, which has the rest of the rate.
    """
    if size <= part_bytes(path):
        return size / path.rate_bytes_s if path.rate_bytes_s else 0.0
    free = path.free_bytes_s or path.rate_bytes_s
    return size / free if free else 0.0
