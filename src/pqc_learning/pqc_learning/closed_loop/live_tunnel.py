# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""This tunnel: the old keys serve until the new ones work, and prekeys are fetched ahead.

On a thin link a message of a rekey goes before telemetry, which gives way to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import attrgetter

from pqc_policy.policy.suites import SUITES, Suite, find_suite

from pqc_learning.closed_loop.tunnel_model import WORK, Exchange, Step, TunnelModel

PEER_TIMEOUT_S = 3.0
_REKEY_PATIENCE_S = 30.0
_HANDSHAKE_PATIENCE_S = 15.0
_PREFETCH_AIRTIME = 0.05
_FETCH_S = 0.5
# test_thin_link of pqc_tunnel: a confirmation with its frame, a ratchet each way, a hello.
_CONFIRM, _RATCHET, _HELLO = 94, 170, 250
_RATCHET_WORK_S = 0.0001
_PING = 69  # the shortest sealed frame under the new keys, with its header


def _kind(suite: Suite) -> tuple[str, str]:
    return suite.kem, suite.signature


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
    _lost: bool = False

    def __post_init__(self) -> None:
        """Begin with a session and the fetch of a prekey."""
        super().__post_init__()
        self._usable = [suite for suite in SUITES if suite.id not in self.costs.unusable]
        self._prefetch(-8.0)

    def heard(self, now_s: float, last_s: float) -> None:
        """Take note of when the ground station was heard the last time."""
        if not self.running or not self.suite:
            return
        silent_s = now_s - last_s
        if self.established and self.exchange is None and silent_s > PEER_TIMEOUT_S:
            self._lost, self.established = True, False
            self._begin_handshake(self.suite, now_s, "handshake")
        elif self._lost and silent_s < 0.5:
            self._lost, self.established, self.exchange = False, True, None
        elif self._lost and self.exchange is None:
            self._begin_handshake(self.suite, now_s, "handshake")

    def _prefetch(self, now_s: float) -> None:
        """Fetch the prekeys that are likely next, one after the other, within their airtime."""
        suite, rate, at_s = find_suite(self.suite), self.path.rate_bytes_s, now_s
        if suite is None:
            return
        for likely in likely_next(suite, self._usable):
            if _kind(likely) not in self._prekeys:
                share = rate * _PREFETCH_AIRTIME if rate else None
                at_s += likely.prekey_bytes / share if share else _FETCH_S
                self._prekeys[_kind(likely)] = at_s

    def _begin_rekey(self, suite: Suite, now_s: float, *, ratchet: bool) -> None:
        if ratchet:
            steps: tuple[Step, ...] = (
                Step("up", _RATCHET, began=True),
                Step("down", _RATCHET),
                Step(WORK, work_s=_RATCHET_WORK_S, drone_s=_RATCHET_WORK_S),
                Step("up", _PING),
                Step("down", _PING),
            )
            self._start("ratchet", suite.id, steps, now_s)
            return
        cost = self.costs.profile.cost(suite)
        there_s = self._prekeys.pop(_kind(suite), None)
        ahead = there_s is not None and there_s <= now_s
        fetch = (
            Step("up", _CONFIRM),
            Step(WORK, work_s=cost.handshake_s - cost.drone_s),
            Step("down", suite.prekey_bytes),
        )
        finish_bytes = suite.rekey_bytes - suite.prekey_bytes
        steps = (
            *(() if ahead else fetch),
            Step(WORK, work_s=cost.drone_s, drone_s=cost.drone_s, began=True),
            Step("up", finish_bytes),
            Step("down", _CONFIRM),
            Step("up", _PING),
            Step("down", _PING),
        )
        self._start("rekey", suite.id, steps, now_s)

    def _begin_handshake(self, suite_id: str, now_s: float, purpose: str) -> None:
        suite = find_suite(suite_id)
        assert suite is not None
        cost = self.costs.profile.cost(suite)
        steps = (
            Step("up", _HELLO, began=True),
            Step("down", _HELLO),
            Step("up", _HELLO),
            Step(WORK, work_s=cost.handshake_s - cost.drone_s),
            Step("down", suite.prekey_bytes),
            Step(WORK, work_s=cost.drone_s, drone_s=cost.drone_s),
            Step("up", suite.rekey_bytes - suite.prekey_bytes),
            Step("down", _CONFIRM),
        )
        self._start(purpose, suite_id, steps, now_s)

    def _patience_s(self, exchange: Exchange) -> float:
        return _REKEY_PATIENCE_S if self.rekeying else _HANDSHAKE_PATIENCE_S

    def _commits_at(self, exchange: Exchange) -> int:
        return len(exchange.steps) - 2 if exchange.purpose in ("rekey", "ratchet") else -1

    def _committed(self, exchange: Exchange, now_s: float) -> None:
        if exchange.suite in self.flight.plan.script.spoiled and exchange.purpose == "rekey":
            self._end(exchange, now_s)
            self._bar(exchange.suite, now_s)
            self._fail(
                exchange.suite, "the ground station's finish does not hold", authenticated=True
            )
            return
        began_s = exchange.began_s if exchange.began_s is not None else exchange.started_s
        ratchet = exchange.purpose == "ratchet"
        self._new_keys(exchange.suite, now_s - began_s, now_s, fresh=False, ratchet=ratchet)
        suite = find_suite(exchange.suite)
        if ratchet:
            self.drone_s = None
        elif suite is not None:
            stopped_s = self.costs.profile.cost(suite).interruption_s
            self.interruption_s = max(self.interruption_s, stopped_s)
            self._prefetch(now_s)

    def _done(self, exchange: Exchange, now_s: float) -> None:
        if exchange.purpose in ("rekey", "ratchet"):
            self.rekeys_done += 1
            self.ratchets += exchange.purpose == "ratchet"
            return
        began_s = exchange.began_s if exchange.began_s is not None else exchange.started_s
        self._new_keys(exchange.suite, now_s - began_s, now_s, fresh=True)
        self.handshakes += 1
        self._lost, self.established = False, True
        self._speak(now_s, rekey=False)
        self._prekeys.clear()
        self._prefetch(now_s)

    def _give_up(self, exchange: Exchange, now_s: float) -> None:
        if exchange.purpose in ("rekey", "ratchet"):
            if exchange.at >= self._commits_at(exchange):
                self.rekeys_done += 1
                return  # committed; the peer will show it
            self._prefetch(now_s)
            self._fail(exchange.suite, f"timed out after {now_s - exchange.started_s:.0f} s")
        elif not self.suite:
            self._begin_handshake(exchange.suite, now_s, exchange.purpose)

    def _occupied(self, exchange: Exchange, way: str, now_s: float, airtime_s: float) -> None:
        if way == "up" and exchange.purpose in ("rekey", "ratchet") and self.carries:
            self.quiet.add(now_s, now_s + airtime_s)
            self.rekey_quiet.append((now_s, now_s + airtime_s))
