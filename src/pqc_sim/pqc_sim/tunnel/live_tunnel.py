# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""This tunnel: the old keys serve until the new ones work, and prekeys are fetched ahead.

On a thin link a message of several parts goes behind all data, as do prekeys that are fetched in
the background; data waits for one part at most. A rekey without its prekey waits until that is
there, while ratchets and other rekeys go on. The drone takes the ground station for lost after
silence, not after questions without an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from pqc_policy.policy.protection import EPHEMERAL, Fetch
from pqc_policy.policy.suites import SUITES, Suite, find_suite

from pqc_sim.tunnel.chain import secret_of
from pqc_sim.tunnel.events import Kind
from pqc_sim.tunnel.exchange import DOWN, UP, WORK, Exchange, Step
from pqc_sim.tunnel.fetching import Fetching
from pqc_sim.tunnel.tunnel_model import TunnelModel

PEER_TIMEOUT_S = 3.0
_BACK_S = 0.5  # heard within this time
_REKEY_PATIENCE_S = 30.0
_HANDSHAKE_PATIENCE_S = 15.0
PREFETCH_AIRTIME = 0.02
# A key of another suite that takes longer is fetched when the policy asks; while others were asked
# for, any that takes longer.
_UNASKED_S, _BESIDE_ASKED_S = 60.0, 5.0
_AHEAD_S = 1.0  # so often the drone looks for a prekey to fetch unasked
# Frames of so many bytes (docs/protocol.md); test_tunnel_model compares them with those that flow.
_HELLO, _WANT, _CONFIRM, _RATCHET, _KEEPALIVE = 250, 40, 62, 95, 30
_RATCHET_WORK_S = 0.0001


def _finish_bytes(suite: Suite) -> int:
    return suite.rekey_bytes - suite.prekey_bytes - _CONFIRM - 2 * _KEEPALIVE


@cache
def _alike(active: Suite, unusable: frozenset[str]) -> tuple[Suite, ...]:
    """Return the usable suites of the level, cipher and signature in use."""
    return tuple(
        suite
        for suite in SUITES
        if suite.id not in unusable
        and (suite.level, suite.aead, suite.signature_family)
        == (active.level, active.aead, active.signature_family)
    )


def likely_next(active: Suite, usable: list[Suite]) -> list[Suite]:
    """Return the suites whose prekeys are fetched ahead, as the tunnel does (prekey_pool.cpp)."""
    alike = [
        suite
        for suite in usable
        if suite.aead == active.aead and suite.signature_family is active.signature_family
    ]
    lighter = [suite for suite in alike if suite.tier < active.tier]
    heavier = [suite for suite in alike if suite.tier > active.tier]
    by_tier = attrgetter("tier")
    found = [active]
    found += [max(lighter, key=by_tier)] if lighter else []
    found += [min(heavier, key=by_tier)] if heavier else []
    return [*found, min(alike, key=by_tier)] if alike else found


@dataclass
class LiveTunnel(TunnelModel):
    """It loses no data for a rekey, unless the link is thin."""

    airtime: float = PREFETCH_AIRTIME

    def __post_init__(self) -> None:
        super().__post_init__()
        self._usable = [suite for suite in SUITES if suite.id not in self.unusable]
        self._fetching = Fetching(self.path, self.airtime)
        self._waiting: Suite | None = None  # of a rekey that waits for its prekey
        self._fetch: Exchange | None = None  # of that prekey
        self._asked: set[str] = set()  # KEMs whose keys the policy has asked for
        # When it looks for one.
        self._ahead_s = max(self.keys_since_s + _AHEAD_S, 0.0)

    @property
    def rate_bytes_s(self) -> float | None:
        """What the drone takes for the rate of its link, also from what has come by it."""
        return self._fetching.rate_bytes_s

    @property
    def all_air_bytes(self) -> float:
        """Bytes of exchanges and fetches."""
        return self.air_bytes + self._fetching.air_bytes

    def prekeys(self) -> int:
        """Return how many prekeys the drone holds."""
        return len(self._fetching.stock)

    def fetches(self) -> tuple[Fetch, ...]:
        """Return the cost of each KEM with cipher and signature in use."""
        suite = find_suite(self.suite)
        return () if suite is None else self._fetching.told(_alike(suite, self.unusable))

    def prefetch(self, suite_id: str, now_s: float) -> None:
        """Fetch a key ahead, in the background."""
        suite = find_suite(suite_id)
        if self.established and suite is not None and suite in self._usable:
            self._asked.add(suite.kem)
            self._put_off()
            self._fetching.begin(suite, now_s)

    def advance(self, until_s: float) -> None:
        """Let time pass, for exchanges and for fetches."""
        while self._ahead_s <= until_s:
            self._advance(self._ahead_s)
            self._prefetch(self._ahead_s)
            self._ahead_s += _AHEAD_S
        self._advance(until_s)

    def _advance(self, until_s: float) -> None:
        super().advance(until_s)
        self._fetching.advance(until_s, open_=bool(self.suite) and self.established)

    def crash(self, now_s: float) -> None:
        super().crash(now_s)
        self._stop_waiting()
        self._forget_keys()

    def _soonest(self) -> Exchange | None:
        exchanges = [one for one in (self.exchange, self._fetch) if one is not None]
        return min(exchanges, key=lambda one: one.due_s, default=None)

    def heard(self, now_s: float, last_s: float) -> None:
        """Take note of when the ground station was heard the last time."""
        if not self.running or not self.suite:
            return
        silent_s = now_s - last_s
        if self.established and silent_s > PEER_TIMEOUT_S:
            self.established = False
            text = f"nothing heard of the ground station for {PEER_TIMEOUT_S:g} s"
            self._report(Kind.PEER_LOST, self.suite, now_s, text)
            why = "the session was lost during the rekey"
            if (waiting := self._waiting) is not None:
                self._stop_waiting()
                self._report(Kind.REKEY_FAILED, waiting.id, now_s, why)
            if (exchange := self.exchange) is not None:
                self._end(exchange, now_s)
                self._fail(exchange, why, now_s)
        elif not self.established and silent_s < _BACK_S:
            self.established, self.exchange = True, None
            text = "the ground station answers again"
            self._report(Kind.PEER_BACK, self.suite, now_s, text)
        if not self.established and self.exchange is None:
            self._begin_handshake(self.configured, now_s, "handshake")

    def _prefetch(self, now_s: float) -> None:
        """Fetch a prekey that is likely next, unless another one is asked for or awaited."""
        suite, fetching = find_suite(self.suite), self._fetching
        if suite is None or self.exchange is not None or self._waiting or not fetching.may_begin:
            return
        for likely in likely_next(suite, self._usable):
            if self._may_be_unasked(likely) and fetching.begin(likely, now_s):
                return

    def _put_off(self) -> None:
        """Give up what has hardly begun and would not be begun now."""
        self._fetching.put_off(
            lambda one: one.kem not in self._asked and not self._may_be_unasked(one)
        )

    def _may_be_unasked(self, suite: Suite) -> bool:
        """Return whether a prekey is fetched although nobody has asked for it."""
        if self._asked:
            return self._fetching.comes_within(suite, _BESIDE_ASKED_S)
        return suite.id == self.suite or self._fetching.comes_within(suite, _UNASKED_S)

    def _begin_rekey(self, suite: Suite, now_s: float, *, ratchet: bool) -> None:
        if ratchet:
            steps: tuple[Step, ...] = (
                Step(UP, _RATCHET, began=True),
                Step(DOWN, _RATCHET),
                Step(WORK, work_s=_RATCHET_WORK_S, drone_s=_RATCHET_WORK_S),
                Step(UP, _KEEPALIVE),
                Step(DOWN, _KEEPALIVE),
            )
            self._start("ratchet", suite.id, steps, now_s)
            return
        if self._fetching.holds(suite):
            self._report(Kind.REKEY_STARTED, suite.id, now_s, "rekey started")
            self._exchange_keys(suite, now_s)
        elif self._waiting is not None:
            self._refuse(suite.id, f"a rekey to {self._waiting.id} waits for its key", now_s)
        else:
            self._report(Kind.REKEY_STARTED, suite.id, now_s, "rekey started")
            self._wait(suite, now_s)

    def _wait(self, suite: Suite, now_s: float) -> None:
        cost = self.profile.cost(suite)
        left = max(1, round(self._fetching.hurry(suite, now_s)))
        steps = (
            Step(UP, _WANT),
            Step(WORK, work_s=max(cost.handshake_s - cost.rekey_s, 0.0)),
            Step(DOWN, left, then=Kind.REKEY_PREPARED),
        )
        self._waiting = suite
        fetch = Exchange("fetch", suite.id, steps, now_s, now_s, now_s, self.retry_first_s)
        self._fetch = fetch

    def _forget_keys(self) -> None:
        self._fetching.clear()
        self._asked.clear()

    def _stop_waiting(self) -> None:
        self._waiting = self._fetch = None
        self._fetching.calm()

    def _start_waiting(self, now_s: float) -> None:
        """Start the rekey that has waited, once its prekey is there and no other is under way."""
        suite = self._waiting
        if suite is not None and self._fetch is None and self.exchange is None:
            self._waiting = None
            self._exchange_keys(suite, now_s)

    def _exchange_keys(self, suite: Suite, now_s: float) -> None:
        cost = self.profile.cost(suite)
        self._asked.discard(suite.kem)
        made_s = self._fetching.take(suite)
        assert made_s is not None
        steps = (
            Step(WORK, work_s=cost.rekey_s, drone_s=cost.drone_s, began=True),
            Step(UP, _finish_bytes(suite)),
            Step(DOWN, _CONFIRM),
            Step(UP, _KEEPALIVE),
            Step(DOWN, _KEEPALIVE),
        )
        self.exchange = Exchange("rekey", suite.id, steps, now_s, now_s, now_s, self.retry_first_s)
        self.exchange.mixed = (secret_of(suite, EPHEMERAL, made_s),)

    def _begin_handshake(self, suite_id: str, now_s: float, purpose: str) -> None:
        suite = find_suite(suite_id)
        assert suite is not None
        cost = self.profile.cost(suite)
        steps = (
            Step(UP, _HELLO, began=True),
            Step(DOWN, _HELLO),
            Step(UP, _HELLO),
            Step(WORK, work_s=cost.handshake_s - cost.drone_s),
            Step(DOWN, suite.prekey_bytes),
            Step(WORK, work_s=cost.drone_s, drone_s=cost.drone_s),
            Step(UP, _finish_bytes(suite)),
            Step(DOWN, _CONFIRM),
        )
        self._start(purpose, suite_id, steps, now_s)

    def _patience_s(self, exchange: Exchange) -> float:
        if exchange.is_rekey or exchange.purpose == "fetch":
            return _REKEY_PATIENCE_S
        return _HANDSHAKE_PATIENCE_S

    def _commits_at(self, exchange: Exchange) -> int:
        return len(exchange.steps) - 2 if exchange.is_rekey else -1

    def _committed(self, exchange: Exchange, now_s: float) -> None:
        if exchange.suite in self.spoiled and exchange.purpose == "rekey":
            self._end(exchange, now_s)
            self._roll_back(exchange.suite, "the ground station's finish does not hold", now_s)
            return
        self._new_keys(exchange, now_s, fresh=False)
        self._put_off()
        suite = find_suite(exchange.suite)
        if exchange.purpose == "rekey" and suite is not None:
            stopped_s = self.profile.cost(suite).interruption_s
            self.interruption_s = max(self.interruption_s, stopped_s)

    def _end(self, exchange: Exchange, now_s: float) -> None:
        if exchange is self._fetch:
            self._fetch = None
        else:
            super()._end(exchange, now_s)

    def _done(self, exchange: Exchange, now_s: float) -> None:
        if exchange.purpose == "fetch":
            suite = find_suite(exchange.suite)
            assert suite is not None
            self._fetching.arrived(suite)
            self._start_waiting(now_s)
            return
        if exchange.is_rekey:
            self.rekeys += 1
            self.ratchets += exchange.purpose == "ratchet"
            text = f"rekeyed to {exchange.suite}"
            self._report(Kind.REKEY_CONFIRMED, exchange.suite, now_s, text)
        else:
            self.established = True
            self.blacklist.clear()
            self._forget_keys()
            self._ahead_s = now_s + _AHEAD_S
            self._new_keys(exchange, now_s, fresh=True)
            self._speak(now_s, rekey=False)
        self.handshakes += exchange.purpose != "ratchet"
        self._start_waiting(now_s)

    def _give_up(self, exchange: Exchange, now_s: float) -> None:
        if exchange.purpose == "fetch":
            self._stop_waiting()
            self._fail(exchange, "the ground station sends no prekey; the old keys stay", now_s)
        elif not exchange.is_rekey:
            text = f"handshake failed: no answer for {_HANDSHAKE_PATIENCE_S:.0f} s"
            self._report(Kind.HANDSHAKE_FAILED, exchange.suite, now_s, text)
            if not self.suite:
                self._begin_handshake(exchange.suite, now_s, exchange.purpose)
        elif exchange.at >= self._commits_at(exchange):
            self._done(exchange, now_s)  # committed; the peer will show it
        else:
            text = "the ground station did not confirm the new keys; the old keys stay"
            self._fail(exchange, text, now_s)
            self._start_waiting(now_s)

    def _occupied(self, exchange: Exchange, way: str, now_s: float, busy_s: float) -> None:
        """Do nothing: data waits for one part at most, and a link that is not full loses none."""

    def _fail(self, exchange: Exchange, why: str, now_s: float) -> None:
        self._report(Kind.REKEY_FAILED, exchange.suite, now_s, why)
