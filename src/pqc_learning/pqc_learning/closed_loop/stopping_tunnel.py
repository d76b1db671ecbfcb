# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The seeds' program: for a rekey both ends stop, start again and do a handshake over TCP.

PQC-MAV paper, section III.E: a handshake that fails leads back to the suite before, by another
start, and its suite is blacklisted. The data stops for all of that.
"""

from __future__ import annotations

from dataclasses import dataclass

from pqc_policy.policy.suites import Suite, find_suite
from pqc_sim.tunnel.events import Kind
from pqc_sim.tunnel.exchange import DOWN, UP, WORK, Exchange, Step
from pqc_sim.tunnel.tunnel_model import BLACKLIST_S, TunnelModel

_HANDSHAKE_PATIENCE_S = 45.0
_HELLO, _TAG_BYTES = 60, 48


@dataclass
class StoppingTunnel(TunnelModel):
    """A rekey stops the data in both directions."""

    startup_s: float = 0.0  # work of the drone per rekey or handshake

    # TCP's retransmission time-out.
    retry_first_s = 1.0
    retry_most_s = 8.0

    def heard(self, now_s: float, last_s: float) -> None:
        """Do nothing: the program has no notion of a lost peer."""

    def _begin_rekey(self, suite: Suite, now_s: float, *, ratchet: bool) -> None:
        self._go_quiet(now_s)
        self._start("rekey", suite.id, self._steps(suite), now_s)

    def _begin_handshake(self, suite_id: str, now_s: float, purpose: str) -> None:
        suite = find_suite(suite_id)
        assert suite is not None
        self._start(purpose, suite_id, self._steps(suite), now_s)

    def _steps(self, suite: Suite) -> tuple[Step, ...]:
        cost, startup_s = self.profile.cost(suite), self.startup_s
        return (
            Step(WORK, work_s=startup_s, drone_s=startup_s),
            Step(UP, _HELLO, began=True),
            Step(WORK, work_s=cost.handshake_s - cost.drone_s),
            Step(DOWN, suite.prekey_bytes),
            Step(WORK, work_s=cost.drone_s, drone_s=cost.drone_s),
            Step(UP, suite.rekey_bytes - suite.prekey_bytes + _TAG_BYTES),
        )

    def _patience_s(self, exchange: Exchange) -> float:
        return _HANDSHAKE_PATIENCE_S

    def _committed(self, exchange: Exchange, now_s: float) -> None:
        raise AssertionError("the data stops until the exchange is done")

    def _done(self, exchange: Exchange, now_s: float) -> None:
        due_to_rekey = exchange.purpose != "handshake"
        if exchange.purpose == "rekey" and exchange.suite in self.spoiled:
            self._roll_back(exchange.suite, "the tag does not hold", now_s)
            self._begin_handshake(self.suite, now_s, "restart")
            return
        self._new_keys(exchange, now_s, fresh=not due_to_rekey)
        self.handshakes += 1
        if exchange.purpose == "rekey":
            self.rekeys += 1
            self._report(Kind.REKEY_CONFIRMED, self.suite, now_s, f"rekeyed to {self.suite}")
        self.established = True
        self._speak(now_s, rekey=due_to_rekey)

    def _occupied(self, exchange: Exchange, way: str, now_s: float, busy_s: float) -> None:
        """Do nothing: while its data stops, nobody else needs the airtime."""

    def _give_up(self, exchange: Exchange, now_s: float) -> None:
        if exchange.purpose == "rekey":
            self._report(Kind.REKEY_FAILED, exchange.suite, now_s, "the handshake timed out")
            if exchange.suite != self.suite:
                self.blacklist[exchange.suite] = now_s + BLACKLIST_S
            self._begin_handshake(self.suite, now_s, "restart")
        else:
            self._begin_handshake(exchange.suite, now_s, exchange.purpose)
