# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One demonstration: wait for the tunnel, fly, rekey midway, end."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection
from dataclasses import dataclass

from pqc_msgs.srv import Rekey
from pqc_sim.demo.demo_flights import FlightConditions, kill_drone_tunnel
from pqc_sim.demo.launched import Launched, Rate
from pqc_sim.demo.live_view import Snapshot, Terminal
from pqc_sim.demo.tunnel_view import DRONE, TunnelView
from pqc_sim.demo.verdict import Outcome
from pqc_sim.pair.link_emulator import NO_LINK

_SPIN_S = 0.05
_ESTABLISH_S = 90.0
_REKEY_ANSWER_S = 60.0
_SILENT_POLICY_S = 5.0
# The time of the automatic rekey in a flight without an end.
_ENDLESS_REKEY_S = 10.0
# The suites of rekeys without a policy: a few that differ in every algorithm.
TOUR = (
    "cs-mlkem768-aesgcm-mldsa65",
    "cs-mlkem1024-chacha20poly1305-falcon1024",
    "cs-mlkem512-ascon128a-mldsa44",
    "cs-frodokem976aes-aesgcm-mldsa65",
    "cs-mlkem1024-aesgcm-mldsa87",
)


@dataclass(frozen=True)
class Plan:
    """The length of the flight in s (0: until stopped), its link, and its conditions.

    In a named flight the policy decides on rekeys; without a name there is one rekey midway.
    """

    seconds: float
    link: str = NO_LINK
    flight: str = ""  # its name; empty: none
    conditions: FlightConditions | None = None

    @property
    def rekey_at_s(self) -> float:
        """The time of the automatic rekey in s."""
        return self.seconds / 2 if self.seconds else _ENDLESS_REKEY_S


class Demonstration:
    """Runs a plan; `run` returns when the flight is over, `outcome` when everything has ended."""

    def __init__(
        self, plan: Plan, launched: Launched, view: TunnelView, terminal: Terminal
    ) -> None:
        """Connect the parts."""
        self._plan = plan
        self._launched = launched
        self._view = view
        self._terminal = terminal
        self._phase = "starting"
        self._began_s: float | None = None
        self._flown_s = 0.0
        self._stop = False
        self._rekey_expected = False
        self._rekey_asked_s: float | None = None
        self._faults: list[str] = []
        self._events: list[str] = []
        self._down, self._up = Rate(), Rate()

    def stop(self) -> None:
        """End the flight at the next opportunity; may be called from a signal handler."""
        self._stop = True

    def run(self) -> None:
        """Wait for the tunnel, then fly until the time is over or `stop` is called."""
        if self._establish():
            self._fly()
            self._check_policy()
        self._settle_rekey()
        self._phase = "landing"
        self._turn(now=True)

    def outcome(self) -> Outcome:
        """Return the observations; call it after all programs have ended."""
        drone = self._view.ends.get(DRONE)
        return Outcome(
            seconds=self._flown_s,
            suite=drone.suite if drone else "",
            epoch=drone.epoch if drone else 0,
            handshake_ms=self._view.first_handshake_ms,
            rekeys=drone.rekeys if drone else 0,
            rekey_expected=self._rekey_expected,
            vehicle=self._launched.summary("vehicle"),
            tap=self._launched.summary("tap"),
            ground=self._launched.summary("ground"),
            link=self._plan.link,
            link_counts=self._launched.summary("link"),
            rtt_ms=self._view.rtt_ms,
            dropped=self._dropped(),
            flight=self._plan.flight,
            decisions=self._view.decisions,
            faults=tuple(self._faults),
        )

    def _establish(self) -> bool:
        deadline = time.monotonic() + _ESTABLISH_S
        while not self._stop:
            self._turn()
            if self._view.established and self._all_ready():
                self._launched.signal("vehicle", signal.SIGUSR1)
                self._view.request_suites()
                self._began_s = time.monotonic()
                self._view.forget_decisions()
                self._phase = "flying"
                return True
            if not self._launched.running:
                self._faults.append(self._launched.fault())
                return False
            if time.monotonic() > deadline:
                last = f"; the last event was: {self._events[-1]}" if self._events else ""
                self._faults.append(f"no tunnel within {_ESTABLISH_S:.0f} s{last}")
                return False
        self._faults.append("stopped before the tunnel was established")
        return False

    def _all_ready(self) -> bool:
        """Whether the vehicle waits for its start, and tap and MAVProxy wait for the vehicle."""
        ready = {"vehicle": "holding", "tap": "running", "ground": "waiting"}
        return all(
            self._launched.summary(name).get("state") == state for name, state in ready.items()
        )

    def _fly(self) -> None:
        assert self._began_s is not None
        while not self._stop:
            self._turn()
            self._flown_s = time.monotonic() - self._began_s
            if self._plan.seconds and self._flown_s >= self._plan.seconds:
                return
            if self._plan.conditions is not None:
                self._apply(self._plan.conditions)
            elif self._flown_s >= self._plan.rekey_at_s and not self._rekey_expected:
                self._rekey_expected = True
                self._rekey("demonstration")
            if not self._launched.running:
                self._faults.append(self._launched.fault())
                return

    def _check_policy(self) -> None:
        newest_s = self._view.newest_decision_s
        if self._plan.flight and (newest_s is None or newest_s > _SILENT_POLICY_S):
            self._faults.append("the policy has stopped deciding")

    def _apply(self, conditions: FlightConditions) -> None:
        conditions.update(self._flown_s)
        if conditions.crash_due(self._flown_s):
            if kill_drone_tunnel(self._launched.pid):
                self._events.append("the drone's tunnel has been killed")
            else:
                self._faults.append("there is no tunnel to kill")

    def _settle_rekey(self) -> None:
        """Wait for the answer to a pending rekey, which belongs to the verdict."""
        while self._rekey_asked_s is not None and self._launched.running:
            self._turn()
            if time.monotonic() - self._rekey_asked_s > _REKEY_ANSWER_S:
                self._faults.append(f"the rekey wasn't answered within {_REKEY_ANSWER_S:.0f} s")
                return

    def _turn(self, *, now: bool = False) -> None:
        self._view.spin_once(_SPIN_S)
        self._events += self._view.take_events()
        for key in self._terminal.pressed():
            if key in "qQ":
                self._stop = True
            elif key in "rR" and self._phase == "flying":
                self._rekey("requested at the keyboard")
        self._terminal.show(self._snapshot(), now=now)

    def _rekey(self, reason: str) -> None:
        if self._rekey_asked_s is not None:
            self._events.append("a rekey is in progress already")
            return
        drone = self._view.ends[DRONE]
        suite = next_suite(drone.suite, self._view.usable_suites)
        if self._view.rekey(suite, reason, self._on_rekeyed):
            self._rekey_asked_s = time.monotonic()
        else:
            self._events.append("there is no rekey service")

    def _on_rekeyed(self, answer: Rekey.Response) -> None:
        self._rekey_asked_s = None
        if answer.success:
            self._events.append(
                f"rekey to {answer.suite} took {answer.timing.total_s * 1000.0:.1f} ms"
            )
        else:
            self._events.append(f"rekey failed: {answer.message}")
            self._faults.append(f"the rekey failed: {answer.message}")

    def _dropped(self) -> dict[str, int]:
        total: dict[str, int] = {}
        for end in self._view.ends.values():
            for reason, count in end.dropped.items():
                total[reason] = total.get(reason, 0) + count
        return total

    def _snapshot(self) -> Snapshot:
        vehicle, tap = self._launched.summary("vehicle"), self._launched.summary("tap")
        return Snapshot(
            phase=self._phase,
            elapsed_s=self._flown_s,
            total_s=self._plan.seconds,
            drone=self._view.ends.get(DRONE),
            rtt_ms=self._view.rtt_ms,
            jitter_ms=self._view.jitter_ms,
            down_hz=self._down.update(tap),
            up_hz=self._up.update(vehicle),
            dropped=self._dropped(),
            vehicle=vehicle,
            tap=tap,
            ground=self._launched.summary("ground"),
            events=tuple(self._events),
        )


def next_suite(current: str, usable: Collection[str]) -> str:
    """Return the next usable suite of the tour; empty, for the same suite, if there is no other."""
    start = TOUR.index(current) + 1 if current in TOUR else 0
    for suite in (*TOUR[start:], *TOUR[:start]):
        if suite in usable and suite != current:
            return suite
    return ""
