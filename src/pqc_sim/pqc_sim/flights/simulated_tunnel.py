# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's end of the tunnel as the policy sees it: session, rekeys, failures, crashes.

A rekey is a sequence of messages and computations, with a prekey that is fetched for it. Lost
messages are repeated, and a rekey or handshake without progress fails. A computation takes as long
as the profile predicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from hashlib import sha256
from typing import Any

from pqc_policy.policy.profile import Profile
from pqc_policy.policy.suites import find_suite

from pqc_sim.pair.parameters import shipped_parameters
from pqc_sim.physics.radio import Radio

RETRY_FIRST_S = 0.25
RETRY_MOST_S = 4.0
# As in the tunnel: without progress, a rekey or a handshake ends after so long.
_REKEY_PATIENCE_S = 30.0
_HANDSHAKE_PATIENCE_S = 15.0


class State(IntEnum):
    """The states of a TunnelStatus."""

    DISCONNECTED = 0
    CONNECTING = 1
    HANDSHAKING = 2
    ESTABLISHED = 3
    REKEYING = 4
    LOST = 5


class Kind(IntEnum):
    """The kinds of TunnelEvent that a simulated tunnel publishes."""

    HANDSHAKE_STARTED = 0
    HANDSHAKE_COMPLETED = 1
    HANDSHAKE_FAILED = 2
    REKEY_STARTED = 3
    REKEY_PREPARED = 4
    REKEY_COMMITTED = 5
    REKEY_CONFIRMED = 6
    REKEY_FAILED = 7
    ROLLBACK = 8
    PEER_LOST = 9
    PEER_BACK = 10
    REFUSED = 13


@dataclass(frozen=True)
class Event:
    """The content of a TunnelEvent."""

    kind: Kind
    at_s: float
    suite: str
    epoch: int
    text: str


# The steps: the direction of a message or "work" for a computation, its share of all computation,
# and the event when the step is done.
_REKEY: tuple[tuple[str, float, Kind | None], ...] = (
    ("up", 0.0, None),
    ("work", 0.5, None),
    ("down", 0.0, Kind.REKEY_PREPARED),
    ("work", 0.5, None),
    ("up", 0.0, None),
    ("down", 0.0, Kind.REKEY_COMMITTED),
    ("up", 0.0, None),
    ("down", 0.0, Kind.REKEY_CONFIRMED),
)
_HANDSHAKE = (
    ("up", 0.0, None),
    ("down", 0.0, None),
    ("up", 0.0, None),
    ("work", 0.5, None),
    ("down", 0.0, None),
    ("work", 0.5, None),
    ("up", 0.0, None),
    ("down", 0.0, Kind.HANDSHAKE_COMPLETED),
)


@dataclass
class _Exchange:
    suite: str
    steps: tuple[tuple[str, float, Kind | None], ...]
    started_s: float
    progress_s: float  # when the last step was done
    due_s: float  # when the step is done, or the message is sent again
    at: int = 0
    arrives: bool = False
    retry_s: float = RETRY_FIRST_S

    def next_step(self, now_s: float) -> None:
        """Begin the step after the present one."""
        self.at += 1
        self.progress_s = self.due_s = now_s
        self.arrives, self.retry_s = False, RETRY_FIRST_S


@dataclass
class Tunnel:
    """The state of the tunnel; `step` moves it through time."""

    radio: Radio
    profile: Profile
    wanted: str  # the suite of each new session
    seed: str
    spoiled: frozenset[str] = frozenset()  # suites whose rekeys fail with authentication
    parameters: Mapping[str, Any] = field(default_factory=partial(shipped_parameters, "drone"))
    running: bool = False
    state: State = State.DISCONNECTED
    suite: str = ""
    session: str = ""
    epoch: int = 0
    keys_since_s: float = 0.0
    packets_at_keys: int = 0
    handshakes: int = 0
    rekeys: int = 0
    rollbacks: int = 0
    handshake_s: float = 0.0  # of the latest one
    blacklist: dict[str, float] = field(default_factory=dict)  # suite and until when
    started_s: float = 0.0
    sent_before: int = 0
    dropped: dict[str, float] = field(default_factory=dict)  # by reason, since the start
    events: list[Event] = field(default_factory=list)
    _exchange: _Exchange | None = None
    _sessions: int = 0

    def start(self, now_s: float) -> None:
        """Start the node, which then does a handshake."""
        self.radio.restarted(now_s)
        self.running, self.started_s = True, now_s
        self.sent_before = self.radio.up.sent
        self.handshakes = self.rekeys = self.rollbacks = 0
        self.blacklist.clear()
        self.dropped.clear()

    def established(self, now_s: float) -> None:
        """Begin with a session that is some seconds old."""
        self._new_session(now_s - 8.0)

    def crash(self) -> None:
        """End the node at once, with its session."""
        self.running, self.state = False, State.DISCONNECTED
        self.suite, self.session, self.epoch = "", "", 0
        self._exchange = None

    def rekey(self, suite: str, now_s: float) -> None:
        """Request a rekey, as the policy does through the service."""
        if not self.running:
            return
        if self.state is not State.ESTABLISHED:
            why = "a rekey is under way" if self.state is State.REKEYING else "there is no peer"
            self._report(Kind.REFUSED, now_s, suite, f"rekey refused: {why}")
            return
        if self.blacklist.get(suite, 0.0) > now_s:
            why = f"rekey refused: {suite} failed lately and is blacklisted"
            self._report(Kind.REFUSED, now_s, suite, why)
            return
        self.state = State.REKEYING
        self._exchange = _Exchange(suite, _REKEY, now_s, now_s, now_s)
        self._report(Kind.REKEY_STARTED, now_s, suite, f"rekey to {suite} started")

    def step(self, now_s: float) -> None:
        """Move to a time, and append what happens to `events`."""
        if not self.running:
            return
        self.blacklist = {s: until_s for s, until_s in self.blacklist.items() if until_s > now_s}
        self._watch_peer(now_s)
        if self._exchange is None and self.state in (State.DISCONNECTED, State.LOST):
            suite = self.wanted
            self._exchange = _Exchange(suite, _HANDSHAKE, now_s, now_s, now_s)
            if self.state is State.DISCONNECTED:
                self.state = State.HANDSHAKING
            self._report(Kind.HANDSHAKE_STARTED, now_s, suite, f"handshake with {suite} started")
        if self._exchange is not None:
            self._go_on(self._exchange, now_s)

    def _watch_peer(self, now_s: float) -> None:
        silent_s = now_s - self.radio.down.estimator.last_s
        timeout_s = self.parameters["peer_timeout_s"]
        if self.state is State.ESTABLISHED and silent_s > timeout_s:
            self.state = State.LOST
            text = f"nothing heard of the ground station for {timeout_s:g} s"
            self._report(Kind.PEER_LOST, now_s, self.suite, text)
        elif self.state is State.LOST and silent_s < 0.5:
            self.state, self._exchange = State.ESTABLISHED, None
            self._report(Kind.PEER_BACK, now_s, self.suite, "the ground station is heard again")

    def _go_on(self, exchange: _Exchange, now_s: float) -> None:
        suite = find_suite(exchange.suite)
        rekey = exchange.steps is _REKEY
        patience_s = _REKEY_PATIENCE_S if rekey else _HANDSHAKE_PATIENCE_S
        waits = exchange.steps[exchange.at][0] != "work"
        if waits and now_s - exchange.progress_s > patience_s:
            self._give_up(exchange, now_s)
            return
        while self._exchange is exchange and now_s >= exchange.due_s:
            what, share, done = exchange.steps[exchange.at]
            if exchange.arrives:
                self._step_done(exchange, done, exchange.due_s)
            elif what == "work":
                assert suite is not None
                exchange.due_s += share * self.profile.cost(suite).handshake_s
                exchange.arrives = True
            else:
                delay_s = getattr(self.radio, what).path.delivered(exchange.due_s)
                exchange.arrives = delay_s is not None
                exchange.due_s += delay_s if delay_s is not None else exchange.retry_s
                exchange.retry_s = min(2.0 * exchange.retry_s, RETRY_MOST_S)

    def _step_done(self, exchange: _Exchange, done: Kind | None, at_s: float) -> None:
        suite = exchange.suite
        if done is Kind.REKEY_PREPARED:
            self._report(done, at_s, suite, f"the ground station has keys for {suite}")
        elif done is Kind.REKEY_COMMITTED:
            if suite in self.spoiled:
                self._roll_back(suite, at_s)
                return
            self._new_keys(suite, at_s - exchange.started_s, at_s)
            self.rekeys += 1
            self._report(done, at_s, suite, f"new keys under {suite}")
        elif done is not None:
            self._exchange = None
            if done is Kind.REKEY_CONFIRMED:
                self._report(done, at_s, suite, "the ground station sends under the new keys")
                self.state = State.ESTABLISHED
            else:
                self._new_session(at_s)
                self.handshake_s = at_s - exchange.started_s
                self._report(done, at_s, suite, f"session {self.session} under {suite}")
            return
        exchange.next_step(at_s)

    def _new_session(self, at_s: float) -> None:
        self._sessions += 1
        self.session = sha256(f"{self.seed}/{self._sessions}".encode()).hexdigest()[:16]
        self._new_keys(self.wanted, 0.0, at_s)
        self.epoch = 0
        self.state = State.ESTABLISHED

    def _new_keys(self, suite: str, took_s: float, at_s: float) -> None:
        self.suite, self.epoch = suite, (self.epoch + 1) % 256
        self.keys_since_s, self.handshake_s = at_s, took_s
        self.packets_at_keys = self.radio.up.sent
        self.handshakes += 1

    def _roll_back(self, suite: str, at_s: float) -> None:
        self.rollbacks += 1
        self.blacklist[suite] = at_s + self.parameters["blacklist_ttl_s"]
        self.state, self._exchange = State.ESTABLISHED, None
        self._report(Kind.ROLLBACK, at_s, suite, "the ground station's finish does not hold")

    def _give_up(self, exchange: _Exchange, now_s: float) -> None:
        self._exchange = None
        took_s = now_s - exchange.started_s
        if self.state is State.REKEYING:
            self.state = State.ESTABLISHED
            if self.suite == exchange.suite and exchange.at >= len(_REKEY) - 2:
                return  # committed; the peer will show it
            text = f"rekey to {exchange.suite} timed out after {took_s:.0f} s"
            self._report(Kind.REKEY_FAILED, now_s, exchange.suite, text)
        else:
            text = f"handshake timed out after {took_s:.0f} s"
            self._report(Kind.HANDSHAKE_FAILED, now_s, exchange.suite, text)
            if self.state is State.HANDSHAKING:
                self.state = State.DISCONNECTED

    def _report(self, kind: Kind, at_s: float, suite: str, text: str) -> None:
        self.events.append(Event(kind, at_s, suite, self.epoch, text))
