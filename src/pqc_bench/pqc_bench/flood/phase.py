# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One flood: traffic, rekeys and new sessions without it, and again while it lasts."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.flood.strangers import Attack, Strangers, reconcile
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.kernel_drops import kernel_drops
from pqc_bench.harness.live_pair import ENDS, LivePair
from pqc_bench.harness.places import DRONE, GROUND
from pqc_bench.harness.process_use import CpuMeter, resident_kib
from pqc_bench.rekey.result import Traffic

_REKEYS = 5
_SESSIONS = 3
WINDOWS = 5  # of the traffic generator, for each phase
# The ground station makes a prekey and a session a second for each drone.
_QUIET_PAUSE_S = 1.1
_SETTLE_S = 1.0
_SAMPLE_S = 0.5
_COUNTED_S = 0.2  # the counters of a status may be 100 ms old


@dataclass
class Course:
    rekeys_ms: list[float] = field(default_factory=list)  # from the request to the commit
    sessions_ms: list[float] = field(default_factory=list)  # from the wipe to the new session
    failures: list[str] = field(default_factory=list)
    cpu_percent: dict[str, float] = field(default_factory=dict)


class Phase:
    """A flood at one end."""

    def __init__(
        self,
        attack: Attack,
        seconds: int,
        datagrams: int,
        pair: LivePair,
        blaster: Blaster,
    ) -> None:
        self._attack = attack
        self._seconds, self._datagrams = seconds, datagrams
        self._pair, self._blaster = pair, blaster
        self._pids = {end: pair.processes[end].pid for end in ENDS}
        self._memory: dict[str, list[int]] = {end: [] for end in ENDS}

    def run(self) -> dict[str, Any]:
        """Measure without and with the flood, and compare the counters."""
        quiet = self._course("quiet", _QUIET_PAUSE_S)
        warm = {end: max(used) for end, used in self._memory.items()}
        before, kernel_before = self._counters()
        with self._strangers() as strangers:
            pause_s = self._seconds / (_REKEYS + _SESSIONS + 1)
            flooded = self._course("flood", pause_s)
            # The program waits for late answers.
            self._blaster.open_window(f"{self._attack.name} after")
            while strangers.running:
                time.sleep(_SAMPLE_S)
            flood = strangers.report()
        time.sleep(_SETTLE_S)
        after, kernel_after = self._counters()
        self._sample()
        counted = {reason: after[reason] - before[reason] for reason in after}
        # A recorded hello is answered with a challenge: a smaller datagram, and no state.
        recorded = flood["kinds"]["recorded"]
        counted["answered"] = min(flood["answers"], recorded)
        return {
            "name": self._attack.name,
            "target": self._attack.target,
            "sources": max(self._attack.sources, 1),
            "spoofed": self._attack.spoofed,
            "flood": flood,
            "counters": reconcile(
                flood["kinds"],
                counted,
                kernel_after - kernel_before,
                answers_seen=not self._attack.spoofed,
            ),
            "drops": counted,
            "rekeys_ms": {"quiet": quiet.rekeys_ms, "flood": flooded.rekeys_ms},
            "sessions_ms": {"quiet": quiet.sessions_ms, "flood": flooded.sessions_ms},
            "failures": quiet.failures + flooded.failures,
            "cpu_percent": {
                end: {"quiet": quiet.cpu_percent[end], "flood": flooded.cpu_percent[end]}
                for end in ENDS
            },
            "resident_kib": {
                end: {"first": used[0], "warm": warm[end], "last": used[-1], "most": max(used)}
                for end, used in self._memory.items()
            },
        }

    def traffic(self, report: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the traffic of each stretch, from the final report of the generator."""
        windows = {window["name"]: Traffic.of(window) for window in report["windows"]}
        return {
            name: _traffic_record(windows[f"{self._attack.name} {name}"])
            for name in ("quiet", "flood")
        }

    def _course(self, name: str, pause_s: float) -> Course:
        course = Course()
        meters = {end: CpuMeter(pid) for end, pid in self._pids.items()}
        self._blaster.open_window(f"{self._attack.name} {name}")
        for _ in range(_REKEYS):
            self._let_flow(pause_s)
            try:
                course.rekeys_ms.append(self._pair.rekey_ms())
            except RunFault as fault:
                course.failures.append(str(fault))
        self._let_flow(pause_s)
        # What is sent between two sessions is lost: it does not count.
        self._blaster.open_window(f"{self._attack.name} {name} sessions")
        for _ in range(_SESSIONS):
            course.sessions_ms.append(self._pair.reconnect_ms())
            self._let_flow(pause_s)
        course.cpu_percent = {end: round(meter.percent(), 2) for end, meter in meters.items()}
        return course

    def _let_flow(self, seconds: float) -> None:
        time.sleep(seconds)
        self._sample()

    def _strangers(self) -> Strangers:
        other = self._pair.link(DRONE if self._attack.target == GROUND else GROUND)
        return Strangers.at(self._pair, self._attack, self._seconds, self._datagrams, other)

    def _sample(self) -> None:
        for end, pid in self._pids.items():
            self._memory[end].append(resident_kib(pid))

    def _counters(self) -> tuple[dict[str, int], int]:
        """Return the drops of the flooded end and of the kernel."""
        target = self._attack.target
        time.sleep(_COUNTED_S)
        status = self._pair.tunnels.ask(target, "status")
        drops, strangers = status["peers"][0]["traffic"]["drops"], status["unassigned_drops"]
        drops = {reason: count + strangers[reason] for reason, count in drops.items()}
        if target == GROUND:
            drops["unknown_drone"] = status["unknown_drones"]
            drops["repeated"] = status["hellos_repeated"]
            drops["discarded"] = status["hellos_discarded"]
        with self._pair.places.inside(target):
            return drops, kernel_drops(self._pair.link(target).port)


def _traffic_record(traffic: Traffic) -> dict[str, Any]:
    return {
        "sent": traffic.sent,
        "lost": traffic.lost,
        "loss_percent": round(100.0 * traffic.lost / traffic.sent, 4) if traffic.sent else 0.0,
        "corrupted": traffic.corrupted,
        "longest_gap_ms": round(traffic.longest_gap_ms, 3),
        "longest_pause_ms": round(traffic.longest_pause_ms, 3),
    }
