# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages and services of both tunnel nodes, for measurements."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pqc_sim.pair.node_view import EVENTS, NodeView
from pqc_sim.pair.tunnel_launch import NAMESPACES
from pqc_sim.processes.run_fault import RunFault
from rclpy.qos import QoSProfile

from pqc_msgs.msg import LinkReport, TunnelEvent, TunnelStatus
from pqc_msgs.srv import ListSuites, Rekey

_SPIN_S = 0.05
_NS_PER_S = 1_000_000_000
# The counters of a status may be 100 ms older than its stamp; twice that to be safe.
_COUNTED_BEFORE_NS = 200_000_000
DROPS = tuple(TunnelStatus().drops.get_fields_and_field_types())


def rekey_times_ms(answer: Any, gcs: Any) -> dict[str, float]:
    """Return the times of a rekey from its answer and the ground's status, in ms."""
    drone, ground = answer.timing, gcs.handshake
    seconds = {
        "handshake": drone.total_s,
        "fetch": drone.fetch_s,
        "keygen": ground.keygen_s,
        "sign": ground.sign_s,
        "verify": drone.verify_s,
        "encapsulate": drone.encapsulate_s,
        "decapsulate": ground.decapsulate_s,
    }
    return {f"{name}_ms": 1000.0 * took for name, took in seconds.items()}


class MeasuredNodes(NodeView):
    """Watches both ends and waits for their messages; use it as a context manager."""

    def __init__(self, check: Callable[[], None]) -> None:
        """Join the ROS graph; `check` is called while waiting and raises if an end has ended."""
        self._check = check
        # The drone's events since this list was last cleared.
        self.events: list[TunnelEvent] = []
        super().__init__("pqc_bench")
        # As the drone last measured it; 0 before.
        self.round_trip_s = 0.0
        self._watch("drone", TunnelEvent, "events", self._on_event, EVENTS)
        self._watch("drone", LinkReport, "link", self._on_link, QoSProfile(depth=10))

    def spin(self, seconds: float) -> None:
        """Handle messages for this long, in s."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0.0:
            self.spin_once(min(left, _SPIN_S))
        self._check()

    def wait_until(self, condition: Callable[[], bool], seconds: float, event: str) -> None:
        """Handle messages until the condition holds; RunFault after so many seconds."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.spin_once(_SPIN_S)
            self._check()
            if time.monotonic() > deadline:
                raise RunFault(f"{event} didn't happen within {seconds:.0f} s")

    def wait_established(self, seconds: float) -> None:
        """Wait until both ends report an established tunnel and the drone's services are ready."""

        def ready() -> bool:
            services = (self._rekey, self._list)
            return self.established and all(service.service_is_ready() for service in services)

        self.wait_until(ready, seconds, "the first handshake")

    def suites(self, seconds: float) -> list[Any]:
        """Return the drone's list of all suites (pqc_msgs/SuiteInfo)."""
        future = self._list.call_async(ListSuites.Request())
        self.wait_until(future.done, seconds, "an answer to list_suites")
        return list(future.result().suites)

    def ask_rekey(self, **request: Any) -> Any:
        """Ask for a rekey with these fields of the request; return the future of the answer."""
        return self._rekey.call_async(Rekey.Request(reason="measurement", **request))

    def rekey(self, suite: str, seconds: float) -> Any:
        """Switch to a suite; return the service's answer (pqc_msgs/srv/Rekey_Response)."""
        future = self.ask_rekey(suite=suite)
        self.wait_until(future.done, seconds, f"an answer to the rekey to {suite}")
        return future.result()

    def in_step(self) -> bool:
        """Return whether both ends last reported the same session, epoch and suite."""
        drone, gcs = (self.status.get(end) for end in NAMESPACES)
        if drone is None or gcs is None or not drone.session:
            return False
        return (drone.session, drone.epoch, drone.suite) == (gcs.session, gcs.epoch, gcs.suite)

    def wait_for_pool(self, seconds: float) -> bool:
        """Wait until the ground station has made all keys ahead that it wants; False if not."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0.0:
            pool = self.fresh(left)["gcs"].pool
            if not pool.making and pool.stored >= pool.wanted:
                return True
        return False

    def fresh(self, seconds: float) -> dict[str, TunnelStatus]:
        """Return statuses of both ends that include everything before this call."""
        now = time.time_ns() + _COUNTED_BEFORE_NS

        def arrived() -> bool:
            return all(
                end in self.status and nanoseconds(self.status[end].stamp) >= now
                for end in NAMESPACES
            )

        self.wait_until(arrived, seconds, "a new status")
        return dict(self.status)

    def _on_link(self, _: str, report: LinkReport) -> None:
        self.round_trip_s = report.rtt_s

    def _on_event(self, _: str, event: TunnelEvent) -> None:
        self.events.append(event)


def nanoseconds(stamp: Any) -> int:
    """Return a stamp (builtin_interfaces/Time) in ns since the epoch."""
    return stamp.sec * _NS_PER_S + stamp.nanosec


def drops_of(status: TunnelStatus) -> dict[str, int]:
    """Return the number of drops at an end so far, by reason."""
    return {name: int(getattr(status.drops, name)) for name in DROPS}
