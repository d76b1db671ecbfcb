# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The common part of the programs of a drone's end: session, exchanges, failures, crashes.

`live_tunnel` is the program of this project. Another one only says which steps its exchanges have,
and what follows from their end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from pqc_policy.policy.inputs import Failure, Session
from pqc_policy.policy.profile import Profile
from pqc_policy.policy.protection import EPHEMERAL, LAST_RESORT, ONE_TIME, Fetch
from pqc_policy.policy.suites import SUITES, KemFamily, Suite, find_suite

from pqc_sim.tunnel.chain import KeyEpoch, LayersOf, Secret, secret_of
from pqc_sim.tunnel.events import NO_KEYS, Event, Kind, State
from pqc_sim.tunnel.exchange import (
    WORK,
    ControlPath,
    Exchange,
    Step,
    airtime_s,
    part_count,
    trips,
)
from pqc_sim.tunnel.quiet import Quiet

BLACKLIST_S = 1800.0
AGE_AT_START_S = 8.0


@dataclass
class TunnelModel(ABC):
    """It begins with a session that is some seconds old."""

    path: ControlPath
    profile: Profile
    configured: str  # the suite of a new session
    unusable: frozenset[str] = frozenset()
    spoiled: frozenset[str] = frozenset()  # suites whose rekeys fail with authentication
    quiet: Quiet = field(default_factory=Quiet)  # all times without data of the drone
    stopped: Quiet = field(default_factory=Quiet)  # times without data of the ground too
    rekey_quiet: list[tuple[float, float]] = field(default_factory=list)  # quiet during rekeys
    running: bool = True
    established: bool = True
    suite: str = ""
    epoch: int = 0
    keys_since_s: float = -AGE_AT_START_S
    full_keys_since_s: float = -AGE_AT_START_S  # time of the last full exchange
    handshake_s: float | None = None
    drone_s: float | None = None  # the drone's work for the newest keys; None: a ratchet
    blacklist: dict[str, float] = field(default_factory=dict)
    failure: Failure | None = None
    # Since the node was started:
    handshakes: int = 1
    rekeys: int = 0
    ratchets: int = 0
    rollbacks: int = 0
    interruption_s: float = 0.0  # longest one of a rekey that lost nothing
    core_s: float = 0.0  # work of the drone that has not heated it yet
    work_s: float = 0.0  # all work of the drone
    rekeying_s: float = 0.0  # duration of all rekeys that have ended
    air_bytes: float = 0.0  # of exchanges, both ways
    epochs: list[KeyEpoch] = field(default_factory=list)
    anchor: str = ""  # kind of key that sessions begin with; empty: none
    one_time_keys: int = 16  # of the anchor that are left
    events: list[Event] = field(default_factory=list)  # taken by the caller

    retry_first_s = 0.25
    retry_most_s = 4.0

    def __post_init__(self) -> None:
        self.suite = self.configured
        self.exchange: Exchange | None = None
        self.session_anchor = ""
        self._quiet_since_s: float | None = None
        self._layers = LayersOf(self.epochs)
        self._begin_chain(self.keys_since_s, self._secrets(self.suite, self.keys_since_s))

    # --- What the policy sees and asks for ---

    @property
    def state(self) -> State:
        if not self.running:
            return State.DISCONNECTED
        if not self.suite:
            return State.HANDSHAKING
        if not self.established:
            return State.LOST
        return State.REKEYING if self.rekeying else State.ESTABLISHED

    def session(self, now_s: float = 0.0, key_age_s: float = 0.0) -> Session | None:
        """Return the session with an age of its keys; None without one."""
        if not self.running or not self.suite:
            return None
        return Session(
            suite=self.suite,
            epoch=self.epoch,
            key_age_s=key_age_s,
            ratchets=self.ratchets,
            rekeying=self.rekeying,
            blacklisted=self.unusable.union(self.blacklist) if self.blacklist else self.unusable,
            failure=self.failure,
            layers=self._layers.at(now_s),
            anchor=self.session_anchor,
            fetches=self.fetches(),
        )

    @property
    def rate_bytes_s(self) -> float | None:
        """What the drone takes for the rate of its link; None: unknown."""
        return self.path.rate_bytes_s

    def fetches(self) -> tuple[Fetch, ...]:
        """Return what the tunnel says of keys fetched ahead; nothing without that activity."""
        return ()

    def prefetch(self, suite_id: str, now_s: float) -> None:
        """Fetch a key ahead, as the policy asks through the service; not every program can."""
        del suite_id, now_s

    @property
    def rekeying(self) -> bool:
        return self.exchange is not None and self.exchange.is_rekey

    @property
    def carries(self) -> bool:
        """Return whether data is sent, apart from what a rekey displaces."""
        return self.running and self._quiet_since_s is None

    @property
    def all_air_bytes(self) -> float:
        """Bytes of everything that keys put on the air."""
        return self.air_bytes

    def rekeying_until(self, now_s: float) -> float:
        """Return how long rekeys were under way until now, and starts after failed ones."""
        exchange = self.exchange
        under_way = exchange is not None and exchange.purpose != "handshake"
        return self.rekeying_s + (now_s - exchange.started_s if exchange and under_way else 0.0)

    def rekey(
        self, suite_id: str, now_s: float, *, ratchet: bool = False, one_time: bool = False
    ) -> None:
        """Request a rekey, as the policy does through the service."""
        if not self.running:
            return
        suite = find_suite(suite_id)
        if suite is None or suite_id in self.unusable:
            self._refuse(suite_id, "the suite is not allowed", now_s)
        elif not self.suite or not self.established:
            self._refuse(suite_id, "there is no session to rekey yet", now_s)
        elif self.exchange is not None:
            self._refuse(suite_id, f"a rekey to {self.exchange.suite} is under way", now_s)
        elif self.blacklist.get(suite_id, 0.0) > now_s:
            self._refuse(suite_id, f"{suite_id} failed lately and is blacklisted", now_s)
        elif one_time and not (self.session_anchor and self.one_time_keys):
            self._refuse(suite_id, "there is no one-time key of the anchor left", now_s)
        else:
            self._begin_rekey(suite, now_s, ratchet=ratchet and suite_id == self.suite)
            if one_time and (exchange := self.exchange) is not None:
                exchange.mixed = self._anchored(suite, now_s)

    # --- Time ---

    def advance(self, until_s: float) -> None:
        if self.blacklist:
            self.blacklist = {s: at_s for s, at_s in self.blacklist.items() if at_s > until_s}
        while (exchange := self._soonest()) is not None and exchange.due_s <= until_s:
            self._event(exchange)
        if self._quiet_since_s is not None:
            self.quiet.add(self._quiet_since_s, until_s)
            self.stopped.add(self._quiet_since_s, until_s)

    def _soonest(self) -> Exchange | None:
        """Return the exchange that has something to do first."""
        return self.exchange

    @abstractmethod
    def heard(self, now_s: float, last_s: float) -> None:
        """Take note of when the ground station was heard the last time."""

    def crash(self, now_s: float) -> None:
        self.finish(now_s)
        self._go_quiet(now_s)
        if self.exchange is not None:
            self._end(self.exchange, now_s)
        self.running, self.established = False, False
        self.epochs[-1] = replace(self.epochs[-1], ended_s=now_s)
        self.suite, self.epoch = "", 0
        self.blacklist.clear()

    def restart(self, now_s: float) -> None:
        """Start the node again, which does a handshake."""
        self.running, self.handshake_s, self.failure = True, None, None
        self.handshakes = self.rekeys = self.ratchets = self.rollbacks = 0
        self._begin_handshake(self.configured, now_s, "handshake")

    def finish(self, now_s: float) -> None:
        """End the account of the time without data, at the end of a flight or of the node."""
        if self._quiet_since_s is not None:
            rekey = self.exchange is not None and self.exchange.purpose in ("rekey", "restart")
            self._speak(now_s, rekey=rekey)

    # --- Exchanges ---

    def _start(self, purpose: str, suite: str, steps: tuple[Step, ...], now_s: float) -> None:
        self.exchange = Exchange(purpose, suite, steps, now_s, now_s, now_s, self.retry_first_s)
        words = {"rekey": "rekey started", "ratchet": "ratchet started"}
        kind = Kind.REKEY_STARTED if self.exchange.is_rekey else Kind.HANDSHAKE_STARTED
        self._report(kind, suite, now_s, words.get(purpose, "handshake started"))

    def _end(self, exchange: Exchange, now_s: float) -> None:
        self.exchange = None
        if exchange.purpose != "handshake":
            self.rekeying_s += now_s - exchange.started_s

    def _event(self, exchange: Exchange) -> None:
        step, now_s = exchange.steps[exchange.at], exchange.due_s
        if exchange.began_s is None and step.began:
            exchange.began_s = now_s
        if exchange.arrives:
            self._step_done(exchange, step, now_s)
        elif step.kind == WORK:
            exchange.due_s += step.work_s
            exchange.arrives = True
            self.core_s += step.drone_s
            self.work_s += step.drone_s
        else:
            self._send(exchange, step, now_s)

    def _step_done(self, exchange: Exchange, step: Step, now_s: float) -> None:
        exchange.at += 1
        exchange.progress_s, exchange.arrives, exchange.missing = now_s, False, -1
        exchange.retry_s = self.retry_first_s
        if step.then is not None:
            self._report(step.then, exchange.suite, now_s, "the prekey for the rekey has arrived")
        if exchange.at == len(exchange.steps):
            self._end(exchange, now_s)
            self._done(exchange, now_s)
        elif exchange.at == self._commits_at(exchange):
            self._committed(exchange, now_s)

    def _send(self, exchange: Exchange, step: Step, now_s: float) -> None:
        limit_s = exchange.progress_s + self._patience_s(exchange)
        if now_s >= limit_s:
            self._end(exchange, now_s)
            self._give_up(exchange, now_s)
            return
        parts = part_count(step.size, self.path)
        missing = parts if exchange.missing < 0 else exchange.missing
        busy_s = airtime_s(step.size * missing // parts, self.path)
        if busy_s > 0.0:
            self._occupied(exchange, step.kind, now_s, busy_s)
        self.air_bytes += step.size * missing / parts
        left, delay_s = self.path.tried(step.kind, missing, step.size, now_s, exchange.turn)
        if left == 0:
            exchange.arrives = True
            exchange.due_s = now_s + busy_s + (1 + 2 * trips(step.size)) * delay_s
        else:
            exchange.missing = left
            exchange.due_s = min(now_s + busy_s + exchange.retry_s, limit_s)
            exchange.retry_s = min(2.0 * exchange.retry_s, self.retry_most_s)

    # --- Differences between the programs ---

    @abstractmethod
    def _begin_rekey(self, suite: Suite, now_s: float, *, ratchet: bool) -> None: ...

    @abstractmethod
    def _begin_handshake(self, suite_id: str, now_s: float, purpose: str) -> None: ...

    @abstractmethod
    def _patience_s(self, exchange: Exchange) -> float: ...

    def _commits_at(self, exchange: Exchange) -> int:
        """Return the number of the step before which the drone uses the new keys; -1: none."""
        del exchange
        return -1

    @abstractmethod
    def _committed(self, exchange: Exchange, now_s: float) -> None: ...

    @abstractmethod
    def _done(self, exchange: Exchange, now_s: float) -> None: ...

    @abstractmethod
    def _give_up(self, exchange: Exchange, now_s: float) -> None: ...

    @abstractmethod
    def _occupied(self, exchange: Exchange, way: str, now_s: float, busy_s: float) -> None:
        """Take note that a message keeps a thin link busy."""

    # --- Helpers ---

    def _report(self, kind: Kind, suite: str, at_s: float, text: str) -> None:
        self.events.append(Event(kind, at_s, suite, self.epoch, text))
        if kind in NO_KEYS:
            count = self.failure.count + 1 if self.failure is not None else 1
            self.failure = Failure(count, suite, text, authenticated=kind is Kind.ROLLBACK)

    def _refuse(self, suite: str, why: str, now_s: float) -> None:
        self._report(Kind.REFUSED, suite, now_s, f"rekey refused: {why}")

    def _roll_back(self, suite: str, why: str, now_s: float) -> None:
        """Bar a suite that has failed with authentication, unless it is the one in use."""
        self.rollbacks += 1
        if suite != self.suite:
            self.blacklist[suite] = now_s + BLACKLIST_S
        self._report(Kind.ROLLBACK, suite, now_s, why)

    def _new_keys(self, exchange: Exchange, now_s: float, *, fresh: bool) -> None:
        self.epoch = 0 if fresh else (self.epoch + 1) % 256
        self.suite, self.keys_since_s = exchange.suite, now_s
        self.handshake_s = exchange.took_s(now_s)
        suite = find_suite(self.suite)
        assert suite is not None
        ratchet = exchange.purpose == "ratchet"
        if not ratchet:
            self.full_keys_since_s = now_s
        self.drone_s = None if ratchet else self.profile.cost(suite).drone_s
        if not ratchet:
            exchange.mixed = exchange.mixed or self._secrets(
                suite.id, exchange.started_s, fresh=fresh
            )
        if self.epochs[-1].ended_s is None:
            self.epochs.append(KeyEpoch(now_s, exchange.mixed))
        else:
            self._begin_chain(now_s, exchange.mixed)
        kind = Kind.HANDSHAKE_COMPLETED if fresh else Kind.REKEY_COMMITTED
        words = "handshake completed" if fresh else "sending under new keys"
        self._report(kind, self.suite, now_s, words)

    def _begin_chain(self, now_s: float, mixed: tuple[Secret, ...]) -> None:
        self.epochs.append(KeyEpoch(now_s, mixed, chained=False))

    def _secrets(self, suite_id: str, made_s: float, *, fresh: bool = True) -> tuple[Secret, ...]:
        """Return what a full exchange mixes; a new session has the anchor's secret as well."""
        suite = find_suite(suite_id)
        assert suite is not None
        anchored = self._anchored(suite, made_s) if fresh else ()
        if fresh:
            self.session_anchor = anchored[0].key if anchored else ""
        return (*anchored, secret_of(suite, EPHEMERAL, made_s))

    def _anchored(self, suite: Suite, made_s: float) -> tuple[Secret, ...]:
        """Return the secret of the anchor's next key: a one-time one while they last."""
        if not self.anchor:
            return ()
        kind = ONE_TIME if self.one_time_keys and self.anchor == ONE_TIME else LAST_RESORT
        self.one_time_keys -= kind == ONE_TIME
        kem = next(
            one.kem_name
            for one in SUITES
            if one.family is KemFamily.MCELIECE and one.level == suite.level
        )
        return (Secret("codes", "goppa", kem, kind, made_s),)

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
