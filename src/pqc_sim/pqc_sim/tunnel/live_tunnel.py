# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""This tunnel: the old keys serve until the new ones work, and prekeys are fetched ahead.

On a thin link a message of a rekey goes before telemetry, which gives way to it. The drone takes
the ground station for lost after silence, not after questions without an answer. A message takes
the delay of its parts, as one that fits the window of a stream does: prekeys of Classic McEliece
take longer than here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from operator import attrgetter

from pqc_policy.policy.suites import SUITES, Suite, find_suite

from pqc_sim.tunnel.events import Kind
from pqc_sim.tunnel.exchange import DOWN, UP, WORK, Exchange, Step
from pqc_sim.tunnel.tunnel_model import TunnelModel

PEER_TIMEOUT_S = 3.0
_BACK_S = 0.5  # heard within this time
_REKEY_PATIENCE_S = 30.0
_HANDSHAKE_PATIENCE_S = 15.0
_PREFETCH_AIRTIME = 0.05
_PREFETCH_DELAY_S = 1.0
# Frames of so many bytes (docs/protocol.md); test_tunnel_model compares them with those that flow.
_HELLO, _CONFIRM, _RATCHET, _KEEPALIVE = 250, 62, 95, 30
_RATCHET_WORK_S = 0.0001


def _kind(suite: Suite) -> tuple[str, str]:
    return suite.kem, suite.signature


def _finish_bytes(suite: Suite) -> int:
    return suite.rekey_bytes - suite.prekey_bytes - _CONFIRM - 2 * _KEEPALIVE


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

    _prekeys: dict[tuple[str, str], float] = field(default_factory=dict)  # and since when
    _next_fetch_s: float = -inf

    def __post_init__(self) -> None:
        super().__post_init__()
        self._usable = [suite for suite in SUITES if suite.id not in self.unusable]
        self._prefetch(self.keys_since_s)

    def prekeys(self, now_s: float) -> int:
        """Return how many prekeys the drone holds."""
        return sum(there_s <= now_s for there_s in self._prekeys.values())

    def heard(self, now_s: float, last_s: float) -> None:
        """Take note of when the ground station was heard the last time."""
        if not self.running or not self.suite:
            return
        silent_s = now_s - last_s
        if self.established and silent_s > PEER_TIMEOUT_S:
            self.established = False
            text = f"nothing heard of the ground station for {PEER_TIMEOUT_S:g} s"
            self._report(Kind.PEER_LOST, self.suite, now_s, text)
            if (exchange := self.exchange) is not None:
                self._end(exchange, now_s)
                self._fail(exchange, "the session was lost during the rekey", now_s)
        elif not self.established and silent_s < _BACK_S:
            self.established, self.exchange = True, None
            text = "the ground station answers again"
            self._report(Kind.PEER_BACK, self.suite, now_s, text)
            self._prefetch(now_s)
        if not self.established and self.exchange is None:
            self._begin_handshake(self.configured, now_s, "handshake")

    def _prefetch(self, now_s: float) -> None:
        """Fetch the prekeys that are likely next, one after the other, within their airtime."""
        suite, rate = find_suite(self.suite), self.path.rate_bytes_s
        if suite is None:
            return
        at_s = max(now_s + _PREFETCH_DELAY_S, self._next_fetch_s)
        for likely in likely_next(suite, self._usable):
            if _kind(likely) not in self._prekeys:
                there_s = likely.prekey_bytes / rate if rate else 0.0
                self._prekeys[_kind(likely)] = at_s + there_s
                at_s += max(_PREFETCH_DELAY_S, there_s / _PREFETCH_AIRTIME)
                self._next_fetch_s = at_s

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
        cost = self.profile.cost(suite)
        there_s = self._prekeys.pop(_kind(suite), None)
        ahead = there_s is not None and there_s <= now_s
        fetch = (
            Step(UP, _CONFIRM),
            Step(WORK, work_s=max(cost.handshake_s - cost.rekey_s, 0.0)),
            Step(DOWN, suite.prekey_bytes, then=Kind.REKEY_PREPARED),
        )
        steps = (
            *(() if ahead else fetch),
            Step(WORK, work_s=cost.rekey_s, drone_s=cost.drone_s, began=True),
            Step(UP, _finish_bytes(suite)),
            Step(DOWN, _CONFIRM),
            Step(UP, _KEEPALIVE),
            Step(DOWN, _KEEPALIVE),
        )
        self._start("rekey", suite.id, steps, now_s)

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
        return _REKEY_PATIENCE_S if exchange.is_rekey else _HANDSHAKE_PATIENCE_S

    def _commits_at(self, exchange: Exchange) -> int:
        return len(exchange.steps) - 2 if exchange.is_rekey else -1

    def _committed(self, exchange: Exchange, now_s: float) -> None:
        if exchange.suite in self.spoiled and exchange.purpose == "rekey":
            self._end(exchange, now_s)
            self._roll_back(exchange.suite, "the ground station's finish does not hold", now_s)
            return
        self._new_keys(exchange, now_s, fresh=False)
        suite = find_suite(exchange.suite)
        if exchange.purpose == "rekey" and suite is not None:
            stopped_s = self.profile.cost(suite).interruption_s
            self.interruption_s = max(self.interruption_s, stopped_s)

    def _done(self, exchange: Exchange, now_s: float) -> None:
        if exchange.is_rekey:
            self.rekeys += 1
            self.ratchets += exchange.purpose == "ratchet"
            text = f"rekeyed to {exchange.suite}"
            self._report(Kind.REKEY_CONFIRMED, exchange.suite, now_s, text)
        else:
            self.established = True
            self.blacklist.clear()
            self._prekeys.clear()
            self._new_keys(exchange, now_s, fresh=True)
            self._speak(now_s, rekey=False)
        self.handshakes += exchange.purpose != "ratchet"
        self._prefetch(now_s)

    def _give_up(self, exchange: Exchange, now_s: float) -> None:
        if not exchange.is_rekey:
            text = f"handshake failed: no answer for {_HANDSHAKE_PATIENCE_S:.0f} s"
            self._report(Kind.HANDSHAKE_FAILED, exchange.suite, now_s, text)
            if not self.suite:
                self._begin_handshake(exchange.suite, now_s, exchange.purpose)
        elif exchange.at >= self._commits_at(exchange):
            self._done(exchange, now_s)  # committed; the peer will show it
        else:
            self._prefetch(now_s)
            text = "the ground station did not confirm the new keys; the old keys stay"
            self._fail(exchange, text, now_s)

    def _occupied(self, exchange: Exchange, way: str, now_s: float, busy_s: float) -> None:
        if way == UP and exchange.is_rekey and self.carries:
            self.quiet.add(now_s, now_s + busy_s)
            self.rekey_quiet.append((now_s, now_s + busy_s))

    def _fail(self, exchange: Exchange, why: str, now_s: float) -> None:
        self._report(Kind.REKEY_FAILED, exchange.suite, now_s, why)
