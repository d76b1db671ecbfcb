# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Prekeys that the drone fetches in the background, below all data, within a budget of airtime."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pqc_policy.policy.protection import Fetch
from pqc_policy.policy.suites import Suite

from pqc_sim.tunnel.exchange import DOWN, ControlPath, part_bytes

# Bytes/s of a link that its path says nothing of.
_USUAL_BYTES_S = 2.5e6
_STEP_S = 0.25
TURN = 97  # tells its frames from those of exchanges


@dataclass
class _Prekey:
    suite: Suite
    made_s: float
    left: float  # bytes that are still to come


@dataclass
class Fetching:
    """Several at a time share the budget; each keeps its progress until the session ends."""

    path: ControlPath
    airtime: float  # share of the link
    under_way: list[_Prekey] = field(default_factory=list)
    stock: dict[tuple[str, str], float] = field(default_factory=dict)  # there, and when made
    air_bytes: float = 0.0
    _at_s: float = 0.0

    @property
    def budget_bytes_s(self) -> float:
        """The bytes/s that all fetches may take together."""
        capacity = self.path.rate_bytes_s or self.path.capacity_bytes_s or _USUAL_BYTES_S
        return min(self.airtime * capacity, self.path.free_bytes_s or capacity)

    def begin(self, suite: Suite, now_s: float) -> None:
        """Fetch a prekey unless it is there or under way."""
        kind = kind_of(suite)
        if kind not in self.stock and all(kind_of(one.suite) != kind for one in self.under_way):
            self.under_way.append(_Prekey(suite, now_s, float(suite.prekey_bytes)))

    def take(self, suite: Suite) -> float | None:
        """Use a prekey up; return when it was made, None: there is none."""
        return self.stock.pop(kind_of(suite), None)

    def clear(self) -> None:
        """Forget everything: the prekeys are those of a session."""
        self.under_way.clear()
        self.stock.clear()

    def advance(self, until_s: float, *, open_: bool) -> None:
        """Let time pass; without a session nothing comes."""
        while self._at_s + _STEP_S <= until_s:
            self._at_s += _STEP_S
            if open_ and self.under_way:
                self._step()

    def _step(self) -> None:
        size = self.budget_bytes_s * _STEP_S
        parts = max(1, round(size / part_bytes(self.path)))
        whole = max(one.suite.prekey_bytes for one in self.under_way)
        missing, _ = self.path.tried(DOWN, parts, whole, self._at_s, TURN)
        self.air_bytes += size
        arrived = size * (parts - missing) / parts
        share = arrived / len(self.under_way)
        for one in list(self.under_way):
            one.left -= share
            if one.left <= 0.0:
                self.under_way.remove(one)
                self.stock[kind_of(one.suite)] = one.made_s

    def told(self, suites: Collection[Suite]) -> tuple[Fetch, ...]:
        """Return what the tunnel says of suites."""
        left = {kind_of(one.suite): one.left for one in self.under_way}
        return tuple(self._told(suite, left.get(kind_of(suite))) for suite in suites)

    def _told(self, suite: Suite, left: float | None) -> Fetch:
        size, ready = suite.prekey_bytes, kind_of(suite) in self.stock
        rekey_bytes = suite.rekey_bytes - size
        return Fetch(
            suite=suite.id,
            fetch_bytes=size,
            rekey_bytes=rekey_bytes,
            fetch_s=size / self.budget_bytes_s,
            rekey_s=rekey_bytes / self.path.rate_bytes_s if self.path.rate_bytes_s else 0.0,
            ready=ready,
            progress=None if left is None else 1.0 - left / size,
        )


def kind_of(suite: Suite) -> tuple[str, str]:
    """Return the KEM and signature of a prekey."""
    return suite.kem, suite.signature
