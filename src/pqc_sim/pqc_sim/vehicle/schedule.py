# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The schedule of messages: slots at the exact total rate, assigned by earliest deadline."""

from __future__ import annotations

import heapq

_NS = 1_000_000_000


class Pacer:
    """Counts slots at an exact rate: slot k is due k/rate seconds after the start.

    Times are integers in ns, so late calls cause no drift. A caller that is late by more than
    `patience_s` skips the slots before that, which are counted as slips.
    """

    def __init__(self, rate_hz: int, start_ns: int, patience_s: float = 1.0) -> None:
        """Start with the first slot due at once."""
        if rate_hz < 1:
            raise ValueError("the message rate must be at least 1 per second")
        self.rate_hz = rate_hz
        self.slips = 0
        self._start_ns = start_ns
        self._taken = 0
        self._patience = int(patience_s * rate_hz)

    def next_ns(self) -> int:
        """Return when the next slot is due, in ns."""
        return self._start_ns - (-self._taken * _NS // self.rate_hz)

    def take(self, now_ns: int) -> int:
        """Return the number of slots since the last call."""
        if now_ns < self._start_ns:
            return 0
        due = (now_ns - self._start_ns) * self.rate_hz // _NS + 1 - self._taken
        late = max(0, due - self._patience - 1)
        self.slips += late
        self._taken += max(0, due)
        return max(0, due - late)


class Share:
    """Shares slots among named streams so that each gets its rate evenly.

    `fixed` streams keep their rates; `filling` streams divide the rest of the total in
    proportion to their weights. If the fixed rates exceed the total, they are scaled down, except
    the first.
    """

    def __init__(self, total_hz: int, fixed: dict[str, float], filling: dict[str, float]) -> None:
        """Make the shares; rates in Hz."""
        self._total = float(total_hz)
        self._fixed = dict(fixed)
        self._filling = dict(filling)
        self._first = next(iter(fixed))
        self._deadlines: list[tuple[float, int, str]] = []
        self._slot = 0
        self.rates: dict[str, float] = {}
        self._arrange()

    def set_rate(self, name: str, rate_hz: float) -> bool:
        """Give a stream a fixed rate (0: off); False if the total is too small."""
        fixed = {**self._fixed, name: rate_hz}
        filling = {other: weight for other, weight in self._filling.items() if other != name}
        if sum(fixed.values()) > self._total or not any(filling.values()):
            return False
        self._fixed, self._filling = fixed, filling
        self._arrange()
        return True

    def fill(self, name: str, weight: float) -> bool:
        """Let a stream fill again, with a weight; always True."""
        self._fixed.pop(name, None)
        self._filling[name] = weight
        self._arrange()
        return True

    def next(self) -> str:
        """Return the stream that gets the next slot."""
        deadline, order, name = self._deadlines[0]
        heapq.heapreplace(self._deadlines, (deadline + self._total / self.rates[name], order, name))
        self._slot += 1
        return name

    def _arrange(self) -> None:
        fixed = dict(self._fixed)
        room = self._total - sum(fixed.values())
        if room < 0.0:
            first = min(fixed[self._first], self._total)
            rest = sum(fixed.values()) - fixed[self._first]
            scale = (self._total - first) / rest
            fixed = {name: rate * scale for name, rate in fixed.items()}
            fixed[self._first] = first
            room = 0.0
        weights = sum(self._filling.values())
        filled = {name: room * weight / weights for name, weight in self._filling.items()}
        before = {name: deadline for deadline, _, name in self._deadlines}
        self.rates = {**fixed, **filled}
        self._deadlines = []
        for order, (name, rate) in enumerate(self.rates.items()):
            if rate > 0.0:
                # The first slot of a stream comes within its first period.
                start = self._slot + (0.0 if order == 0 else self._total / rate / 2)
                soonest = self._slot + self._total / rate
                self._deadlines.append((min(before.get(name, start), soonest), order, name))
        heapq.heapify(self._deadlines)
