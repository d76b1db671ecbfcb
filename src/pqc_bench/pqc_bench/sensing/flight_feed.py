# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What sensing, advisor and policy hear in a calm flight: MAVROS, the mirror, and the tunnel."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import rclpy
from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_sim.pair.parameters import shipped_parameters
from pqc_sim.pair.ports import LOOPBACK
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data

from pqc_bench.sensing.mavros_relay import MavrosRelay
from pqc_msgs.msg import AdvisorVerdict, LinkReport, PolicyDecision, TunnelStatus, VehicleState

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_ESTABLISHED = 3


class FlightFeed:
    """Publishes a link of so many datagrams a second, and sends MAVLink to the mirror's port."""

    def __init__(self, rate_hz: int, mirror_port: int) -> None:
        self._rate_hz = rate_hz
        self._to = (LOOPBACK, mirror_port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._passed = {int(text) for text in shipped_parameters("drone")["mirror_messages"]}
        self._node = Node("tunnel", namespace="/pqc")
        self._mavros = MavrosRelay(self._node)
        self._link = self._node.create_publisher(LinkReport, "link", 10)
        self._status = self._node.create_publisher(TunnelStatus, "status", _LATCHED)
        # Nodes that have published something have finished their start.
        self._silent = {"vehicle", "advisor", "decision"}
        for kind, topic in (
            (VehicleState, "vehicle"),
            (AdvisorVerdict, "advisor"),
            (PolicyDecision, "decision"),
        ):
            self._node.create_subscription(
                kind,
                topic,
                lambda _, topic=topic: self._silent.discard(topic),
                qos_profile_sensor_data,
            )
        self._began_ns = time.monotonic_ns()
        wall_ns = time.time_ns()
        self._vehicle = Vehicle(VehicleOptions(rate_hz=rate_hz), self._began_ns, wall_ns)
        self.messages = self.mirrored = 0

    def fly(self, seconds: float, on_second: Callable[[], None] = lambda: None) -> None:
        """Feed for so long, in real time."""
        end_s = time.monotonic() + seconds
        next_s = time.monotonic()
        while time.monotonic() < end_s:
            for datagram in self._vehicle.advance(time.monotonic_ns()):
                self.messages += 1
                if self._number(datagram) in self._passed:
                    self.mirrored += 1
                    self._socket.sendto(datagram, self._to)
                    self._mavros.take(datagram)
            if time.monotonic() >= next_s:
                next_s += 1.0
                self._publish()
                on_second()
            wait_s = (self._vehicle.next_ns() - time.monotonic_ns()) / 1e9
            time.sleep(min(max(wait_s, 0.001), 0.05))

    def fly_until_heard(self, patience_s: float) -> set[str]:
        """Feed until each node has published; return the topics that stayed silent."""
        end_s = time.monotonic() + patience_s
        while self._silent and time.monotonic() < end_s:
            self.fly(1.0, lambda: rclpy.spin_once(self._node, timeout_sec=0.0))
        return self._silent

    def close(self) -> None:
        """Stop publishing."""
        self._socket.close()
        self._node.destroy_node()
        rclpy.try_shutdown()

    def _number(self, datagram: bytes) -> int:
        return int.from_bytes(datagram[7:10], "little") if datagram[0] == 0xFD else datagram[5]

    def _publish(self) -> None:
        sent = round((time.monotonic_ns() - self._began_ns) / 1e9 * self._rate_hz)
        stamp = self._node.get_clock().now().to_msg()
        report = LinkReport(stamp=stamp, remote_valid=True, remote_age_s=0.2, clock_valid=True)
        report.rtt_s = 0.04
        for view in (report.local, report.remote):
            view.packets = sent
            view.packets_per_s = float(self._rate_hz)
            view.gap_p95_s = 0.01
        self._link.publish(report)
        status = TunnelStatus(stamp=stamp, state=_ESTABLISHED, encrypted=True, suite=DEFAULT_SUITE)
        status.traffic.cipher_out_packets = sent
        self._status.publish(status)
