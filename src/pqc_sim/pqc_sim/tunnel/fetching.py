# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Prekeys that the drone fetches in the background, below all data, within a budget of airtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pqc_policy.policy.protection import Fetch
from pqc_policy.policy.suites import Suite

from pqc_sim.tunnel.exchange import DOWN, ControlPath, part_bytes

# Bytes/s of a link that its path says nothing of.
_USUAL_BYTES_S = 2.5e6
_STEP_S = 0.25
_LANES = 3
# Bytes that a frame takes beside its payload on a serial line and as a datagram, as the tunnel
# counts them; those of the header of a part, of a WANT and of an acknowledgement.
_SERIAL, _UDP, _HEADER, _WANT, _ACK = 25 + 2, 25 + 48, 9, 15, 13
_ANSWERS = 47  # of a rekey, three frames
# A part takes at most so many seconds, at the pace and of the link; more at a share that is small.
_MOST_PACED_S, _MOST_S, _MOST_RARE_S, _RARE = 2.5, 0.028, 0.035, 0.03
_SHARE_OF_PARTS = 0.91  # of the budget; the rest is for acknowledgements and WANT
_LONGEST_PAYLOAD, _LEAST_PAYLOAD, _SMALL_PAYLOAD = 1207, 73, 512
_RADIO_PAYLOAD = 252 - 25
TURN = 97  # tells its frames from those of exchanges


@dataclass
class _Prekey:
    suite: Suite
    made_s: float
    left: float  # bytes that are still to come
    urgent: bool = False  # a rekey waits for it


@dataclass
class Fetching:
    """Several at a time, the one with fewest bytes left first.

    Each keeps its progress until the session ends. One that a rekey waits for comes at what data
    leaves, as an exchange of the tunnel; the others stand still meanwhile.
    """

    path: ControlPath
    airtime: float  # share of the link
    under_way: list[_Prekey] = field(default_factory=list)
    stock: dict[tuple[str, str], float] = field(default_factory=dict)  # there, and when made
    air_bytes: float = 0.0
    _at_s: float = 0.0
    _bytes_of: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    _newest: tuple[tuple[object, ...], tuple[Fetch, ...]] = ((), ())  # told, and of what state

    @property
    def budget_bytes_s(self) -> float:
        """The bytes/s that all fetches may take together."""
        return min(self.airtime * self._capacity, self.path.free_bytes_s or self._capacity)

    @property
    def _capacity(self) -> float:
        return self.path.rate_bytes_s or self.path.capacity_bytes_s or _USUAL_BYTES_S

    def bytes_of(self, suite: Suite) -> tuple[int, int]:
        """Return the bytes on the line of a prekey's parts, and of all frames of its fetch.

        They are those of fetch_costs.cpp of the tunnel.
        """
        kind = kind_of(suite)
        if kind not in self._bytes_of:
            self._bytes_of[kind] = self._bytes(suite)
        return self._bytes_of[kind]

    def _bytes(self, suite: Suite) -> tuple[int, int]:
        most_s = _MOST_RARE_S if self.airtime <= _RARE else _MOST_S
        line = self._capacity * min(self.airtime * _MOST_PACED_S, most_s)
        payload = max(min(int(line) - self._overhead, self._longest), _LEAST_PAYLOAD)
        per_ack = 8 if payload < _SMALL_PAYLOAD else 2
        parts, whole = self._message(suite.prekey_size, payload, per_ack)
        return parts, whole + _WANT + self._overhead

    @property
    def _overhead(self) -> int:
        return _SERIAL if self.path.rate_bytes_s else _UDP

    @property
    def _longest(self) -> int:
        return _RADIO_PAYLOAD if self.path.rate_bytes_s else _LONGEST_PAYLOAD

    def _message(self, size: int, payload: int, per_ack: int) -> tuple[int, int]:
        """Return the bytes of a message's parts on the line, without and with acknowledgements."""
        parts = -(-size // (payload - _HEADER))
        whole = size + parts * (_HEADER + self._overhead)
        return whole, whole + -(-parts // per_ack) * (_ACK + self._overhead)

    def begin(self, suite: Suite, now_s: float) -> None:
        """Fetch a prekey unless it is there or under way."""
        kind = kind_of(suite)
        if kind not in self.stock and all(kind_of(one.suite) != kind for one in self.under_way):
            self.under_way.append(_Prekey(suite, now_s, float(self.bytes_of(suite)[0])))

    def put_off(self, is_late: Callable[[Suite], bool]) -> None:
        """Give up what has hardly begun, unless a rekey waits for it."""
        self.under_way = [
            one
            for one in self.under_way
            if one.urgent or one.left < 0.75 * self.bytes_of(one.suite)[0] or not is_late(one.suite)
        ]

    def hurry(self, suite: Suite, now_s: float) -> float:
        """Let a rekey wait for a prekey; return the bytes that are still to come, in any parts."""
        self.begin(suite, now_s)
        one = next(one for one in self.under_way if kind_of(one.suite) == kind_of(suite))
        one.urgent = True
        return suite.prekey_bytes * one.left / self.bytes_of(suite)[0]

    def arrived(self, suite: Suite) -> None:
        """Take a prekey into stock."""
        one = next(one for one in self.under_way if kind_of(one.suite) == kind_of(suite))
        self.under_way.remove(one)
        self.stock[kind_of(suite)] = one.made_s

    def calm(self) -> None:
        """Take note that no rekey waits any more."""
        for one in self.under_way:
            one.urgent = False

    def holds(self, suite: Suite) -> bool:
        """Return whether a prekey is there."""
        return kind_of(suite) in self.stock

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
            if open_ and self.under_way and not any(one.urgent for one in self.under_way):
                self._step(sorted(self.under_way[:_LANES], key=lambda one: one.left))

    def _step(self, lanes: list[_Prekey]) -> None:
        pace = _SHARE_OF_PARTS * self.budget_bytes_s
        size = min(pace * _STEP_S, sum(one.left for one in lanes))
        parts = max(1, round(size / part_bytes(self.path)))
        whole = max(one.suite.prekey_bytes for one in lanes)
        missing, _ = self.path.tried(DOWN, parts, whole, self._at_s, TURN)
        of_parts, of_all = self.bytes_of(lanes[0].suite)
        self.air_bytes += size * of_all / of_parts
        came = size * (parts - missing) / parts
        for one in lanes:
            bytes_ = min(one.left, came)
            one.left -= bytes_
            came -= bytes_
            if one.left <= 0.0:
                self.arrived(one.suite)

    def told(self, suites: tuple[Suite, ...]) -> tuple[Fetch, ...]:
        """Return what the tunnel says of suites."""
        left = {kind_of(one.suite): one.left for one in self.under_way}
        state = suites, tuple(left.items()), tuple(self.stock)
        if state != self._newest[0]:
            told = tuple(self._told(suite, left.get(kind_of(suite))) for suite in suites)
            self._newest = state, told
        return self._newest[1]

    def _told(self, suite: Suite, left: float | None) -> Fetch:
        whole, size = self.bytes_of(suite)
        _, finish = self._message(suite.finish_size, self._longest, 2)
        rekey_bytes = finish + _ANSWERS + 3 * self._overhead
        return Fetch(
            suite=suite.id,
            fetch_bytes=size,
            rekey_bytes=rekey_bytes,
            fetch_s=size / self.budget_bytes_s,
            rekey_s=rekey_bytes / self.path.rate_bytes_s if self.path.rate_bytes_s else 0.0,
            ready=self.holds(suite),
            progress=None if left is None else 1.0 - left / whole,
        )


def kind_of(suite: Suite) -> tuple[str, str]:
    """Return the KEM and signature of a prekey."""
    return suite.kem, suite.signature
