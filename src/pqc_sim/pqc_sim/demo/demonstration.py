# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The course of one demonstration: wait for the tunnel, fly, rekey midway, end in good order."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass

from pqc_sim.demo.launched import Launched
from pqc_sim.demo.picture import Snapshot
from pqc_sim.demo.rates import Rate
from pqc_sim.demo.stage import Stage, kill_drone_tunnel
from pqc_sim.demo.suite_tour import next_suite
from pqc_sim.demo.terminal import Terminal
from pqc_sim.demo.tunnel_view import DRONE, RekeyAnswer, TunnelView
from pqc_sim.demo.verdict import Outcome
from pqc_sim.pair.link_emulator import NO_LINK

_SPIN_S = 0.05
_ESTABLISH_S = 90.0
_REKEY_ANSWER_S = 60.0
_SILENT_POLICY_S = 5.0
# Without an end, the rekey that comes by itself comes after this time.
_ENDLESS_REKEY_S = 10.0


@dataclass(frozen=True)
class Plan:
    """How long to fly in s (0: until told to stop), over which link, and what happens meanwhile.

    With a flight the policy decides over rekeys, without one there is one midway.
    """

    seconds: float
    link: str = NO_LINK
    flight: str = ""  # its name; empty: none
    stage: Stage | None = None

    @property
    def rekey_at_s(self) -> float:
        """When the rekey comes by itself."""
        return self.seconds / 2 if self.seconds else _ENDLESS_REKEY_S


class Demonstration:
    """Runs a plan; `run` returns when the flight is over, `outcome` when everything has ended."""

    def __init__(
        self, plan: Plan, launched: Launched, view: TunnelView, terminal: Terminal
    ) -> None:
        """Couple the parts; nothing happens yet."""
        self._plan = plan
        self._launched = launched
        self._view = view
        self._terminal = terminal
        self._stage = "starting"
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
        """Wait for the tunnel, then fly until the time is over or someone stops it."""
        if self._establish():
            self._fly()
            self._check_policy()
        self._settle_rekey()
        self._stage = "landing"
        self._turn(now=True)

    def outcome(self) -> Outcome:
        """Return what has been seen; call it after everything has ended."""
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
            rtt_ms=self._view.link.rtt_ms if self._view.link else None,
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
                self._stage = "flying"
                return True
            if not self._launched.running:
                self._faults.append(self._launched.fault())
                return False
            if time.monotonic() > deadline:
                last = f"; the last that was heard: {self._events[-1]}" if self._events else ""
                self._faults.append(f"no tunnel after {_ESTABLISH_S:.0f} s{last}")
                return False
        self._faults.append("stopped before the tunnel stood")
        return False

    def _all_ready(self) -> bool:
        """Whether the vehicle waits for its start, and tap and MAVProxy for what it will send."""
        ready = {"vehicle": "holding", "tap": "running", "ground": "waiting"}
        return all(
            self._launched.summary(who).get("state") == state for who, state in ready.items()
        )

    def _fly(self) -> None:
        assert self._began_s is not None
        while not self._stop:
            self._turn()
            self._flown_s = time.monotonic() - self._began_s
            if self._plan.seconds and self._flown_s >= self._plan.seconds:
                return
            if self._plan.stage is not None:
                self._play(self._plan.stage)
            elif self._flown_s >= self._plan.rekey_at_s and not self._rekey_expected:
                self._rekey_expected = True
                self._rekey("demonstration")
            if not self._launched.running:
                self._faults.append(self._launched.fault())
                return

    def _check_policy(self) -> None:
        newest_s = self._view.newest_decision_s
        if self._plan.flight and (newest_s is None or newest_s > _SILENT_POLICY_S):
            self._faults.append("the policy has fallen silent")

    def _play(self, stage: Stage) -> None:
        stage.update(self._flown_s)
        if stage.crash_due(self._flown_s):
            if kill_drone_tunnel(self._launched.pid):
                self._events.append("the drone's tunnel has been killed")
            else:
                self._faults.append("there was no tunnel to kill")

    def _settle_rekey(self) -> None:
        """Let a rekey under way come to its end: its answer belongs to the verdict."""
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
            elif key in "rR" and self._stage == "flying":
                self._rekey("asked for at the keyboard")
        self._terminal.show(self._snapshot(), now=now)

    def _rekey(self, reason: str) -> None:
        if self._rekey_asked_s is not None:
            self._events.append("a rekey is under way already")
            return
        drone = self._view.ends[DRONE]
        suite = next_suite(drone.suite, self._view.usable_suites)
        if self._view.rekey(suite, reason, self._on_rekeyed):
            self._rekey_asked_s = time.monotonic()
        else:
            self._events.append("the rekey service isn't there")

    def _on_rekeyed(self, answer: RekeyAnswer) -> None:
        self._rekey_asked_s = None
        if answer.success:
            self._events.append(f"rekey to {answer.suite} took {answer.total_ms:.1f} ms")
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
        drone = self._view.ends.get(DRONE)
        link = self._view.link
        vehicle, tap = self._launched.summary("vehicle"), self._launched.summary("tap")
        return Snapshot(
            stage=self._stage,
            elapsed_s=self._flown_s,
            total_s=self._plan.seconds,
            state=drone.state if drone else "",
            up=drone.up if drone else False,
            suite=drone.suite if drone else "",
            level=drone.level if drone else 0,
            epoch=drone.epoch if drone else 0,
            rekeys=drone.rekeys if drone else 0,
            handshake_ms=drone.handshake_ms if drone and drone.handshakes else None,
            rtt_ms=link.rtt_ms if link else None,
            jitter_ms=link.jitter_ms if link else None,
            down_hz=self._down.update(tap),
            up_hz=self._up.update(vehicle),
            dropped=self._dropped(),
            vehicle=vehicle,
            tap=tap,
            ground=self._launched.summary("ground"),
            events=tuple(self._events),
        )
