# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One demonstration: wait for the tunnel, fly, rekey midway, end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection
from dataclasses import dataclass, replace

from pqc_msgs.srv import Rekey
from pqc_sim.demo.demo_flights import FLIGHTS, FlightConditions, kill_drone_tunnel
from pqc_sim.demo.launched import FlowWatch, Launched
from pqc_sim.demo.link_cut import LinkCut
from pqc_sim.demo.live_view import Snapshot
from pqc_sim.demo.terminal import Terminal
from pqc_sim.demo.tunnel_view import DRONE, GROUND, TunnelView
from pqc_sim.demo.verdict import TAKE_OFF_S, CutOutcome, LinkOutcome, Outcome, took_off
from pqc_sim.pair.link_emulator import NO_LINK
from pqc_sim.pair.links import EmulatedLink
from pqc_sim.processes.interruption import raise_if_interrupted

_SPIN_S = 0.05
_ESTABLISH_S = 90.0
_REKEY_ANSWER_S = 60.0
_SILENT_POLICY_S = 5.0
_ENDING_S = 40.0
_SENDERS = {"drone_to_gcs": DRONE, "gcs_to_drone": GROUND}
# On a busy machine a flight lasts so much longer, until the vehicle takes off.
_LATE_TAKE_OFF_S = 20.0
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
    """The length of the flight in s, its link, and its conditions.

    In a named flight the policy decides on rekeys; without a name there is one rekey midway.
    """

    seconds: float
    link: str = NO_LINK
    flight: str = ""  # its name; empty: none
    conditions: FlightConditions | None = None
    links: tuple[EmulatedLink, ...] = ()  # several, the first of which is cut and comes back


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
        self._link_cut = LinkCut(plan.links, plan.seconds, launched.signal)
        self._link_states: dict[str, str] = {}
        self._cut: CutOutcome | None = None
        self._carried_before = 0
        self._to_ground, self._to_drone = FlowWatch("drone → ground"), FlowWatch("ground → drone")

    def run(self) -> None:
        """Wait for the tunnel, fly until the time is over or `q` is pressed, and end all."""
        self._view.note(f"everything runs in ROS domain {os.environ.get('ROS_DOMAIN_ID', '0')}")
        if self._establish():
            self._fly()
            self._check_policy()
        self._settle_rekey()
        self._check_links()
        self._end_all()

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
            links=self._link_outcomes(),
            cut=self._cut,
            left_out={way: self._view.left_out.get(end, 0) for way, end in _SENDERS.items()},
            rtt_ms=self._view.link.rtt_ms,
            dropped=self._dropped(),
            layers=drone.layers if drone else (),
            flight=self._plan.flight,
            decisions=self._view.decisions,
            faults=tuple(self._faults),
        )

    def _establish(self) -> bool:
        deadline = time.monotonic() + _ESTABLISH_S
        while not self._stop:
            self._turn()
            missing = self._missing()
            self._phase = f"starting, waits for {missing}"
            if not missing:
                self._launched.signal("vehicle", signal.SIGUSR1)
                self._view.request_suites()
                self._began_s = time.monotonic()
                self._view.forget_decisions()
                self._phase = "flying"
                return True
            if self._launched.failed:
                self._launched.stop()
                self._faults.append(self._launched.fault())
                return False
            if time.monotonic() > deadline:
                events = self._view.events
                last = f"; the last event was: {events[-1].text}" if events else ""
                limit = f"within {_ESTABLISH_S:.0f} s"
                self._faults.append(f"{missing} was not ready {limit}{last}")
                return False
        self._faults.append("stopped before the vehicle was started")
        return False

    def _missing(self) -> str:
        """Return what isn't ready for the vehicle to start; empty if everything is."""
        if not self._view.established:
            return "the tunnel"
        if self._plan.flight and self._view.newest_decision_s is None:
            return "the policy"
        for name, ready in (("tap", "running"), ("vehicle", "holding"), ("ground", "waiting")):
            if self._launched.summary(name).get("state") != ready:
                return "MAVProxy" if name == "ground" else f"the {name}"
        return ""

    def _fly(self) -> None:
        assert self._began_s is not None
        while not self._stop:
            self._turn()
            self._flown_s = time.monotonic() - self._began_s
            if self._flown_s >= self._plan.seconds and not self._waits_for_take_off():
                return
            if self._plan.conditions is not None:
                self._apply(self._plan.conditions)
            elif self._flown_s >= self._plan.seconds / 2 and not self._rekey_expected:
                self._rekey_expected = True
                self._rekey("demonstration")
            self._cut_and_restore()
            if not self._launched.running:
                self._faults.append(self._launched.fault())
                return

    def _cut_and_restore(self) -> None:
        airborne = took_off(self._launched.summary("vehicle"))
        again = self._launched.summary("ground").get("parameters_again")
        done = self._link_cut.update(self._flown_s, airborne=airborne, busy=again is None)
        if not done:
            return
        self._view.note(done)
        if self._link_cut.is_cut:
            self._carried_before = self._carried_beside()
            self._launched.signal("ground", signal.SIGUSR1)
        else:
            carried = self._carried_beside() - self._carried_before
            self._cut = CutOutcome(self._link_cut.link, again, carried)

    def _carried_beside(self) -> int:
        """Return how many packets the links that are not cut have delivered so far."""
        return sum(
            link.as_dict()["received"]
            for link in self._link_outcomes()
            if link.name != self._link_cut.link
        )

    def _waits_for_take_off(self) -> bool:
        if self._plan.seconds < TAKE_OFF_S or took_off(self._launched.summary("vehicle")):
            return False
        self._phase = "flying, waits for the take-off"
        return self._flown_s < self._plan.seconds + _LATE_TAKE_OFF_S

    def _check_policy(self) -> None:
        newest_s = self._view.newest_decision_s
        silent = newest_s is not None and newest_s > _SILENT_POLICY_S
        if silent and self._launched.running:
            self._faults.append("the policy has stopped deciding")

    def _check_links(self) -> None:
        self._link_states = {path.name: path.state for path in self._view.paths}
        if fault := self._link_cut.fault(self._flown_s, self._link_states):
            self._faults.append(fault)

    def _link_outcomes(self) -> tuple[LinkOutcome, ...]:
        if self._plan.link != NO_LINK:
            name, state = next(iter(self._link_states.items()), ("udp", "unknown"))
            return (LinkOutcome(name, "udp", state, self._launched.summary("link").get("udp", {})),)
        return tuple(
            LinkOutcome(
                link.name,
                link.type,
                self._link_states.get(link.name, "unknown"),
                self._launched.summary(f"link-{link.name}").get(link.type, {}),
            )
            for link in self._plan.links
        )

    def _apply(self, conditions: FlightConditions) -> None:
        conditions.update(self._flown_s)
        if conditions.crash_due(self._flown_s):
            if kill_drone_tunnel(self._launched.pid):
                self._view.note("the drone's tunnel has been killed")
            else:
                self._faults.append("there is no tunnel to kill")

    def _settle_rekey(self) -> None:
        """Wait for the answer to a pending rekey, which belongs to the verdict."""
        if self._rekey_asked_s is None:
            return
        deadline_s = self._rekey_asked_s + _REKEY_ANSWER_S
        while self._rekey_asked_s is not None and self._launched.running:
            self._turn()
            if self._rekey_asked_s is not None and time.monotonic() > deadline_s:
                self._faults.append(f"the rekey wasn't answered within {_REKEY_ANSWER_S:.0f} s")
                return

    def _end_all(self) -> None:
        """End all programs, the senders first, so that every datagram is counted at both ends."""
        self._phase = "ending"
        self._turn(now=True)
        deadline = time.monotonic() + _ENDING_S
        if self._launched.running and self._launched.signal("ground", signal.SIGINT):
            while self._launched.running and time.monotonic() < deadline:
                self._turn()

    def _turn(self, *, now: bool = False) -> None:
        self._view.spin_once(_SPIN_S)
        raise_if_interrupted()
        for key in self._terminal.pressed():
            if key in "qQ":
                self._stop = True
            elif key in "rR" and self._phase.startswith("flying"):
                self._rekey("requested at the keyboard")
        self._terminal.show(self._snapshot(), now=now)

    def _rekey(self, reason: str) -> None:
        if self._rekey_asked_s is not None:
            self._view.note("a rekey is in progress already")
            return
        if self._view.rekey(self._next_suite(), reason, self._on_rekeyed):
            self._rekey_asked_s = time.monotonic()
        else:
            self._view.note("there is no rekey service")

    def _next_suite(self) -> str:
        drone = self._view.ends.get(DRONE)
        return next_suite(drone.suite, self._view.usable_suites) if drone else ""

    def _on_rekeyed(self, answer: Rekey.Response) -> None:
        self._rekey_asked_s = None
        if answer.success:
            took_ms = answer.timing.total_s * 1000.0
            self._view.note(f"rekey to {answer.suite} took {took_ms:.1f} ms")
        else:
            self._view.note(f"rekey failed: {answer.message}")
            self._faults.append(f"the rekey failed: {answer.message}")

    def _dropped(self) -> dict[str, int]:
        total: dict[str, int] = {}
        for end in self._view.ends.values():
            for reason, count in end.dropped.items():
                total[reason] = total.get(reason, 0) + count
        return total

    def _snapshot(self) -> Snapshot:
        vehicle, tap = self._launched.summary("vehicle"), self._launched.summary("tap")
        link = "" if self._plan.link == NO_LINK else os.path.basename(self._plan.link)
        subject = None
        if self._plan.flight:
            name = FLIGHTS[self._plan.flight].subject
            subject = (name, self._view.subject(name))
        return Snapshot(
            phase=self._phase,
            elapsed_s=self._flown_s,
            total_s=self._plan.seconds,
            domain=os.environ.get("ROS_DOMAIN_ID", "0"),
            drone=self._view.ends.get(DRONE),
            flows=(self._to_ground.update(vehicle, tap), self._to_drone.update(tap, vehicle)),
            links=(replace(self._view.link, name=link),),
            paths=self._view.paths if self._plan.links else (),
            subject=subject,
            policy=self._view.policy,
            next_suite=self._next_suite(),
            dropped=self._dropped(),
            vehicle=vehicle,
            ground=self._launched.summary("ground"),
            events=self._view.events,
        )


def next_suite(current: str, usable: Collection[str]) -> str:
    """Return the next usable suite of the tour; empty, for the same suite, if there is no other."""
    start = TOUR.index(current) + 1 if current in TOUR else 0
    for suite in (*TOUR[start:], *TOUR[:start]):
        if suite in usable and suite != current:
            return suite
    return ""
