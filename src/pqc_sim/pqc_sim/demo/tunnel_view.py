# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel nodes and the policy, as the demonstration sees them over ROS."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pqc_policy.policy.explain.decision_log import DecisionLog, summary_of
from pqc_policy.policy.suites import find_suite
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data

from pqc_msgs.msg import (
    AdvisorVerdict,
    DropCounters,
    LinkReport,
    PolicyDecision,
    TunnelEvent,
    TunnelStatus,
)
from pqc_msgs.srv import ListSuites, Rekey
from pqc_sim.demo.live_view import Event, Layer, LinkState, PathState, PolicyState, TunnelEnd
from pqc_sim.demo.subjects import subject_text
from pqc_sim.pair.node_view import EVENTS, NodeView, is_up

_DROPS = tuple(DropCounters.get_fields_and_field_types())
_DECISIONS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
# In the reason of a decision: the hold reason follows.
_HELD = " – held because "
DRONE, GROUND = "drone", "gcs"
_ATTEMPTS = (TunnelEvent.HANDSHAKE_STARTED, TunnelEvent.HANDSHAKE_FAILED)
# Classes of traffic that no application sends.
_OF_THE_TUNNEL = ("control", "stream")
_NAMES = {DRONE: "drone", GROUND: "ground"}


class TunnelView(NodeView):
    """The newest messages of both ends and of the policy; use it as a context manager."""

    def __init__(self) -> None:
        self.ends: dict[str, TunnelEnd] = {}
        self.link = LinkState("")
        self.paths: tuple[PathState, ...] = ()
        self.left_out: dict[str, int] = {}  # datagrams that an end has left out
        self.policy: PolicyState | None = None
        self.first_handshake_ms: float | None = None
        self.usable_suites: list[str] = []
        self._decisions = DecisionLog()
        self._decision: PolicyDecision | None = None
        self._decided_at_s: float | None = None
        self._advisor: AdvisorVerdict | None = None
        self._events: list[Event] = []
        super().__init__("pqc_demo")
        for end in _NAMES:
            self._watch(end, TunnelEvent, "events", self._on_event, EVENTS)
        for end in _NAMES:
            self._watch(end, LinkReport, "link", self._on_link, qos_profile_sensor_data)
        self._watch(DRONE, PolicyDecision, "decision", self._on_decision, _DECISIONS)
        self._watch(DRONE, AdvisorVerdict, "advisor", self._on_advisor, qos_profile_sensor_data)

    def note(self, text: str) -> None:
        self._events.append(Event(time.strftime("%H:%M:%S"), text))

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def subject(self, name: str) -> str:
        """Return the newest values of a flight's subject, in words."""
        inputs = None if self._decision is None else self._decision.inputs
        return subject_text(name, inputs, self._advisor)

    @property
    def decisions(self) -> tuple[dict[str, Any], ...]:
        """The policy's decisions since `forget_decisions`; consecutive HOLDs are one entry."""
        return tuple(self._decisions.lines)

    @property
    def newest_decision_s(self) -> float | None:
        """The age of the newest decision in s; None if there is none."""
        if self._decided_at_s is None:
            return None
        return time.monotonic() - self._decided_at_s

    def forget_decisions(self) -> None:
        """Start a new log of decisions, whose times count from now."""
        self._decisions = DecisionLog(self._node.get_clock().now().nanoseconds / 1e9)

    def request_suites(self) -> None:
        """Request the list of suites, which `usable_suites` holds once it has arrived."""
        if self._list.service_is_ready():
            future = self._list.call_async(ListSuites.Request())
            future.add_done_callback(lambda done: self._on_suites(done.result()))

    def rekey(self, suite: str, reason: str, then: Callable[[Rekey.Response], None]) -> bool:
        """Request a rekey, to fresh keys if `suite` is empty; False if there is no such service."""
        if not self._rekey.service_is_ready():
            return False
        future = self._rekey.call_async(Rekey.Request(suite=suite, reason=reason))

        future.add_done_callback(lambda done: then(done.result()))
        return True

    def _on_status(self, end: str, status: TunnelStatus) -> None:
        super()._on_status(end, status)
        total_ms = status.handshake.total_s * 1000.0
        if end == DRONE and self.first_handshake_ms is None and status.handshakes > 0:
            self.first_handshake_ms = total_ms
        self.ends[end] = TunnelEnd(
            status.state_text,
            is_up(status),
            status.suite,
            status.level,
            status.epoch,
            status.rekeys,
            total_ms if status.handshakes else None,
            {name: count for name in _DROPS if (count := getattr(status.drops, name)) > 0},
            status.likely_cause,
            status.protection,
            status.anchor,
            tuple(Layer(one.family, one.form, one.kem, one.key) for one in status.layers),
            {
                _kem_of(one.suite): one.progress
                for one in status.fetches
                if one.progress >= 0.0 and not one.ready
            },
        )

    def _on_event(self, end: str, event: TunnelEvent) -> None:
        if GROUND not in self.ends and event.kind in _ATTEMPTS:
            return  # the drone may start first, and tries until the ground is there
        self.note(f"{_NAMES[end]}: {event.text or event.kind_text}")

    def _on_decision(self, _: str, decision: PolicyDecision) -> None:
        self._decision = decision
        self._decided_at_s = time.monotonic()
        reason, _, held = decision.reason.partition(_HELD)
        self.policy = PolicyState(
            decision.strategy,
            decision.action,
            decision.rule,
            decision.to_suite,
            reason,
            held,
        )
        summary = summary_of(decision)
        if self._decisions.add(summary):
            to = f" to {summary['to']}" if summary["to"] else ""
            self.note(f"policy: {summary['action']}{to}: {summary['reason']}")

    def _on_advisor(self, _: str, verdict: AdvisorVerdict) -> None:
        if self._advisor is not None and self._advisor.verdict != verdict.verdict:
            self.note(f"advisor: {verdict.verdict_text}")
        self._advisor = verdict

    def _on_link(self, end: str, report: LinkReport) -> None:
        self.left_out[end] = left_out(report)
        if end != DRONE:
            return
        known = report.remote_valid
        self.link = LinkState(
            "",
            report.rtt_s * 1000.0 if report.clock_valid else None,
            report.remote.jitter_s * 1000.0 if known else None,
            report.remote.loss if known else None,
            report.local.loss,
        )
        self.paths = tuple(
            PathState(
                path.link,
                path.state,
                path.carries,
                path.rtt_s * 1000.0 or None,
                path.frames_out,
                path.frames_in,
            )
            for path in report.paths
        )

    def _on_suites(self, response: ListSuites.Response) -> None:
        self.usable_suites = [
            suite.id
            for suite in response.suites
            if suite.available and suite.allowed and suite.blacklisted_until.sec == 0
        ]


def _kem_of(suite_id: str) -> str:
    suite = find_suite(suite_id)
    return suite.kem if suite is not None else suite_id


def left_out(report: LinkReport) -> int:
    """Return how many datagrams of the application an end has not sent over its thin links."""
    return sum(
        one.conflated + one.full + one.stale + one.oversize
        for path in report.paths
        for one in path.classes
        if one.traffic not in _OF_THE_TUNNEL
    )
