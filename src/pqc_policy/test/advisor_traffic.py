# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated traffic for an advisor node, and what the node says."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from ros_graph import Listener

from pqc_msgs.msg import LinkReport, LinkView, TunnelStatus

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Told:
    """The newest diagnostic of the advisor."""

    def __init__(self, listener: Listener) -> None:
        self._arrays = listener.subscribe(DiagnosticArray, "/diagnostics", 10)

    @property
    def status(self) -> DiagnosticStatus:
        found = [s for a in self._arrays for s in a.status if s.name == "advisor: advisor"]
        return found[-1] if found else DiagnosticStatus()

    @property
    def values(self) -> dict[str, str]:
        return {entry.key: entry.value for entry in self.status.values}


class Traffic:
    """A link of 100 datagrams a second each way, and strangers' datagrams at the drone's port."""

    def __init__(self, listener: Listener) -> None:
        self._link = listener.node.create_publisher(
            LinkReport, "/pqc/link", qos_profile_sensor_data
        )
        self._status = listener.node.create_publisher(TunnelStatus, "/pqc/status", LATCHED)
        self._half_seconds = self._strangers = self._lost = self._forged = 0

    def fly(self, strangers_per_s: int = 0, lost_per_s: int = 0, forged_per_s: int = 0) -> None:
        """Publish half a second of a flight."""
        self._half_seconds += 1
        self._strangers += strangers_per_s // 2
        self._lost += lost_per_s // 2
        self._forged += forged_per_s // 2
        at, half = divmod(self._half_seconds, 2)
        report = LinkReport(remote_valid=True, remote_age_s=0.2, clock_valid=True, rtt_s=0.04)
        status = TunnelStatus(encrypted=True, since_heard_s=0.01)
        for message in (report, status):
            message.stamp.sec, message.stamp.nanosec = 1000 + at, half * 500_000_000
        sent = 50 * self._half_seconds
        self._view(report.local, sent, 0, 100.0)
        self._view(report.remote, sent - self._lost, self._lost, 100.0 - lost_per_s)
        status.traffic.cipher_out_packets = sent
        status.drops.unknown, status.drops.auth_fail = self._strangers, self._forged
        self._link.publish(report)
        self._status.publish(status)

    @staticmethod
    def _view(view: LinkView, packets: int, lost: int, per_s: float) -> None:
        view.packets, view.lost = packets, lost
        view.window_s, view.packets_per_s, view.bytes_per_s = 4.0, per_s, 90.0 * per_s
        view.gap_p95_s, view.longest_silence_s, view.jitter_s = 1.5 / per_s, 3.0 / per_s, 0.002


def changed(listener: Listener, name: str, value: object, node: str = "advisor") -> str:
    """Change a parameter of a node; return the reason of a rejection."""
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    (result,) = listener.call(SetParameters, f"/pqc/{node}/set_parameters", request).results
    return "" if result.successful else result.reason or "rejected"
