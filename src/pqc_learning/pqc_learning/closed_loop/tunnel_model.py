# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's end of a tunnel: session, rekeys, failures, crashes, and the time without data.

What both programs have in common; live_tunnel.py and stopping_tunnel.py are the two. An exchange is
a sequence of messages and computations. It is moved from event to event, without ticks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from pqc_policy.policy.inputs import Failure, Session
from pqc_policy.policy.suites import Suite, find_suite

from pqc_learning.closed_loop.control_path import ControlPath
from pqc_learning.closed_loop.cost_set import CostSet
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.closed_loop.link_views import Quiet

WORK = "work"
_BLACKLIST_S = 1800.0


@dataclass(frozen=True, slots=True)
class Step:
    """A message up or down of so many bytes, or work for so many seconds."""

    kind: str
    size: int = 0
    work_s: float = 0.0
    drone_s: float = 0.0  # of the work, at the drone
    began: bool = False  # the time of the handshake counts from here


@dataclass
class Exchange:
    """A rekey or handshake under way."""

    purpose: str  # rekey, ratchet, handshake or restart
    suite: str
    steps: tuple[Step, ...]
    started_s: float
    due_s: float  # when the step is done, or the message is sent again
    progress_s: float
    retry_s: float
    at: int = 0
    missing: int = -1  # parts of the message; -1: not sent yet
    arrives: bool = False
    began_s: float | None = None


@dataclass
class TunnelModel(ABC):
    """What is common to both programs."""

    flight: PreparedFlight
    costs: CostSet
    configured: str  # the suite of a first handshake
    quiet: Quiet = field(default_factory=Quiet)  # all times without data of the drone
    stopped: Quiet = field(default_factory=Quiet)  # those in which the ground sends none either
    rekey_quiet: list[tuple[float, float]] = field(default_factory=list)  # those due to rekeys
    running: bool = True
    established: bool = True
    suite: str = ""
    epoch: int = 0
    keys_since_s: float = -8.0
    handshake_s: float | None = None
    drone_s: float | None = None  # of the work for the newest keys; None: a ratchet
    blacklist: dict[str, float] = field(default_factory=dict)
    failure: Failure | None = None
    rekeys_done: int = 0
    rekeys_failed: int = 0
    ratchets: int = 0
    handshakes: int = 0
    interruption_s: float = 0.0  # longest one of a rekey that lost nothing
    core_s: float = 0.0  # work of the drone that has not heated it yet
    work_s: float = 0.0  # all of it
    full_keys_since_s: float = -8.0  # of the newest keys that are not by a ratchet
    rekeying_s: float = 0.0  # how long rekeys that are over were under way
    changed_s: list[float] = field(default_factory=list)  # when keys changed; taken by the caller

    retry_first_s = 0.25
    retry_most_s = 4.0

    def __post_init__(self) -> None:
        """Begin with a session."""
        self.suite = self.configured
        self.path = ControlPath(self.flight)
        self.exchange: Exchange | None = None
        self._quiet_since_s: float | None = None
        self._unusable = self.costs.unusable

    # --- What the policy sees and asks for ---

    def session(self) -> Session | None:
        """Return the session; None without one."""
        if not self.running or not self.suite:
            return None
        barred = self._unusable
        if self.blacklist:
            barred = barred | frozenset(self.blacklist)
        return Session(
            suite=self.suite,
            epoch=self.epoch,
            key_age_s=0.0,  # filled in by the caller, who knows the time
            handshake_s=self.handshake_s,
            work_s=self.drone_s,
            ratchets=self.ratchets,
            rekeying=self.rekeying,
            blacklisted=barred,
            failure=self.failure,
        )

    @property
    def rekeying(self) -> bool:
        """Whether a rekey is under way."""
        return self.exchange is not None and self.exchange.purpose in ("rekey", "ratchet")

    @property
    def carries(self) -> bool:
        """Whether data is sent, apart from what a rekey displaces."""
        return self.running and self._quiet_since_s is None

    def rekeying_until(self, now_s: float) -> float:
        """Return how long rekeys were under way until now, and starts after failed ones."""
        exchange = self.exchange
        under_way = exchange is not None and exchange.purpose != "handshake"
        return self.rekeying_s + (now_s - exchange.started_s if exchange and under_way else 0.0)

    def rekey(self, suite_id: str, now_s: float, *, ratchet: bool = False) -> None:
        """Request a rekey, as the policy does through the service."""
        if not self.running:
            return
        suite = find_suite(suite_id)
        if suite is None or suite_id in self._unusable:
            self._fail(suite_id, "not allowed")
        elif not self.established or self.exchange is not None:
            self._fail(suite_id, "a rekey is under way" if self.rekeying else "there is no peer")
        elif self.blacklist.get(suite_id, 0.0) > now_s:
            self._fail(suite_id, "blacklisted")
        else:
            self._begin_rekey(suite, now_s, ratchet=ratchet and suite_id == self.suite)

    # --- Time ---

    def advance(self, until_s: float) -> None:
        """Let time pass."""
        if self.blacklist:
            self.blacklist = {s: at_s for s, at_s in self.blacklist.items() if at_s > until_s}
        while (exchange := self.exchange) is not None and exchange.due_s <= until_s:
            self._event(exchange)
        if self._quiet_since_s is not None:
            self.quiet.add(self._quiet_since_s, until_s)
            self.stopped.add(self._quiet_since_s, until_s)

    def crash(self, now_s: float) -> None:
        """End the node with its session."""
        self.finish(now_s)
        self._go_quiet(now_s)
        if self.exchange is not None:
            self._end(self.exchange, now_s)
        self.running, self.established = False, False
        self.suite, self.epoch = "", 0
        self.blacklist.clear()

    def restart(self, now_s: float) -> None:
        """Start the node again, which does a handshake."""
        self.running, self.handshake_s, self.failure = True, None, None
        self._begin_handshake(self.configured, now_s, "handshake")

    def finish(self, now_s: float) -> None:
        """End the account of the time without data, at the end of a flight or of the node."""
        if self._quiet_since_s is not None:
            rekey = self.exchange is not None and self.exchange.purpose in ("rekey", "restart")
            self._speak(now_s, rekey=rekey)

    # --- Exchanges ---

    def _start(self, purpose: str, suite: str, steps: tuple[Step, ...], now_s: float) -> None:
        self.exchange = Exchange(purpose, suite, steps, now_s, now_s, now_s, self.retry_first_s)

    def _end(self, exchange: Exchange, now_s: float) -> None:
        self.exchange = None
        if exchange.purpose != "handshake":
            self.rekeying_s += now_s - exchange.started_s

    def _event(self, exchange: Exchange) -> None:
        step, now_s = exchange.steps[exchange.at], exchange.due_s
        if exchange.began_s is None and step.began:
            exchange.began_s = now_s
        if exchange.arrives:
            exchange.at += 1
            exchange.progress_s, exchange.arrives, exchange.missing = now_s, False, -1
            exchange.retry_s = self.retry_first_s
            if exchange.at == len(exchange.steps):
                self._end(exchange, now_s)
                self._done(exchange, now_s)
            elif exchange.at == self._commits_at(exchange):
                self._committed(exchange, now_s)
        elif step.kind == WORK:
            exchange.due_s += step.work_s
            exchange.arrives = True
            self.core_s += step.drone_s
            self.work_s += step.drone_s
        else:
            self._send(exchange, step, now_s)

    def _send(self, exchange: Exchange, step: Step, now_s: float) -> None:
        limit_s = exchange.progress_s + self._patience_s(exchange)
        if now_s >= limit_s:
            self._end(exchange, now_s)
            self._give_up(exchange, now_s)
            return
        parts = self.path.parts(step.size)
        missing = parts if exchange.missing < 0 else exchange.missing
        size = step.size * missing // parts
        airtime_s = self.path.airtime_s(size)
        if airtime_s > 0.0:
            self._occupied(exchange, step.kind, now_s, airtime_s)
        left, delay_s = self.path.tried(step.kind, missing, step.size, now_s, exchange.at)
        if left == 0:
            exchange.arrives = True
            exchange.due_s = now_s + airtime_s + delay_s
        else:
            exchange.missing = left
            exchange.due_s = min(now_s + airtime_s + exchange.retry_s, limit_s)
            exchange.retry_s = min(2.0 * exchange.retry_s, self.retry_most_s)

    # --- Differences between the programs ---

    @abstractmethod
    def _begin_rekey(self, suite: Suite, now_s: float, *, ratchet: bool) -> None: ...

    @abstractmethod
    def _begin_handshake(self, suite_id: str, now_s: float, purpose: str) -> None: ...

    @abstractmethod
    def _patience_s(self, exchange: Exchange) -> float: ...

    def _commits_at(self, exchange: Exchange) -> int:
        """Return the number of the step before which the drone uses the new keys."""
        return -1

    @abstractmethod
    def _committed(self, exchange: Exchange, now_s: float) -> None: ...

    @abstractmethod
    def _done(self, exchange: Exchange, now_s: float) -> None: ...

    @abstractmethod
    def _give_up(self, exchange: Exchange, now_s: float) -> None: ...

    @abstractmethod
    def _occupied(self, exchange: Exchange, way: str, now_s: float, airtime_s: float) -> None:
        """Take note that a message keeps a thin link busy."""

    # --- Helpers ---

    def _new_keys(
        self,
        suite: str,
        took_s: float | None,
        now_s: float,
        *,
        fresh: bool,
        ratchet: bool = False,
    ) -> None:
        self.epoch = 0 if fresh else (self.epoch + 1) % 256
        self.suite, self.keys_since_s, self.handshake_s = suite, now_s, took_s
        if not ratchet:
            self.full_keys_since_s = now_s
        known = find_suite(suite)
        self.drone_s = self.costs.profile.cost(known).drone_s if known is not None else None
        self.changed_s.append(now_s)

    def _fail(self, suite: str, reason: str, *, authenticated: bool = False) -> None:
        count = self.failure.count + 1 if self.failure is not None else 1
        self.failure = Failure(count, suite, reason, authenticated)
        self.rekeys_failed += 1

    def _bar(self, suite: str, now_s: float) -> None:
        self.blacklist[suite] = now_s + _BLACKLIST_S

    def _go_quiet(self, now_s: float) -> None:
        if self._quiet_since_s is None:
            self._quiet_since_s = now_s

    def _speak(self, now_s: float, *, rekey: bool) -> None:
        if self._quiet_since_s is None:
            return
        self.quiet.add(self._quiet_since_s, now_s)
        self.stopped.add(self._quiet_since_s, now_s)
        if rekey:
            self.rekey_quiet.append((self._quiet_since_s, now_s))
        self._quiet_since_s = None
