# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The prekeys that the drone holds, and how it fetches them from the GCS, several at a time."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pqc_reference.backoff import Backoff, control_retries
from pqc_reference.crypto.suites import Suite
from pqc_reference.drone_handshake import check_prekey
from pqc_reference.handshake import (
    Failure,
    HandshakeFailed,
    bind_ahead,
    failure_of,
    used_twice,
)
from pqc_reference.session.epoch_keys import Session
from pqc_reference.wire.control import Control
from pqc_reference.wire.messages import Malformed, Prekey, largest_prekey, pair_of_prekey
from pqc_reference.wire.streams import LANES

if TYPE_CHECKING:
    from pqc_reference.drone import Drone

_LIMIT_S = 120.0  # without any part of what is fetched
_SILENCE_S = 15.0  # without any word of the GCS
_SHARE_OF_PARTS = 0.91  # of the airtime; the rest is for acknowledgements and WANT
_NEVER = float("inf")


@dataclass(eq=False)
class _Fetch:
    suite: Suite
    asked: bool  # by a command, or for a rekey
    urgent: bool = False  # a rekey waits for it
    lane: int | None = None  # None: it waits for one
    transaction: int = field(default_factory=lambda: secrets.randbits(32))
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = float("-inf")
    deadline: float = _NEVER
    patience: float = _NEVER
    checking: bool = False

    @property
    def due(self) -> float:
        waits = self.lane is None or self.checking
        return _NEVER if waits else min(self.next_try, self.deadline, self.patience)

    @property
    def rank(self) -> tuple[bool, bool]:
        return not self.urgent, not self.asked


@dataclass(frozen=True)
class Held:
    """A prekey in stock."""

    prekey: Prekey
    until: float
    asked: bool

    @property
    def size(self) -> int:
        return len(self.prekey.encode())


class Prekeys:
    """The prekeys of one drone, which are forgotten with its session."""

    def __init__(self, drone: Drone) -> None:
        """`drone` learns of what arrives by `handle_prekey` and `handle_no_prekey`."""
        self._drone = drone
        self._session: Session | None = None
        self._held: dict[bytes, Held] = {}  # by pair, the oldest first
        self._fetches: dict[bytes, _Fetch] = {}  # by pair

    def begin(self, session: Session | None) -> None:
        if session is not self._session:
            self._session = session
            self._held, self._fetches = {}, {}

    def holds(self, suite: Suite) -> bool:
        held = self._held.get(suite.pair)
        return held is not None and self._drone.now < held.until

    def take(self, suite: Suite) -> Prekey | None:
        """Return the prekey for a suite, if there is one, and forget it."""
        there = self.holds(suite)
        held = self._held.pop(suite.pair, None)
        return held.prekey if held is not None and there else None

    def fetch_ahead(self, suite: Suite) -> None:
        """Fetch a prekey for a suite, if there is none and the memory for it is allowed."""
        size = largest_prekey(suite, self._drone.config.policy.mode)
        if not self.holds(suite) and size <= self._room:
            self.fetch(suite)

    def fetch(self, suite: Suite, *, asked: bool = False, urgent: bool = False) -> None:
        """Fetch a prekey for a suite; one fetch serves all who want it.

        `urgent`: a rekey waits for it, so that it goes on at whatever rate data leaves.
        """
        before = self._pace
        fetch = self._fetches.setdefault(suite.pair, _Fetch(suite, asked))
        fetch.asked |= asked
        fetch.urgent |= urgent
        self._give_lanes()
        self._tell_pace(before)

    def not_urgent(self) -> None:
        """No rekey waits any more."""
        before = self._pace
        for fetch in self._fetches.values():
            fetch.urgent = False
        self._tell_pace(before)

    def _tell_pace(self, before: int) -> None:
        if self._pace != before:
            for fetch in self._fetches.values():
                fetch.next_try = float("-inf")  # WANT has it

    @property
    def count(self) -> int:
        return len(self._held)

    @property
    def fetching(self) -> bool:
        return bool(self._fetches)

    def progress(self, suite: Suite) -> float | None:
        """Return how much of a prekey is here, 0 to 1; None: it is not being fetched."""
        fetch = self._fetches.get(suite.pair)
        return None if fetch is None else self._is_here(fetch) or 0.0

    def _is_here(self, fetch: _Fetch) -> float | None:
        """Return how much of it is here, 0 to 1; None: no part of it."""
        if self._session is None or fetch.lane is None:
            return None
        return self._session.streams.progress(fetch.lane)

    @property
    def _room(self) -> int:
        return self._drone.config.prefetch_max_bytes - sum(one.size for one in self._held.values())

    @property
    def _is_urgent(self) -> bool:
        return any(fetch.urgent for fetch in self._fetches.values())

    @property
    def _pace(self) -> int:
        """The bytes/s of all fetches together; 0: what data leaves, or an unknown rate."""
        if self._is_urgent:
            return 0
        airtime = self._drone.config.prefetch_airtime * _SHARE_OF_PARTS
        return int((self._drone.rate_bytes_s or 0.0) * airtime)

    def _give_lanes(self) -> None:
        """Give free lanes to those that wait, and that of another one to an urgent fetch."""
        if self._session is None:
            return
        for fetch in sorted(self._fetches.values(), key=lambda one: one.rank):
            if fetch.lane is not None:
                continue
            taken = [one for one in self._fetches.values() if one.lane is not None]
            free = [lane for lane in LANES if lane not in {one.lane for one in taken}]
            if not free and fetch.urgent:
                last = min(taken, key=lambda one: self.progress(one.suite) or 0.0)
                free, last.lane = [last.lane or 0], None
            if not free:
                return
            now = self._drone.now
            fetch.lane, fetch.transaction = free[0], secrets.randbits(32)
            fetch.next_try, fetch.deadline, fetch.patience = now, now + _LIMIT_S, now + _SILENCE_S
            self._session.streams.decline(free[0], now)

    # --- Time ---

    def due(self) -> float:
        return min((fetch.due for fetch in self._fetches.values()), default=_NEVER)

    def handle_due(self) -> None:
        """Send WANT again, or give up."""
        now = self._drone.now
        for fetch in list(self._fetches.values()):
            if now < fetch.due:
                continue
            if now >= min(fetch.deadline, fetch.patience):
                text = "the ground station sent no prekey in time"
                self._fail(fetch, HandshakeFailed(Failure.NO_ANSWER, text))
                continue
            fetch.next_try = now + fetch.retry.next()
            if self._is_urgent and not fetch.urgent:
                continue  # the lane of the newest WANT goes first
            want = (fetch.suite.wire_id, fetch.lane, self._pace)
            if self._session is not None:
                self._session.streams.set_pace(self._pace)
            self._drone.peer.send_control(Control.WANT, fetch.transaction, *want)

    def handle_progress(self) -> None:
        """Note that a stream goes on; those in other lanes may wait for it."""
        now = self._drone.now
        for fetch in self._fetches.values():
            fetch.deadline, fetch.patience = now + _LIMIT_S, now + _SILENCE_S
            if self._is_here(fetch) is not None:
                fetch.next_try = max(fetch.next_try, now + 2.0)

    def handle_later(self, transaction: int, estimate_ms: int) -> None:
        """Note that the GCS makes a prekey."""
        for fetch in self._fetches.values():
            if fetch.transaction == transaction:
                fetch.retry.reset()
                fetch.next_try = self._drone.now + min(max(estimate_ms / 1000, 0.5), 4.0)
                fetch.patience = self._drone.now + _SILENCE_S

    def handle_abort(self, transaction: int, reason: int) -> None:
        """Give up the fetch of a transaction."""
        for fetch in list(self._fetches.values()):
            if fetch.transaction == transaction:
                self._fail(fetch, failure_of(reason))

    def _fail(self, fetch: _Fetch, failed: HandshakeFailed) -> None:
        if self._fetches.get(fetch.suite.pair) is fetch:
            self._end(fetch)
            self._drone.handle_no_prekey(fetch.suite, failed)

    def _end(self, fetch: _Fetch) -> None:
        before = self._pace
        del self._fetches[fetch.suite.pair]
        self._give_lanes()
        self._tell_pace(before)

    # --- What arrives ---

    def handle_message(self, message: bytes, session: Session) -> None:
        """Check a Prekey that was wanted, and keep it."""
        try:
            fetch = self._fetches.get(pair_of_prekey(message))
        except Malformed:
            return
        if fetch is None or fetch.checking or session is not self._session:
            return
        drone, suite = self._drone, fetch.suite
        bind = bind_ahead(drone.identity.id, session.id, session.origin)
        terms = (message, suite, drone.config.policy, drone.identity, bind)
        fetch.checking = True
        drone.start(
            lambda: check_prekey(*terms),
            lambda prekey: self._keep(fetch, prekey),
            lambda failed: self._fail(fetch, failed),
        )

    def _keep(self, fetch: _Fetch, prekey: Prekey) -> None:
        if self._fetches.get(fetch.suite.pair) is not fetch:
            return
        if not self._drone.is_new_key(prekey.key_id):
            self._fail(fetch, used_twice())
            return
        until = self._drone.now + self._drone.config.prekey_max_age_s
        self._held[prekey.pair] = Held(prekey, until, fetch.asked)
        others = (pair for pair, one in list(self._held.items()) if not one.asked)
        while fetch.asked and self._room < 0 and (other := next(others, None)):
            del self._held[other]
        self._end(fetch)
        self._drone.handle_prekey(fetch.suite)
