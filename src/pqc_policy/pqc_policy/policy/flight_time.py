# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Time that goes on evenly while the clock is set; a flight and its replay share the rule."""

from __future__ import annotations

from pqc_policy.policy.telemetry import NANOSECONDS

# A clock that is away by more than this from where a steady clock puts it was set.
_STEP_NS = NANOSECONDS // 2
# A recording tells no steady time: in it a clock was set that jumps back, or over such a silence.
_JUMP_BACK_NS, LONGEST_SILENCE_NS = 2 * NANOSECONDS, 10 * NANOSECONDS
# A stamp so near to the present needs no other explanation than delay.
_NEAR_NS = 2 * NANOSECONDS


class FlightTime:
    """Begins as the time of the clock, in ns, and never jumps."""

    def __init__(self) -> None:
        self.now_ns: int | None = None
        self.ahead_ns = 0  # of the clock
        self._steady_ns = 0
        self._before: list[
            tuple[int, int]
        ] = []  # when ahead_ns changed, and what it was until then

    def advance(self, clock_ns: int, steady_ns: int | None = None) -> int:
        """Return the present time, from the clock and a steady clock; None: there is none."""
        if self.now_ns is None:
            self.now_ns, self._steady_ns = clock_ns, steady_ns or 0
            return self.now_ns
        before_ns, shown_ns = self.now_ns, clock_ns - self.ahead_ns
        if steady_ns is not None:
            self.now_ns += steady_ns - self._steady_ns
            self._steady_ns = steady_ns
            was_set = abs(shown_ns - self.now_ns) > _STEP_NS
        else:
            was_set = not -_JUMP_BACK_NS <= shown_ns - before_ns <= LONGEST_SILENCE_NS
            self.now_ns = before_ns if was_set else max(before_ns, shown_ns)
        self._before = [
            entry for entry in self._before if before_ns - entry[0] < LONGEST_SILENCE_NS
        ]
        if was_set:
            self._before.append((self.now_ns, self.ahead_ns))
            self.ahead_ns = clock_ns - self.now_ns
        return self.now_ns

    def of_stamp(self, stamp_ns: int) -> int | None:
        """Return the time of a stamp on a message that has just arrived; None for a future one.

        Around a change of the clock the message may be from before it. A stamp that is from the
        future of every clock of the last seconds is none of this computer.
        """
        assert self.now_ns is not None
        time_ns = stamp_ns - self.ahead_ns
        if abs(time_ns - self.now_ns) <= _NEAR_NS:
            return time_ns
        likely = [stamp_ns - ahead_ns for _, ahead_ns in self._before]
        past = [one for one in (time_ns, *likely) if one <= self.now_ns]
        return max(past, default=None)
