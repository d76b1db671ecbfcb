# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Prekeys that the drone fetches in the background, below all data, within a budget of airtime.

While the rate of the link is unknown they come without a pace, a window in each round trip. So
does a long key, until it has filled the link; the next one that would waits until the budget has
made up for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import inf

from pqc_policy.policy.protection import Fetch
from pqc_policy.policy.suites import Suite

from pqc_sim.tunnel.exchange import DOWN, ControlPath, part_bytes
from pqc_sim.tunnel.measured_rate import LONG_KEY, MeasuredRate, Window

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
_MOST_LINE = 1232  # bytes of a paced part
_LONGEST_PAYLOAD, _LEAST_PAYLOAD, _SMALL_PAYLOAD = 1207, 73, 512
_RADIO_PAYLOAD = 252 - 25
_LOOK_S = 0.05  # after so long the drone notices a rate, and asks for a pace
_LEAST_TRIP_S = 0.002
TURN = 97  # tells its frames from those of exchanges


@dataclass
class _Prekey:
    suite: Suite
    made_s: float
    left: float  # bytes that are still to come
    urgent: bool = False  # a rekey waits for it
    begun: bool = False  # its parts come


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
    _rate: MeasuredRate = field(default_factory=MeasuredRate)
    _noticed_s: float | None = None  # when a rate was known that is to set the pace
    _paced: bool = False
    _debt: float = 0.0  # bytes that long keys took beyond the budget
    _counted: float = 0.0  # of air_bytes
    # When parts are there that have left, their bytes, and the round trip of a window; 0: paced.
    _coming: tuple[float, float, float] | None = None
    _newest: tuple[tuple[object, ...], tuple[Fetch, ...]] = ((), ())  # told, and of what state

    @property
    def rate_bytes_s(self) -> float | None:
        """What the drone takes for the rate of the link; None: unknown."""
        return self.path.rate_bytes_s or self._rate.bytes_s

    @property
    def _capacity(self) -> float:
        return self.path.rate_bytes_s or self.path.capacity_bytes_s or _USUAL_BYTES_S

    @property
    def _overhead(self) -> int:
        return _SERIAL if self.path.rate_bytes_s else _UDP

    @property
    def _longest(self) -> int:
        return _RADIO_PAYLOAD if self.path.rate_bytes_s else _LONGEST_PAYLOAD

    def _payload(self, share: float) -> int:
        """Return the bytes of the longest payload at a share of the link."""
        rate = self.rate_bytes_s
        if rate is None:
            return self._longest
        most_s = _MOST_RARE_S if share <= _RARE else _MOST_S
        line = min(rate * min(share * _MOST_PACED_S, most_s), _MOST_LINE)
        return max(min(int(line) - self._overhead, self._longest), _LEAST_PAYLOAD)

    def _message(self, size: int, payload: int, per_ack: int) -> int:
        """Return the bytes on the line of a message's parts and of their acknowledgements."""
        parts = -(-size // (payload - _HEADER))
        acks = -(-parts // per_ack)
        return size + parts * (_HEADER + self._overhead) + acks * (_ACK + self._overhead)

    def _bytes(self, size: int, payload: int) -> int:
        """Return the bytes on the line of all frames of a fetch, as fetch_costs.cpp does."""
        per_ack = 8 if payload < _SMALL_PAYLOAD else 2
        return self._message(size, payload, per_ack) + _WANT + self._overhead

    def comes_within(self, suite: Suite, seconds: float) -> bool:
        """Return whether a prekey takes no longer than that, as far as the drone knows."""
        if self.rate_bytes_s is None:
            return suite.prekey_size <= LONG_KEY
        return suite.prekey_size <= self._budget * seconds

    def begin(self, suite: Suite, now_s: float) -> bool:
        """Fetch a prekey; False if it is there or under way."""
        kind = kind_of(suite)
        if kind in self.stock or any(kind_of(one.suite) == kind for one in self.under_way):
            return False
        if not self.under_way:
            self._at_s = max(self._at_s, now_s)
        self.under_way.append(_Prekey(suite, now_s, float(suite.prekey_size)))
        return True

    @property
    def may_begin(self) -> bool:
        """Whether another one may be fetched that nobody has asked for."""
        lanes = self._in_lanes()
        return len(lanes) < _LANES and all(one.begun for one in lanes)

    def put_off(self, is_late: Callable[[Suite], bool]) -> None:
        """Give up what has hardly begun, unless a rekey waits for it."""
        self.under_way = [
            one
            for one in self.under_way
            if one.urgent or one.left < 0.75 * one.suite.prekey_size or not is_late(one.suite)
        ]

    def hurry(self, suite: Suite, now_s: float) -> float:
        """Let a rekey wait for a prekey; return the bytes that are still to come, in any parts."""
        self.begin(suite, now_s)
        one = next(one for one in self.under_way if kind_of(one.suite) == kind_of(suite))
        one.urgent = True
        return suite.prekey_bytes * one.left / suite.prekey_size

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
        while open_ and not any(one.urgent for one in self.under_way):
            lanes = sorted(self._in_lanes(), key=lambda one: one.left)
            if not lanes:
                break
            self._coming = self._coming or self._send(lanes)
            due_s, came, trip_s = self._coming
            if due_s > until_s:
                return
            if trip_s:
                window = Window(came, trip_s, due_s - self._at_s, self.path.spread_s)
                self._rate.take(window, self._capacity, due_s)
            self._count_debt(due_s, grows=not self._paced and self._measures(lanes))
            self._at_s, self._coming = due_s, None
            self._take(lanes, came)
        if until_s > self._at_s:
            self._rate.begin_train()
            self._count_debt(until_s, grows=False)
        self._at_s, self._coming = max(self._at_s, until_s), None

    @property
    def _budget(self) -> float:
        return _SHARE_OF_PARTS * self.airtime * (self.rate_bytes_s or 0.0)

    @property
    def _is_sure(self) -> bool:
        return self.path.rate_bytes_s is not None or self._rate.is_sure(self._at_s)

    def _measures(self, lanes: Iterable[_Prekey]) -> bool:
        """Return whether a key would come without a pace, since the rate is not sure."""
        return not self._is_sure and any(one.suite.prekey_size > LONG_KEY for one in lanes)

    def _in_lanes(self) -> list[_Prekey]:
        return [one for one in self.under_way if not self._waits(one)][:_LANES]

    def _waits(self, one: _Prekey) -> bool:
        return not one.begun and self._debt > 0.0 < self._budget and self._measures([one])

    def _count_debt(self, now_s: float, *, grows: bool) -> None:
        """Count what has come, once its time is over."""
        taken, self._counted = self.air_bytes - self._counted, self.air_bytes
        taken *= _LONGEST_PAYLOAD / (_LONGEST_PAYLOAD + _UDP - _SERIAL)  # without UDP's headers
        if grows or self._debt > 0.0:
            self._debt = max(0.0, self._debt + taken - self._budget * (now_s - self._at_s))

    def _send(self, lanes: list[_Prekey]) -> tuple[float, float, float]:
        """Send what leaves now; return it as `_coming` has it."""
        now_s, first = self._at_s, lanes[0]
        free = self.path.free_bytes_s if self.path.rate_bytes_s else None
        free = min(free or inf, self._capacity)
        left = sum(one.left for one in lanes)
        missing, delay_s = self.path.tried(DOWN, 1, first.suite.prekey_bytes, now_s, TURN)
        trip_s = max(2.0 * delay_s, _LEAST_TRIP_S)
        asks = not self._paced or not first.begun
        self._paced = self._has_pace(lanes, trip_s)
        first.begun = first.begun or not missing
        if not self._paced:
            size = min(self._rate.window, first.left)
            last_s = self._rate.last_s(size, free, trip_s) if size == first.left else 0.0
            came = self._carried(first, size, _LONGEST_PAYLOAD)
            return now_s + max(trip_s, size / free) + last_s, came, trip_s
        share = _SHARE_OF_PARTS * self.airtime
        payload = self._payload(share)
        if asks:
            # The first part, or the window that has left before where it fills the link.
            size = self._rate.window if self._rate.fills else payload - _HEADER
            self._rate.fills = False
            came = self._carried(first, min(size, left), payload)
            return now_s + max(trip_s, size / free), came, 0.0
        pace = min(share * (self.rate_bytes_s or free), free)
        pace *= (payload - _HEADER) / (payload + self._overhead)
        took_s = min(_STEP_S, max(left / pace, _LEAST_TRIP_S))
        return now_s + took_s, self._carried(first, min(pace * took_s, left), payload), 0.0

    def _has_pace(self, lanes: list[_Prekey], trip_s: float) -> bool:
        """Return whether parts that leave now have a pace: a long key measures the link first."""
        goes_on = not self._paced or not self._debt
        if self.rate_bytes_s is None or (self._measures(lanes) and goes_on):
            self._noticed_s = None
            return False
        if self._noticed_s is None:
            self._noticed_s = self._at_s
        asks = self._is_sure or not any(one.begun for one in lanes)
        return self._paced or asks or self._at_s + trip_s >= self._noticed_s + _LOOK_S

    def _carried(self, first: _Prekey, size: float, payload: int) -> float:
        """Return how many of so many bytes arrive."""
        whole = self._bytes(first.suite.prekey_size, payload)
        self.air_bytes += size * whole / first.suite.prekey_size
        parts = max(1, round(size / part_bytes(self.path)))
        missing, _ = self.path.tried(DOWN, parts, first.suite.prekey_bytes, self._at_s, TURN)
        return size * (parts - missing) / parts

    def _take(self, lanes: list[_Prekey], came: float) -> None:
        for one in lanes:
            size = min(one.left, came)
            one.left -= size
            came -= size
            if one.left < 1.0:
                self.arrived(one.suite)

    def told(self, suites: tuple[Suite, ...]) -> tuple[Fetch, ...]:
        left = {kind_of(one.suite): one.left for one in self._in_lanes()}
        state = suites, tuple(left.items()), tuple(self.stock), self.rate_bytes_s, self._debt
        if state != self._newest[0]:
            told = tuple(self._told(suite, left.get(kind_of(suite))) for suite in suites)
            self._newest = state, told
        return self._newest[1]

    def _told(self, suite: Suite, left: float | None) -> Fetch:
        size = self._bytes(suite.prekey_size, self._payload(self.airtime))
        finish = self._message(suite.finish_size, self._longest, 2)
        rekey_bytes = finish + _ANSWERS + 3 * self._overhead
        rate = self.rate_bytes_s
        fetch_s = size / (self.airtime * rate) if rate else None
        is_long = suite.prekey_size > LONG_KEY
        if rate and not self.path.rate_bytes_s and not self._rate.was_sure and is_long:
            fetch_s = size / rate + self._debt / self._budget
        return Fetch(
            suite=suite.id,
            fetch_bytes=size,
            rekey_bytes=rekey_bytes,
            fetch_s=fetch_s,
            rekey_s=rekey_bytes / rate if rate else None,
            ready=self.holds(suite),
            progress=None if left is None else 1.0 - left / suite.prekey_size,
        )


def kind_of(suite: Suite) -> tuple[str, str]:
    return suite.kem, suite.signature
