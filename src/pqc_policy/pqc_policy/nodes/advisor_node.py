# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`advisor_node`: whether someone jams or floods the link, from the tunnel's own counters."""

from __future__ import annotations

import math
import sys
import time

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data

from pqc_msgs.msg import AdvisorVerdict, LinkReport
from pqc_policy.nodes.node_parameters import declare, watch
from pqc_policy.nodes.presence import Presence
from pqc_policy.nodes.run import run
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
    """Says nothing while no readings come: then nobody knows."""

    def __init__(self) -> None:
        super().__init__("advisor")
        settings = declare(self, AdvisorSettings)
        self._advisor = settings.make_advisor()
        self._stale_s = settings.stale_s
        self._count = LinkCount(settings.count)
        self._state = AdvisorState()
        self._heard_s: float | None = None
        self._started_s = time.monotonic()
        self._presence = Presence(self.get_logger(), "Link")
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
        self._presence.found(f"judged by {self._count.count}")
        self._heard_s = time.monotonic()
        before = self._state.verdict
        self._state = self._advisor.counted(self._state, *reading)
        if self._state.verdict is not before:
            self.get_logger().info(f"Advisor: {before} has become {self._state.verdict}.")
            self._publish()

    def _tick(self) -> None:
        heard_s = self._started_s if self._heard_s is None else self._heard_s
        if time.monotonic() - heard_s > self._stale_s:
            self._presence.lost("nothing new is heard of it, so nothing is said")
        elif self._heard_s is not None:
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
        if not self._presence.there:
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
