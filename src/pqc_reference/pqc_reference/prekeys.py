# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The prekeys that the drone holds, and how it fetches them from the GCS."""

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

if TYPE_CHECKING:
    from pqc_reference.drone import Drone

_TRIES = 8
_LIMIT_S = 120.0
_NEVER = float("inf")


@dataclass
class _Fetch:
    suite: Suite
    deadline: float
    transaction: int = field(default_factory=lambda: secrets.randbits(32))
    retry: Backoff = field(default_factory=control_retries)
    next_try: float = float("-inf")
    checking: bool = False

    @property
    def due(self) -> float:
        return _NEVER if self.checking else min(self.next_try, self.deadline)


class Prekeys:
    """The prekeys of one drone, which are forgotten with its session."""

    def __init__(self, drone: Drone) -> None:
        """`drone` learns of what arrives by `handle_prekey` and `handle_no_prekey`."""
        self._drone = drone
        self._session: Session | None = None
        self._held: dict[bytes, tuple[Prekey, float]] = {}  # prekey and expiry, by pair
        self._fetches: dict[bytes, _Fetch] = {}  # by pair

    def begin(self, session: Session | None) -> None:
        """Forget those of another session."""
        if session is not self._session:
            self._session = session
            self._held, self._fetches = {}, {}

    def take(self, suite: Suite) -> Prekey | None:
        """Return the prekey for a suite, if there is one, and forget it."""
        prekey, until = self._held.pop(suite.pair, (None, 0.0))
        return prekey if self._drone.now < until else None

    def fetch_ahead(self, suite: Suite) -> None:
        """Fetch a prekey for a suite, if there is none and the memory for it is allowed."""
        mode = self._drone.config.policy.mode
        held = sum(len(prekey.encode()) for prekey, _ in self._held.values())
        room = self._drone.config.prefetch_max_bytes - held
        if suite.pair not in self._held and largest_prekey(suite, mode) <= room:
            self.fetch(suite)

    def fetch(self, suite: Suite) -> None:
        """Fetch a prekey for a suite; one fetch serves all who want it."""
        if suite.pair not in self._fetches:
            deadline = self._drone.now + _LIMIT_S
            self._fetches[suite.pair] = _Fetch(suite, deadline)

    @property
    def count(self) -> int:
        """The number of prekeys held."""
        return len(self._held)

    @property
    def fetching(self) -> bool:
        """Return whether a prekey is on its way."""
        return bool(self._fetches)

    def due(self) -> float:
        """Return when `handle_due` has something to do."""
        return min((fetch.due for fetch in self._fetches.values()), default=_NEVER)

    def handle_due(self) -> None:
        """Send WANT again, or give up."""
        now = self._drone.now
        for fetch in list(self._fetches.values()):
            if now < fetch.due:
                continue
            if now >= fetch.deadline or fetch.retry.tries >= _TRIES:
                text = "the ground station sent no prekey in time"
                self._fail(fetch, HandshakeFailed(Failure.NO_ANSWER, text))
                continue
            fetch.next_try = now + fetch.retry.next()
            wire_id = fetch.suite.wire_id
            self._drone.peer.send_control(Control.WANT, fetch.transaction, wire_id)

    def handle_progress(self) -> None:
        """Note that a stream goes on: WANT has arrived."""
        for fetch in self._fetches.values():
            self._wait(fetch, 0.0)

    def handle_later(self, transaction: int, estimate_ms: int) -> None:
        """Note that the GCS makes a prekey."""
        for fetch in self._fetches.values():
            if fetch.transaction == transaction:
                self._wait(fetch, estimate_ms / 1000)

    def _wait(self, fetch: _Fetch, seconds: float) -> None:
        fetch.retry.reset()
        fetch.next_try = self._drone.now + min(max(seconds, 0.5), 4.0)

    def handle_abort(self, transaction: int, reason: int) -> None:
        """Give up the fetch of a transaction."""
        for fetch in list(self._fetches.values()):
            if fetch.transaction == transaction:
                self._fail(fetch, failure_of(reason))

    def _fail(self, fetch: _Fetch, failed: HandshakeFailed) -> None:
        if self._fetches.get(fetch.suite.pair) is fetch:
            del self._fetches[fetch.suite.pair]
            self._drone.handle_no_prekey(fetch.suite, failed)

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
        del self._fetches[fetch.suite.pair]
        until = self._drone.now + self._drone.config.prekey_max_age_s
        self._held[prekey.pair] = (prekey, until)
        self._drone.handle_prekey(fetch.suite)
