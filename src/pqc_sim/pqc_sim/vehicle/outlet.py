# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Bulk of an autopilot: so many messages at once, so often, until there are no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.reply import Reply

NEVER_NS = 1 << 62
MS = 1_000_000


class Pace(NamedTuple):
    """The number of messages that leave at once, and the interval in ns."""

    burst: int
    period_ns: int


class Outlet:
    """Sends the messages of an iterator at a pace; each is made when it leaves."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._left: Iterator[mavlink.MAVLink_message] | None = None
        self._next_ns = 0

    @property
    def busy(self) -> bool:
        return self._left is not None

    def begin(self, messages: Iterable[mavlink.MAVLink_message], now_ns: int) -> None:
        self._left, self._next_ns = iter(messages), now_ns

    def stop(self) -> None:
        self._left = None

    def next_ns(self) -> int:
        """Return when the next burst is due, in ns."""
        return self._next_ns if self.busy else NEVER_NS

    def due(self, now_ns: int, *, room: bool = True) -> Reply:
        """Return the burst that is due; without room it waits for another period."""
        if self._left is None or now_ns < self._next_ns:
            return []
        # A program that is late sends no more at once for that.
        self._next_ns = max(self._next_ns + self._pace.period_ns, now_ns)
        if not room:
            return []
        messages = list(islice(self._left, self._pace.burst))
        if len(messages) < self._pace.burst:
            self._left = None
        return messages
