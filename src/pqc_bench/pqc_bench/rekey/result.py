# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result of a storm: a record per rekey, with sums per suite and in total."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pqc_bench.harness.blaster import DIRECTIONS
from pqc_bench.rekey.arithmetic import bytes_of

# A rekey may exceed the time of the cryptography that remains to be done by this much.
BUDGET_FACTOR = 1.5
BUDGET_MS = 5.0
# The same where the prekey is there, beyond the cryptography and one round trip.
PROMPT_MS = 2.0
# The bytes on the air may differ from the arithmetic by so much.
BYTES_TOLERANCE = 0.1


# A pause of the generator that shows in the gaps, and by how much such a gap exceeds it at most.
_PAUSE_MS, _JITTER_MS = 10.0, 5.0


def own_gap_ms(gap_ms: float, pause_ms: float) -> float:
    """Return the longest gap between arrivals, without a pause in which nothing was sent.

    The host withdraws processors now and then, the generator's, too.
    """
    made_by_generator = pause_ms >= _PAUSE_MS and 0.0 <= gap_ms - pause_ms <= _JITTER_MS
    return gap_ms - pause_ms if made_by_generator else gap_ms


_COUNTS = ("sent", "lost", "duplicated", "corrupted")
_LONGEST = ("longest_gap_ms", "longest_pause_ms", "own_gap_ms")


@dataclass(frozen=True)
class Traffic:
    """The datagrams of one window, both directions together."""

    seconds: float = 0.0
    sent: int = 0
    lost: int = 0
    duplicated: int = 0
    corrupted: int = 0
    longest_gap_ms: float = 0.0  # between arrivals
    longest_pause_ms: float = 0.0  # between datagrams sent
    own_gap_ms: float = 0.0  # the longest gap that no pause explains

    @staticmethod
    def of(window: dict[str, Any]) -> Traffic:
        """Read a window of pqc_blaster's report."""
        ways = [window[direction] for direction in DIRECTIONS]
        return Traffic(
            seconds=window["seconds"],
            **{name: sum(way[name] for way in ways) for name in _COUNTS},
            longest_gap_ms=max(way["longest_gap_ms"] for way in ways),
            longest_pause_ms=max(way["longest_pause_ms"] for way in ways),
            own_gap_ms=max(
                own_gap_ms(way["longest_gap_ms"], way["longest_pause_ms"]) for way in ways
            ),
        )


def together(windows: Iterable[Traffic]) -> Traffic:
    """Return the sum of windows; of gaps, the longest."""
    all_of = [asdict(window) for window in windows]
    added = {name: sum(of[name] for of in all_of) for name in ("seconds", *_COUNTS)}
    longest = {name: max((of[name] for of in all_of), default=0.0) for name in _LONGEST}
    return Traffic(**added, **longest)


@dataclass(frozen=True)
class Rekey:
    """One rekey: how it went, and where its time went (ms)."""

    suite: str
    succeeded: bool
    rolled_back: bool
    message: str
    handshake_ms: float = 0.0
    fetch_ms: float = 0.0  # until the prekey had arrived; 0 if the drone had one
    commit_ms: float | None = None  # from the service call to sending under the new keys
    keygen_ms: float = 0.0
    sign_ms: float = 0.0
    verify_ms: float = 0.0
    encapsulate_ms: float = 0.0
    decapsulate_ms: float = 0.0
    pooled: bool = False  # the ground station had the keys in stock, signed
    ahead: bool = False  # the drone had its prekey already, verified
    round_trip_ms: float = 0.0  # of the link, as last measured by the drone
    bytes: int = 0  # on the air, both ways, without the prekey
    fetch_bytes: int = 0  # of the prekey; 0 if the drone had one
    new_session: bool = False  # the session had used its last epoch

    @property
    def prompt(self) -> bool:
        """Return whether it took a round trip and its cryptography, as with a prekey it should."""
        within = self.handshake_ms <= self.round_trip_ms + self.primitives_ms + PROMPT_MS
        return self.succeeded and self.ahead and within

    @property
    def in_bytes(self) -> bool:
        """Return whether its bytes are those of the arithmetic, which is not of new sessions."""
        if self.new_session:
            return True
        expected = bytes_of(self.suite)
        return abs(self.bytes - expected) <= BYTES_TOLERANCE * expected

    @property
    def primitives_ms(self) -> float:
        made = 0.0 if self.ahead or self.pooled else self.keygen_ms + self.sign_ms
        verified = 0.0 if self.ahead else self.verify_ms
        return made + verified + self.encapsulate_ms + self.decapsulate_ms


@dataclass(frozen=True)
class Step:
    """A rekey with the traffic meanwhile, and the steady traffic before it."""

    rekey: Rekey
    meanwhile: Traffic
    before: Traffic


def suite_record(steps: Sequence[Step]) -> dict[str, Any]:
    """Sum up the rekeys to one suite: counts added, gaps the longest, times their medians."""
    rekeys = [step.rekey for step in steps]
    done = [rekey for rekey in rekeys if rekey.succeeded]
    meanwhile = together(step.meanwhile for step in steps)
    commit_ms = _median([rekey.commit_ms for rekey in done if rekey.commit_ms is not None])
    primitives_ms = _median([rekey.primitives_ms for rekey in done])
    budget = primitives_ms is not None and commit_ms is not None
    return {
        "suite": rekeys[0].suite,
        "rekeys": len(done),
        "new_sessions": sum(rekey.new_session for rekey in done),
        "sent": meanwhile.sent,
        "lost": meanwhile.lost,
        "duplicated": meanwhile.duplicated,
        "corrupted": meanwhile.corrupted,
        "longest_gap_ms": _rounded(meanwhile.longest_gap_ms),
        "steady_gap_ms": _rounded(together(step.before for step in steps).longest_gap_ms),
        "longest_pause_ms": _rounded(meanwhile.longest_pause_ms),
        "handshake_ms": _median([rekey.handshake_ms for rekey in done]),
        "fetch_ms": _median([rekey.fetch_ms for rekey in done]),
        "commit_ms": commit_ms,
        "primitives_ms": primitives_ms,
        "pooled": bool(done) and all(rekey.pooled for rekey in done),
        "ahead": bool(done) and all(rekey.ahead for rekey in done),
        "ahead_rekeys": sum(rekey.ahead for rekey in done),
        "prompt_rekeys": sum(rekey.prompt for rekey in done),
        "bytes": _median([rekey.bytes for rekey in done]),
        "fewest_bytes": min((rekey.bytes for rekey in done), default=None),
        "most_bytes": max((rekey.bytes for rekey in done), default=None),
        "arithmetic_bytes": bytes_of(rekeys[0].suite),
        "in_bytes": sum(rekey.in_bytes for rekey in done),
        "fetch_bytes": _median([rekey.fetch_bytes for rekey in done if rekey.fetch_bytes]),
        "round_trip_ms": _median([rekey.round_trip_ms for rekey in done]),
        "within_budget": budget and commit_ms <= BUDGET_FACTOR * primitives_ms + BUDGET_MS,
        "rolled_back": sum(rekey.rolled_back for rekey in rekeys),
        "failed": sum(not rekey.succeeded for rekey in rekeys),
        "message": next((rekey.message for rekey in rekeys if not rekey.succeeded), ""),
    }


def suite_records(steps: Sequence[Step]) -> list[dict[str, Any]]:
    by_suite: dict[str, list[Step]] = {}
    for step in steps:
        by_suite.setdefault(step.rekey.suite, []).append(step)
    return [suite_record(group) for group in by_suite.values()]


_SUMMED = (
    *("rekeys", "failed", "rolled_back", "pooled", "ahead", "ahead_rekeys", "prompt_rekeys"),
    *("in_bytes", "within_budget"),
)


def totals_record(
    suites: Sequence[dict[str, Any]], rekeying: Traffic, steady: Traffic
) -> dict[str, Any]:
    ratio = rekeying.own_gap_ms / steady.own_gap_ms if steady.own_gap_ms else None
    return {
        "suites": len(suites),
        **{name: sum(record[name] for record in suites) for name in _SUMMED},
        **{name: getattr(rekeying, name) for name in _COUNTS},
        "longest_gap_ms": _rounded(rekeying.longest_gap_ms),
        "longest_pause_ms": _rounded(rekeying.longest_pause_ms),
        "own_gap_ms": _rounded(rekeying.own_gap_ms),
        "rekeying_s": _rounded(rekeying.seconds),
        "steady_gap_ms": _rounded(steady.longest_gap_ms),
        "steady_own_gap_ms": _rounded(steady.own_gap_ms),
        "steady_sent": steady.sent,
        "steady_lost": steady.lost,
        "steady_s": _rounded(steady.seconds),
        "gap_ratio": None if ratio is None else _rounded(ratio),
    }


def _median(values: Sequence[float]) -> float | None:
    return _rounded(statistics.median(values)) if values else None


def _rounded(value: float) -> float:
    return round(value, 3)
