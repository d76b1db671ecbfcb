# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`advisor_node`: detects jamming and flooding of the link from the tunnel's counters."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data

from pqc_msgs.msg import AdvisorVerdict, LinkReport, TunnelStatus
from pqc_policy.nodes.availability import Availability
from pqc_policy.nodes.node_parameters import declare, watch
from pqc_policy.nodes.process.polled import PolledSubscription
from pqc_policy.nodes.process.steady_node import SteadyNode
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.telemetry import NANOSECONDS, nanoseconds
from pqc_policy.sensing.advisor_settings import STALE_S, AdvisorSettings
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.detectors.verdict_fields import verdict_fields
from pqc_policy.sensing.traffic.bins import Bin, TrafficBins, seconds

_IN_ITS_PLACE = "The heuristic takes its place."
_BESIDE = "The heuristic judges, too."


class AdvisorNode(SteadyNode):
    """Publishes a verdict; without readings of the link it publishes nothing."""

    def __init__(self) -> None:
        super().__init__("advisor")
        settings = declare(self, AdvisorSettings)
        self._advisor, self._missing = settings.make_advisor()
        for fault in self._missing:
            self.get_logger().warning(f"{fault} {_IN_ITS_PLACE}")
        self._bins = TrafficBins()
        self._state = AdvisorState()
        self._judging_s = 0.0  # for the newest bin
        self.judged = 0  # bins so far
        self._reported_s: float | None = None  # the newest reading, by its stamp
        self._received_s: float | None = None
        self._started_s = time.monotonic()
        self._availability = Availability(self.get_logger(), "Link")
        self._publisher = self.create_publisher(AdvisorVerdict, "advisor", QoSProfile(depth=10))
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._inputs = (
            PolledSubscription(self, LinkReport, "link", self._take_link, qos_profile_sensor_data),
            PolledSubscription(self, TunnelStatus, "status", self._take_status, latched),
        )
        self._timer = self.create_timer(settings.period_s, self._tick)
        self._updater = Updater(self)
        self._updater.setHardwareID("none")
        self._updater.add("advisor", self._diagnose)
        watch(self, settings, self._changed)

    @property
    def missing(self) -> tuple[str, ...]:
        """A sentence for each detector in whose place the heuristic judges."""
        return self._missing

    def poll(self) -> None:
        """Judge what has arrived, too."""
        super().poll()
        for one in self._inputs:
            one.poll()

    def _take_link(self, report: LinkReport) -> None:
        reported_s = seconds(report.stamp)
        time_s = self._time_s("link", report)
        if reported_s == self._reported_s or time_s is None:
            return
        self._reported_s = reported_s
        self._availability.found("both directions are judged")
        self._received_s = time.monotonic()
        self._judge(self._bins.take_link(report, time_s))

    def _take_status(self, status: TunnelStatus) -> None:
        time_s = self._time_s("status", status)
        if time_s is not None:
            self._judge(self._bins.take_status(status, time_s))

    def _time_s(self, topic: str, message: LinkReport | TunnelStatus) -> float | None:
        """Return the time of the flight at the stamp of a message that has just arrived.

        None: the message is refused.
        """
        self.flight_ns()
        time_ns = self.of_stamp(nanoseconds(message.stamp))
        if time_ns is None:
            self.note_refused(topic)
            return None
        return time_ns / NANOSECONDS

    def _judge(self, bins: list[Bin]) -> None:
        for newest in bins:
            before = self._state
            began_s = time.monotonic()
            self._state = self._advisor.judged(before, newest)
            self._judging_s = time.monotonic() - began_s
            self.judged += 1
            self._log_doubts(before)
            if self._state.verdict is not before.verdict:
                self.get_logger().info(self._changed_verdict(before.verdict))
                self._publish()

    def _log_doubts(self, before: AdvisorState) -> None:
        if self._state.doubts and not before.doubts:
            self.get_logger().warning(f"{self._state.doubts[0]} {_BESIDE}")
        elif before.doubts and not self._state.doubts:
            self.get_logger().info("The detectors are no longer in doubt.")

    def _changed_verdict(self, before: Verdict) -> str:
        worst = self._state.worst
        why = "" if worst is None else f": {worst[1].evidence} ({worst[0]})"
        return f"The verdict is {self._state.verdict}, before it was {before}{why}."

    def _tick(self) -> None:
        received_s = self._started_s if self._received_s is None else self._received_s
        if time.monotonic() - received_s > STALE_S:
            self._availability.lost("no new reading, so no verdict is published")
        elif self._received_s is not None:
            self._publish()

    def _publish(self) -> None:
        fields = verdict_fields(self._state)
        stamp = self.get_clock().now().to_msg()
        self._publisher.publish(AdvisorVerdict(stamp=stamp, **fields))

    def _changed(self, settings: AdvisorSettings) -> None:
        advisor, missing = settings.make_advisor()
        for fault in missing:
            # A detector that was missing at the start already does not prevent another change.
            if fault not in self._missing:
                raise ParameterFault(fault)
        self._advisor, self._missing = advisor, missing

    def _diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        state = self._state
        status.add("detectors", ", ".join(one.name for one in self._advisor.detectors))
        sentences = [f"{fault} {_IN_ITS_PLACE}" for fault in self._missing[:1]]
        words, calm = "No readings of the link", False
        if self._availability.available:
            words, calm = str(state.verdict).capitalize(), state.verdict is Verdict.CLEAR
            sentences += [f"{doubt} {_BESIDE}" for doubt in state.doubts[:1]]
            for name, found in state.findings:
                status.add(name, f"{found.score:.2f}: {found.evidence}")
            if not state.findings:
                status.add("score", "not known yet")
            if state.drift is not None:
                status.add("drift", f"{state.drift:.2f}")
            status.add("judging", f"{1000.0 * self._judging_s:.1f} ms")
        fine = calm and not sentences
        message = ". ".join((words, " ".join(sentences))) if sentences else words
        status.summary(DiagnosticStatus.OK if fine else DiagnosticStatus.WARN, message)
        return status
