# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One flight of real nodes over an emulated link."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

from pqc_sim.pair.link_emulator import fields_by_direction
from pqc_sim.pair.links import end_parameters
from pqc_sim.pair.node_view import LATCHED
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import LOOPBACK, free_ports
from pqc_testing.ros_graph import isolate_graph
from rclpy.qos import QoSProfile, qos_profile_sensor_data

from pqc_bench.cost.sensors import Sensors
from pqc_bench.harness.blaster import DIRECTIONS
from pqc_bench.harness.emulated_link import start_link
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.layers.crossed import air_share, counts_of, lost_to_keys
from pqc_bench.layers.one_time_ratchet import OneTimeRatchet
from pqc_bench.layers.protection_seen import Seen, began_s, drops_of_keys, protection, seen
from pqc_bench.layers.traffic import Traffic
from pqc_msgs.msg import LinkReport, PolicyDecision, TunnelStatus

_ENDS = ("drone", "gcs")
_START_S = 120.0
_TURN_NS, _SECOND_NS = 50_000_000, 1_000_000_000
_MOST_MESSAGES = 4  # handled in a turn
# A one-time key is asked for so long before the end.
RATCHET_S = 20.0
_ONE_TIME_KEYS = 16


def fly(folder: Path, link: str, strategy: str, seconds: float, *, ratchet: bool) -> dict[str, Any]:
    """Return the figures of a flight; RunFault if it can't begin.

    It needs a process of its own, since it takes a ROS graph of its own. With `ratchet` it asks for
    a ratchet with a one-time key.
    """
    isolate_graph()
    with contextlib.ExitStack() as stack:
        flight = _Flight(folder, link, strategy, stack)
        return flight.fly(seconds, ratchet=ratchet)


class _Flight:
    """Both ends with the policy, the link, and the traffic; all end with the stack."""

    def __init__(self, folder: Path, link: str, strategy: str, stack: contextlib.ExitStack) -> None:
        self._link, self._emulator = start_link(folder, link, stack)
        # The computer's own temperature is none of the link's conditions.
        self._sensors, self._measured_ns = Sensors(folder / "sys"), 0
        self._pair = stack.enter_context(TunnelPair(folder, self._plan(folder, strategy)))
        self._view = stack.enter_context(MeasuredNodes(self._pair.check))
        self._traffic = Traffic(self._pair.applications, stack)
        self._flight: list[Seen] = []
        self._decided = self._shaped = False
        view = self._view
        view.subscribe(TunnelStatus, "/pqc/status", self._on_status, LATCHED)
        view.subscribe(PolicyDecision, "/pqc/decision", self._on_decision, QoSProfile(depth=10))
        view.subscribe(LinkReport, "/pqc/link", self._on_link, qos_profile_sensor_data)

    def fly(self, seconds: float, *, ratchet: bool) -> dict[str, Any]:
        """Begin the session once the policy decides, and fly for so long."""
        self._pass_until(lambda: self._decided, "a decision of the policy")
        self._pair.launch("gcs")
        self._pass_until(lambda: self._view.established, "the first handshake")
        self._traffic.speak()
        dropped, crossed = self._dropped(), self._crossed()
        asking = OneTimeRatchet(self._view.ask_rekey) if ratchet else None
        start_ns = time.monotonic_ns()
        end_ns = start_ns + int(seconds * _SECOND_NS)
        while (now_ns := time.monotonic_ns()) < end_ns:
            if asking is not None and now_ns > end_ns - RATCHET_S * _SECOND_NS:
                asking.work(now_ns / _SECOND_NS)
            self._turn()
        found = protection(self._flight)
        flown_s = self._flight[-1].at_s - (began_s(self._flight) or 0.0)
        came = self._traffic.result()
        profile = fields_by_direction(self._link.link.profile)
        share = air_share(profile, found["exchange_bytes"], found["fetch_bytes"], flown_s)
        lost = lost_to_keys(
            self._dropped() - dropped,
            came["lost_by_sequence"],
            crossed,
            self._crossed(),
            shaped=self._shaped,
        )
        return {
            "seconds": round(flown_s, 1),
            **found,
            **came,
            "lost_share": _lost_share(came),
            "lost": lost,
            "shaped": self._shaped,
            "air_share": round(share, 5),
            "one_time_s": asking.took_s if asking else None,
            "one_time_refused": asking.refused if asking else "",
        }

    def _plan(self, folder: Path, strategy: str) -> Plan:
        (mirror_port,) = free_ports(1)
        drone, ground = (end_parameters([self._link], end, "failover") for end in _ENDS)
        return Plan(
            drone={"mirror_address": LOOPBACK, "mirror_port": mirror_port, **drone},
            gcs=ground,
            launch={
                "strategy": strategy,
                "mirror_port": str(mirror_port),
                "sys_root": str(self._sensors.root),
            },
            one_time_keys=_ONE_TIME_KEYS,
            ends=("drone",),
        )

    def _pass_until(self, condition: Any, event: str) -> None:
        deadline = time.monotonic() + _START_S
        while not condition():
            self._turn()
            if time.monotonic() > deadline:
                raise RunFault(f"{event} didn't come within {_START_S:.0f} s")

    def _turn(self) -> None:
        now_ns = time.monotonic_ns()
        if now_ns > self._measured_ns + _SECOND_NS:
            self._sensors.measure()  # a sensor that never changes is taken for broken
            self._measured_ns = now_ns
        self._traffic.pass_until(time.monotonic_ns() + _TURN_NS)
        for _ in range(_MOST_MESSAGES):
            self._view.spin_once(0.0)
        self._pair.check()

    def _on_status(self, status: TunnelStatus) -> None:
        self._flight.append(seen(status))

    def _on_decision(self, _: PolicyDecision) -> None:
        self._decided = True

    def _on_link(self, report: LinkReport) -> None:
        self._shaped = self._shaped or any(path.classes for path in report.paths)

    def _dropped(self) -> int:
        return sum(drops_of_keys(status) for status in self._view.status.values())

    def _crossed(self) -> dict[str, dict[str, int]]:
        return counts_of(self._link, self._emulator.summary())


def _lost_share(came: dict[str, Any]) -> float:
    lost, received = (
        sum(came[name][way] for way in DIRECTIONS) for name in ("lost_by_sequence", "received")
    )
    return round(lost / max(lost + received, 1), 5)
