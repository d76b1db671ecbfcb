# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demonstration shows of the tunnel nodes, taken from their messages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rclpy
from pqc_policy.policy.decision_log import DecisionLog, summary_of
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data

from pqc_msgs.msg import LinkReport, PolicyDecision, TunnelEvent, TunnelStatus
from pqc_msgs.srv import ListSuites, Rekey
from pqc_sim.pair.node_view import EVENTS, NodeView, is_up

_DROPS = (
    "replay",
    "auth_fail",
    "seq_old",
    "decrypt_fail",
    "malformed",
    "unknown",
    "no_session",
    "queue_full",
    "oversize",
)
_DECISIONS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
DRONE, GROUND = "drone", "gcs"
_NAMES = {DRONE: "drone", GROUND: "ground"}


@dataclass(frozen=True)
class End:
    """One end of the tunnel, as its status tells."""

    state: str
    up: bool
    suite: str
    level: int
    epoch: int
    rekeys: int
    handshakes: int
    handshake_ms: float
    dropped: dict[str, int]


@dataclass(frozen=True)
class Link:
    """The encrypted link: round trip, and the jitter of what the ground receives; None: unknown."""

    rtt_ms: float | None
    jitter_ms: float | None


@dataclass(frozen=True)
class RekeyAnswer:
    """How a rekey ended."""

    success: bool
    message: str
    suite: str
    total_ms: float


class TunnelView(NodeView):
    """The newest of what both ends publish; use it as a context manager."""

    def __init__(self) -> None:
        """Join the ROS graph."""
        self.ends: dict[str, End] = {}
        self.link: Link | None = None
        self.first_handshake_ms: float | None = None
        self.usable_suites: list[str] = []
        self._decisions = DecisionLog()
        self._decided_at_s: float | None = None
        self._events: list[str] = []
        super().__init__("pqc_demo")
        for end in _NAMES:
            self._watch(end, TunnelEvent, "events", self._on_event, EVENTS)
        self._watch(DRONE, LinkReport, "link", self._on_link, qos_profile_sensor_data)
        self._watch(DRONE, PolicyDecision, "decision", self._on_decision, _DECISIONS)

    def take_events(self) -> list[str]:
        """Return the events since the last call, as sentences."""
        events, self._events = self._events, []
        return events

    @property
    def decisions(self) -> tuple[dict[str, Any], ...]:
        """What the policy decided since `forget_decisions`; runs of HOLD are one line."""
        return tuple(self._decisions.lines)

    @property
    def newest_decision_s(self) -> float | None:
        """How long ago the policy decided last, in s; None if it never did."""
        if self._decided_at_s is None:
            return None
        return time.monotonic() - self._decided_at_s

    def forget_decisions(self) -> None:
        """Begin the log of decisions afresh: its times count from now."""
        self._decisions = DecisionLog(self._node.get_clock().now().nanoseconds / 1e9)

    def request_suites(self) -> None:
        """Ask for the list of suites; `usable_suites` has it later."""
        if self._list.service_is_ready():
            future = self._list.call_async(ListSuites.Request())
            future.add_done_callback(lambda done: self._on_suites(done.result()))

    def rekey(self, suite: str, reason: str, then: Callable[[RekeyAnswer], None]) -> bool:
        """Ask for new keys, for the same suite if it's empty; False if the service isn't there."""
        if not self._rekey.service_is_ready():
            return False
        future = self._rekey.call_async(Rekey.Request(suite=suite, reason=reason))

        def answered(done: rclpy.task.Future) -> None:
            response = done.result()
            then(
                RekeyAnswer(
                    response.success,
                    response.message,
                    response.suite,
                    response.timing.total_s * 1000.0,
                )
            )

        future.add_done_callback(answered)
        return True

    def _on_status(self, end: str, status: TunnelStatus) -> None:
        super()._on_status(end, status)
        total_ms = status.handshake.total_s * 1000.0
        if end == DRONE and self.first_handshake_ms is None and status.handshakes > 0:
            self.first_handshake_ms = total_ms
        self.ends[end] = End(
            status.state_text,
            is_up(status),
            status.suite,
            status.level,
            status.epoch,
            status.rekeys,
            status.handshakes,
            total_ms,
            {name: count for name in _DROPS if (count := getattr(status.drops, name)) > 0},
        )

    def _on_event(self, end: str, event: TunnelEvent) -> None:
        self._events.append(f"{_NAMES[end]}: {event.text or event.kind_text}")

    def _on_decision(self, _: str, decision: PolicyDecision) -> None:
        self._decided_at_s = time.monotonic()
        summary = summary_of(decision)
        if self._decisions.add(summary):
            to = f" to {summary['to']}" if summary["to"] else ""
            self._events.append(f"policy: {summary['action']}{to}: {summary['reason']}")

    def _on_link(self, _: str, report: LinkReport) -> None:
        rtt_ms = report.rtt_s * 1000.0 if report.clock_valid else None
        jitter_ms = report.remote.jitter_s * 1000.0 if report.remote_valid else None
        self.link = Link(rtt_ms, jitter_ms)

    def _on_suites(self, response: ListSuites.Response) -> None:
        self.usable_suites = [
            suite.id
            for suite in response.suites
            if suite.available and suite.allowed and suite.blacklisted_until.sec == 0
        ]
