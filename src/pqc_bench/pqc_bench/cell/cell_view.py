# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of both nodes, cell by cell, through one participant in the graph for all cells."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from pqc_sim.pair.node_view import EVENTS
from pqc_sim.pair.tunnel_launch import NAMESPACES
from rclpy.qos import QoSProfile

from pqc_bench.cell.cell import DECISIONS
from pqc_bench.cell.parameters import NODES
from pqc_bench.cell.plain_message import as_plain
from pqc_bench.harness.measured_nodes import MeasuredNodes, nanoseconds
from pqc_msgs.msg import LinkReport, PolicyDecision, TunnelEvent, TunnelStatus

_MS_PER_NS = 1e-6
_RECORDER = "rosbag2_recorder"
_ENDS = {node: end for end, node in NODES.items()}
_WORDS = {
    DiagnosticStatus.OK: "ok",
    DiagnosticStatus.WARN: "warn",
    DiagnosticStatus.ERROR: "error",
    DiagnosticStatus.STALE: "stale",
}


class CellView(MeasuredNodes):
    """Watches the current cell; ignores messages of earlier cells by their stamps."""

    def __init__(self) -> None:
        self._since_ns = time.time_ns()
        self.gcs_events: list[TunnelEvent] = []
        # All events of the cell: the end, the kind, and the stamp in ns of UTC since 1970.
        self.stamped: list[tuple[str, str, int]] = []
        # Counts each event of the drone that came before `events` was last cleared.
        self.earlier: Counter[str] = Counter()
        self.links: dict[str, LinkReport] = {}
        self.received: Counter[tuple[str, str]] = Counter()
        self.worst: dict[str, bytes] = {}
        self.decisions: list[PolicyDecision] = []
        super().__init__(check=lambda: None)
        for end in NAMESPACES:
            self._watch(end, LinkReport, "link", self._on_link, QoSProfile(depth=10))
        self._watch("gcs", TunnelEvent, "events", self._on_gcs_event, EVENTS)
        self._node.create_subscription(
            PolicyDecision, DECISIONS, self.decisions.append, QoSProfile(depth=10)
        )

    def begin(self, check: Callable[[], None]) -> None:
        """Begin a cell and forget the previous one; `check` raises if the session has ended."""
        self._since_ns = time.time_ns()
        self._check = check
        for known in (self.status, self.links, self.received, self.worst, self.earlier):
            known.clear()
        self.events.clear()
        self.gcs_events.clear()
        self.stamped.clear()
        self.decisions.clear()

    def every(self, seconds: float, act: Callable[[], None]) -> Callable[[], None]:
        """Call `act` periodically while waiting; return a function that ends this."""
        timer = self._node.create_timer(seconds, act)
        return lambda: self._node.destroy_timer(timer)

    def is_recorded(self, topic: str) -> bool:
        subscriptions = self._node.get_subscriptions_info_by_topic(topic)
        return any(info.node_name == _RECORDER for info in subscriptions)

    def is_judged(self, suite: str) -> bool:
        """Return whether the policy knows that a suite is in use."""
        return bool(self.decisions) and self.decisions[-1].from_suite == suite

    def link_of(self, end: str) -> dict[str, Any] | None:
        report = self.links.get(end)
        return None if report is None else as_plain(report)

    def events_of(self, end: str) -> Counter[str]:
        """Return the number of events from an end, by type."""
        events = self.events if end == "drone" else self.gcs_events
        counted = Counter(event.kind_text for event in events if self._is_new(event))
        return counted + self.earlier if end == "drone" else counted

    def rekey_ms(self) -> float | None:
        """Return how long the rekey since `events` was cleared took, by the drone's own stamps."""
        stamps = {event.kind: nanoseconds(event.stamp) for event in self.events}
        began = stamps.get(TunnelEvent.REKEY_STARTED)
        ended = stamps.get(TunnelEvent.REKEY_COMMITTED)
        return None if began is None or ended is None else (ended - began) * _MS_PER_NS

    def status_of(self, end: str) -> dict[str, Any] | None:
        status = self.status.get(end)
        return None if status is None else as_plain(status)

    def worst_of(self, end: str) -> str | None:
        level = self.worst.get(end)
        return None if level is None else _WORDS.get(level, "stale")

    def _is_new(self, message: Any) -> bool:
        return nanoseconds(message.stamp) >= self._since_ns

    def _on_status(self, end: str, status: TunnelStatus) -> None:
        if self._is_new(status):
            self.received[end, "status"] += 1
            super()._on_status(end, status)

    def _on_gcs_event(self, _: str, event: TunnelEvent) -> None:
        self.gcs_events.append(event)
        self._stamp("gcs", event)

    def _on_event(self, end: str, event: TunnelEvent) -> None:
        super()._on_event(end, event)
        self._stamp("drone", event)

    def _stamp(self, end: str, event: TunnelEvent) -> None:
        if self._is_new(event):
            self.stamped.append((end, event.kind_text, nanoseconds(event.stamp)))

    def _on_link(self, end: str, report: LinkReport) -> None:
        if self._is_new(report):
            self.received[end, "link"] += 1
            self.links[end] = report

    def _on_diagnostics(self, array: DiagnosticArray) -> None:
        super()._on_diagnostics(array)
        if nanoseconds(array.header.stamp) < self._since_ns:
            return
        ends = set()
        for status in array.status:
            # Other nodes publish diagnostics, too, and a tunnel also others than this one.
            end = _ENDS.get(status.hardware_id)
            if end is not None and status.name.endswith("encryption"):
                self.worst[end] = max(self.worst.get(end, status.level), status.level)
                ends.add(end)
        for end in ends:
            self.received[end, "diagnostics"] += 1
