# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A calm flight: the simulated vehicle's MAVLink into the drone's tunnel."""

from __future__ import annotations

import socket
import time
from typing import Self

from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from rclpy.qos import qos_profile_sensor_data

from pqc_bench.cost.sensors import Sensors
from pqc_bench.harness.blaster import Applications
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_msgs.msg import AdvisorVerdict, PolicyDecision, VehicleState

_LONGEST_WAIT_S = 0.05


class FlightFeed:
    """Flies in the calls of `fly`, in real time; a context manager."""

    def __init__(
        self, view: MeasuredNodes, where: Applications, rate_hz: int, sensors: Sensors
    ) -> None:
        """Take the nodes to watch meanwhile; nothing is sent yet."""
        self._view, self._sensors = view, sensors
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(where.drone_bind)
        self._to = where.drone
        # Nodes that have published something have finished their start.
        self._silent = {"vehicle", "advisor", "decision"}
        for kind, topic in (
            (VehicleState, "vehicle"),
            (AdvisorVerdict, "advisor"),
            (PolicyDecision, "decision"),
        ):
            view.subscribe(
                kind,
                f"/pqc/{topic}",
                lambda _, topic=topic: self._silent.discard(topic),
                qos_profile_sensor_data,
            )
        options = VehicleOptions(rate_hz=rate_hz)
        self._vehicle = Vehicle(options, time.monotonic_ns(), time.time_ns())
        self.messages = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def fly(self, seconds: float) -> None:
        """Feed for so long; RunFault if a tunnel has ended."""
        next_s = time.monotonic()
        end_s = next_s + seconds
        while time.monotonic() < end_s:
            for datagram in self._vehicle.advance(time.monotonic_ns()):
                self.messages += 1
                self._socket.sendto(datagram, self._to)
            if time.monotonic() >= next_s:
                next_s += 1.0
                self._sensors.measure()
                self._view.spin(0.0)  # looks whether the tunnels run
            self._view.spin_once(0.0)
            wait_s = (self._vehicle.next_ns() - time.monotonic_ns()) / 1e9
            time.sleep(min(max(wait_s, 0.001), _LONGEST_WAIT_S))

    def fly_until_heard(self, patience_s: float) -> set[str]:
        """Feed until each node has published; return the topics that stayed silent."""
        end_s = time.monotonic() + patience_s
        while self._silent and time.monotonic() < end_s:
            self.fly(1.0)
        return self._silent
