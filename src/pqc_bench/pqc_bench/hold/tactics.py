# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tactics of an adversary on the path: when each datagram of one direction continues."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

# A queue of (arrival, datagram); returns how many leave at its front, after so many seconds.
_Due = Callable[[deque[tuple[float, bytes]], float], int]


@dataclass
class Tactic:
    """The datagrams that an adversary has, and when the next ones leave; times in s."""

    due: _Due
    newest_first: bool = False
    held: deque[tuple[float, bytes]] = field(default_factory=deque)

    def take(self, datagram: bytes, elapsed: float) -> None:
        self.held.append((elapsed, datagram))

    def release(self, elapsed: float) -> Iterator[bytes]:
        leaving = [self.held.popleft() for _ in range(self.due(self.held, elapsed))]
        if self.newest_first:
            leaving.reverse()
        yield from (datagram for _, datagram in leaving)


def passing() -> Tactic:
    return Tactic(lambda held, _: len(held))


def hold(held_s: float = 2.8, quiet_s: float = 0.4) -> Tactic:
    """Hold all for a while, let it go at once, be quiet, and begin again."""
    done = 0

    def due(held: deque[tuple[float, bytes]], elapsed: float) -> int:
        nonlocal done
        if elapsed < done * (held_s + quiet_s) + held_s:
            return 0
        done += 1
        return len(held)

    return Tactic(due)


def trickle(every_s: float = 2.5) -> Tactic:
    """Let one datagram pass at a time, the oldest one."""
    done = 0

    def due(held: deque[tuple[float, bytes]], elapsed: float) -> int:
        nonlocal done
        if not held or elapsed < (done + 1) * every_s:
            return 0
        done += 1
        return 1

    return Tactic(due)


def stretch(most_s: float = 5.5, over_s: float = 12.0) -> Tactic:
    """Delay each datagram by more than the one before, up to a limit."""

    def due(held: deque[tuple[float, bytes]], elapsed: float) -> int:
        return sum(
            1 for arrived, _ in held if elapsed >= arrived + min(most_s, most_s * arrived / over_s)
        )

    return Tactic(due)


def burst(held_s: float = 1.6, free_s: float = 1.6) -> Tactic:
    """Hold all for a while, let it go newest first, let what follows pass, and begin again."""

    def due(held: deque[tuple[float, bytes]], elapsed: float) -> int:
        return len(held) if elapsed % (held_s + free_s) >= held_s else 0

    return Tactic(due, newest_first=True)


TACTICS: dict[str, Callable[[], Tactic]] = {
    "hold": hold,
    "trickle": trickle,
    "stretch": stretch,
    "burst": burst,
}
