# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`advisor_node`: detects jamming and flooding of the link from the tunnel's counters."""

from __future__ import annotations

import math
import sys
import time

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data

from pqc_msgs.msg import AdvisorVerdict, LinkReport
from pqc_policy.nodes.availability import Availability
from pqc_policy.nodes.node_parameters import declare, watch
from pqc_policy.nodes.run_node import run
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.advisor import AdvisorState
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.link_count import LinkCount

_CODES = {
    Verdict.CLEAR: AdvisorVerdict.CLEAR,
    Verdict.SUSPICIOUS: AdvisorVerdict.SUSPICIOUS,
    Verdict.ATTACK: AdvisorVerdict.ATTACK,
}


class AdvisorNode(Node):
    """Publishes a verdict; without readings of the link it publishes nothing."""

    def __init__(self) -> None:
        super().__init__("advisor")
        settings = declare(self, AdvisorSettings)
        self._advisor = settings.make_advisor()
        self._stale_s = settings.stale_s
        self._count = LinkCount(settings.count)
        self._state = AdvisorState()
        self._received_s: float | None = None
        self._started_s = time.monotonic()
        self._availability = Availability(self.get_logger(), "Link")
        self._publisher = self.create_publisher(AdvisorVerdict, "advisor", QoSProfile(depth=10))
        self._link = self.create_subscription(
            LinkReport, "link", self._take, qos_profile_sensor_data
        )
        self._timer = self.create_timer(settings.period_s, self._tick)
        self._updater = Updater(self)
        self._updater.setHardwareID("none")
        self._updater.add("advisor", self._diagnose)
        watch(self, settings, self._changed)

    def _take(self, report: LinkReport) -> None:
        reading = self._count.reading(report)
        if reading is None:
            return
        self._availability.found(f"judged by {self._count.count}")
        self._received_s = time.monotonic()
        before = self._state.verdict
        self._state = self._advisor.counted(self._state, *reading)
        if self._state.verdict is not before:
            self.get_logger().info(self._changed_verdict(before))
            self._publish()

    def _changed_verdict(self, before: Verdict) -> str:
        state = self._state
        normal = self._advisor.normal(state)
        counts = f"{state.recent[-1]:.0f} packets in {self._advisor.config.bin_s:g} s"
        usual = "" if normal is None else f", {normal:.0f} are normal"
        return f"The verdict is {state.verdict}, before it was {before}: {counts}{usual}."

    def _tick(self) -> None:
        received_s = self._started_s if self._received_s is None else self._received_s
        if time.monotonic() - received_s > self._stale_s:
            self._availability.lost("no new reading, so no verdict is published")
        elif self._received_s is not None:
            self._publish()

    def _publish(self) -> None:
        state = self._state
        normal = self._advisor.normal(state)
        self._publisher.publish(
            AdvisorVerdict(
                stamp=self.get_clock().now().to_msg(),
                verdict=_CODES[state.verdict],
                verdict_text=str(state.verdict),
                score=math.nan if state.score is None else state.score,
                packets=state.recent[-1] if state.recent else math.nan,
                normal_packets=math.nan if normal is None else normal,
                detector=state.detector,
            )
        )

    def _changed(self, settings: AdvisorSettings) -> None:
        advisor = settings.make_advisor()
        if advisor.config.bin_s != self._advisor.config.bin_s:
            self._state = AdvisorState(verdict=self._state.verdict)
        self._advisor = advisor
        self._stale_s = settings.stale_s

    def _diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        state = self._state
        normal = self._advisor.normal(state)
        status.add("judged", self._count.count)
        if not self._availability.available:
            status.summary(DiagnosticStatus.WARN, "No readings of the link")
            return status
        calm = state.verdict is Verdict.CLEAR
        status.summary(
            DiagnosticStatus.OK if calm else DiagnosticStatus.WARN, str(state.verdict).capitalize()
        )
        status.add("score", "not known yet" if state.score is None else f"{state.score:.2f}")
        status.add("normal packets", "not learned yet" if normal is None else f"{normal:.1f}")
        return status


def main(arguments: list[str] | None = None) -> int:
    """Run the node until it is stopped."""
    return run(AdvisorNode, arguments)


if __name__ == "__main__":
    sys.exit(main())
