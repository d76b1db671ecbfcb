# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ground station in memory: pymavlink talks to a vehicle under a virtual clock."""

from __future__ import annotations

from collections.abc import Callable

from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink

NS = 1_000_000_000
TICK_NS = 10_000_000
RATE_HZ = 100
SYSTEM, COMPONENT = 255, 190


class Station:
    """Sends messages to a vehicle, lets time pass, and keeps everything it hears."""

    def __init__(self, vehicle: Vehicle | None = None) -> None:
        self.now_ns = 0
        self.vehicle = vehicle or Vehicle(VehicleOptions(rate_hz=RATE_HZ), 0, 0)
        self.heard: list[mavlink.MAVLink_message] = []
        self.heartbeats = True
        self._codec = mavlink.MAVLink(None, SYSTEM, COMPONENT)
        self._next_heartbeat_ns = 0

    def send(self, message: mavlink.MAVLink_message) -> list[mavlink.MAVLink_message]:
        """Send a message; return the immediate answers."""
        datagram = bytes(message.pack(self._codec))
        self._codec.seq = (self._codec.seq + 1) % 256
        return self._hear(self.vehicle.handle(datagram, self.now_ns))

    def command(self, number: int, *params: float) -> int:
        """Send a command; return the result in its acknowledgement."""
        padded = (*params, *(0.0,) * (7 - len(params)))
        answers = self.send(mavlink.MAVLink_command_long_message(1, 1, number, 0, *padded))
        (ack,) = (m for m in answers if m.get_type() == "COMMAND_ACK" and m.command == number)
        assert (ack.target_system, ack.target_component) == (SYSTEM, COMPONENT)
        return int(ack.result)

    def run(self, seconds: float) -> list[mavlink.MAVLink_message]:
        """Let time pass; return what was heard meanwhile."""
        before = len(self.heard)
        end_ns = self.now_ns + round(seconds * NS)
        while self.now_ns < end_ns:
            self._tick()
        return self.heard[before:]

    def run_until(self, condition: Callable[[], bool], limit_s: float = 300.0) -> None:
        """Let time pass until the condition holds; fail after the limit."""
        end_ns = self.now_ns + round(limit_s * NS)
        while not condition():
            assert self.now_ns < end_ns, f"not within {limit_s} s of simulated time"
            self._tick()

    def all(self, kind: str) -> list[mavlink.MAVLink_message]:
        return [message for message in self.heard if message.get_type() == kind]

    def last(self, kind: str) -> mavlink.MAVLink_message:
        return self.all(kind)[-1]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.all("STATUSTEXT")]

    def _tick(self) -> None:
        self.now_ns += TICK_NS
        if self.heartbeats and self.now_ns >= self._next_heartbeat_ns:
            self._next_heartbeat_ns = self.now_ns + NS
            self.send(mavlink.MAVLink_heartbeat_message(mavlink.MAV_TYPE_GCS, 8, 0, 0, 4, 3))
        self._hear(self.vehicle.advance(self.now_ns))

    def _hear(self, datagrams: list[bytes]) -> list[mavlink.MAVLink_message]:
        messages = [self._codec.decode(bytearray(datagram)) for datagram in datagrams]
        self.heard += messages
        return messages
