# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One flood: traffic, rekeys and new sessions without it, and again while it lasts."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.ports import LOOPBACK

from pqc_bench.flood.strangers import Attack, Strangers, reconcile
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.kernel_drops import kernel_drops
from pqc_bench.harness.measured_nodes import MeasuredNodes, drops_of
from pqc_bench.harness.process_use import CpuMeter, resident_kib
from pqc_bench.harness.tunnel_pair import TunnelPair
from pqc_bench.rekey.result import Traffic

_REKEYS = 5
_SESSIONS = 3
WINDOWS = 5  # of the traffic generator, for each phase
# The ground station makes a prekey and a session a second for each drone.
_QUIET_PAUSE_S = 1.1
_ANSWER_S = 30.0
_STATUS_S = 60.0
_SETTLE_S = 1.0
_SAMPLE_S = 0.5
_ENDS = ("drone", "gcs")


@dataclass
class Course:
    """What happened in a stretch of time."""

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
        pair: TunnelPair,
        view: MeasuredNodes,
        blaster: Blaster,
    ) -> None:
        """Prepare it."""
        self._attack = attack
        self._seconds, self._datagrams = seconds, datagrams
        self._view, self._blaster = view, blaster
        self._pids = {end: pair.pid(end) for end in _ENDS}
        ports = pair.ports
        both = [ports.drone_datagram, ports.gcs_datagram]
        self._other, self._port = both if attack.target == "gcs" else reversed(both)
        self._memory: dict[str, list[int]] = {end: [] for end in _ENDS}

    def run(self) -> dict[str, Any]:
        """Measure without and with the flood, and compare the counters."""
        view = self._view
        quiet = self._course("quiet", _QUIET_PAUSE_S)
        warm = {end: max(used) for end, used in self._memory.items()}
        before, kernel_before = self._counters()
        with self._strangers() as strangers:
            pause_s = self._seconds / (_REKEYS + _SESSIONS + 1)
            flooded = self._course("flood", pause_s)
            # The program waits for late answers.
            self._blaster.open_window(f"{self._attack.name} after")
            while strangers.running:
                view.spin(_SAMPLE_S)
            flood = strangers.report()
        view.spin(_SETTLE_S)
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
                for end in _ENDS
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
        view, course = self._view, Course()
        meters = {end: CpuMeter(pid) for end, pid in self._pids.items()}
        self._blaster.open_window(f"{self._attack.name} {name}")
        for _ in range(_REKEYS):
            self._let_flow(pause_s)
            answer = view.rekey("", _ANSWER_S)
            if answer.success:
                took_s = answer.timing.total_s + answer.timing.fetch_s
                course.rekeys_ms.append(round(1e3 * took_s, 3))
            else:
                course.failures.append(f"a rekey failed: {answer.message}")
        self._let_flow(pause_s)
        # What is sent between two sessions is lost: it does not count.
        self._blaster.open_window(f"{self._attack.name} {name} sessions")
        for _ in range(_SESSIONS):
            course.sessions_ms.append(round(1e3 * view.reconnect(_ANSWER_S), 3))
            view.wait_until(view.in_step, _STATUS_S, "agreement of both ends")
            self._let_flow(pause_s)
        course.cpu_percent = {end: round(meter.percent(), 2) for end, meter in meters.items()}
        return course

    def _let_flow(self, seconds: float) -> None:
        self._view.spin(seconds)
        self._sample()

    def _strangers(self) -> contextlib.AbstractContextManager[Strangers]:
        return Strangers(
            self._attack,
            self._seconds,
            Endpoint(LOOPBACK, self._port),
            self._datagrams,
            key_id=self._view.status[self._attack.target].key_id,
            other=Endpoint(LOOPBACK, self._other),
        )

    def _sample(self) -> None:
        for end, pid in self._pids.items():
            self._memory[end].append(resident_kib(pid))

    def _counters(self) -> tuple[dict[str, int], int]:
        """Return the drops of the flooded end and of the kernel."""
        drops = drops_of(self._view.fresh(_STATUS_S)[self._attack.target])
        if self._attack.target == "gcs":
            strangers = self._view.fresh_strangers(_STATUS_S)
            for reason in ("malformed", "unknown"):
                drops[reason] += strangers[reason]
            drops["unknown_drone"] = strangers["unknown drones"]
            drops["repeated"] = strangers["repeated hellos"]
            drops["discarded"] = strangers["discarded hellos"]
        return drops, kernel_drops(self._port)


def _traffic_record(traffic: Traffic) -> dict[str, Any]:
    return {
        "sent": traffic.sent,
        "lost": traffic.lost,
        "loss_percent": round(100.0 * traffic.lost / traffic.sent, 4) if traffic.sent else 0.0,
        "corrupted": traffic.corrupted,
        "longest_gap_ms": round(traffic.longest_gap_ms, 3),
        "longest_pause_ms": round(traffic.longest_pause_ms, 3),
    }
