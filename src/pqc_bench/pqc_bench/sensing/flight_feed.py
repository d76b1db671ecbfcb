# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What sensing, advisor and policy hear in a calm flight: MAVROS, the mirror, and the tunnel."""

from __future__ import annotations

import socket
import time
from typing import Any

import rclpy
from pqc_sim.pair.parameters import shipped_parameters
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pqc_testing.ports import LOOPBACK
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data

from pqc_bench.sensing.calm_tunnel import CalmTunnel
from pqc_bench.sensing.mavros_relay import MavrosRelay
from pqc_bench.sensing.sensors import Sensors
from pqc_msgs.msg import (
    AdvisorVerdict,
    LinkReport,
    PolicyDecision,
    SuiteList,
    TunnelEvent,
    TunnelStatus,
    VehicleState,
)
from pqc_msgs.srv import Rekey

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class FlightFeed:
    """Publishes a link of so many datagrams a second, and sends MAVLink to the mirror's port."""

    def __init__(self, rate_hz: int, mirror_port: int, sensors: Sensors) -> None:
        self._sensors = sensors
        self._to = (LOOPBACK, mirror_port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._passed = {int(text) for text in shipped_parameters("drone")["mirror_messages"]}
        self._node = Node("tunnel", namespace="/pqc")
        self._mavros = MavrosRelay(self._node)
        self._tunnel = CalmTunnel(rate_hz)
        self._publishers = {
            kind: self._node.create_publisher(kind, topic, qos)
            for kind, topic, qos in (
                (SuiteList, "suites", _LATCHED),
                (LinkReport, "link", 10),
                (TunnelStatus, "status", _LATCHED),
                (TunnelEvent, "events", 50),
            )
        }
        self._service = self._node.create_service(Rekey, "rekey", self._rekey)
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
        self._publish(self._tunnel.suites(self._now()))

    def fly(self, seconds: float) -> None:
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
                self._sensors.measure()
                flown_s, now = self._flown_s(), self._now()
                self._publish(self._tunnel.link(now, flown_s))
                self._publish(self._tunnel.status(now, flown_s))
            rclpy.spin_once(self._node, timeout_sec=0.0)
            wait_s = (self._vehicle.next_ns() - time.monotonic_ns()) / 1e9
            time.sleep(min(max(wait_s, 0.001), 0.05))

    def fly_until_heard(self, patience_s: float) -> set[str]:
        """Feed until each node has published; return the topics that stayed silent."""
        end_s = time.monotonic() + patience_s
        while self._silent and time.monotonic() < end_s:
            self.fly(1.0)
        return self._silent

    def close(self) -> None:
        """Stop publishing."""
        self._socket.close()
        self._node.destroy_node()
        rclpy.try_shutdown()

    def _number(self, datagram: bytes) -> int:
        return int.from_bytes(datagram[7:10], "little") if datagram[0] == 0xFD else datagram[5]

    def _rekey(self, request: Rekey.Request, response: Rekey.Response) -> Rekey.Response:
        for message in self._tunnel.rekey(
            self._now(), self._flown_s(), request.suite, ratchet=request.ratchet
        ):
            self._publish(message)
        newest = self._tunnel.status(self._now(), self._flown_s())
        response.success, response.message = True, "The new keys are in use."
        response.suite, response.epoch = newest.suite, newest.epoch
        response.timing = newest.handshake
        return response

    def _publish(self, message: Any) -> None:
        self._publishers[type(message)].publish(message)

    def _flown_s(self) -> float:
        return (time.monotonic_ns() - self._began_ns) / 1e9

    def _now(self) -> Any:
        return self._node.get_clock().now().to_msg()
