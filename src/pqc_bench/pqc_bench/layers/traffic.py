# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The MAVLink of a flight: a vehicle in the air, and its ground program."""

from __future__ import annotations

import contextlib
import select
import time
from typing import Any

from pqc_sim.vehicle.modes import Mode
from pqc_sim.vehicle.transfers import NETWORK_CHANNEL
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.harness.blaster import DIRECTIONS, Applications
from pqc_bench.radio.command_delays import CommandDelays
from pqc_bench.radio.dialogue import VEHICLE
from pqc_bench.radio.ends import UdpEnd, send_each
from pqc_bench.radio.ground_program import GroundProgram

_RATE_HZ, _COMMANDS_HZ = 100, 5
_CAPACITY_MAH = 20_000.0  # lasts longer than any flight
_CLIMB_S, _HEIGHT_M = 30, 30.0
_STEP_NS, _TICK_NS, _SECOND_NS = 100_000_000, 5_000_000, 1_000_000_000
_STATION = (254, mavlink.MAV_COMP_ID_MISSIONPLANNER)  # that had it take off


class Traffic:
    """Sends and receives at both plaintext ports in the calls of `pass_until`."""

    def __init__(self, where: Applications, stack: contextlib.ExitStack) -> None:
        """Open the ports until the stack ends; the vehicle flies, the ground is silent."""
        now_ns = time.monotonic_ns()
        self._vehicle = flying_vehicle(now_ns)
        self._program = GroundProgram(now_ns, seed=1)
        self._delays = CommandDelays(self._program)
        self._drone = UdpEnd(where.drone_bind.port, where.drone.port)
        self._ground = UdpEnd(where.ground_bind.port, where.ground.port)
        for end in (self._drone, self._ground):
            stack.callback(end.close)
        self._speaks = False

    def speak(self) -> None:
        """Let the ground program begin, and count from now on."""
        self._program = GroundProgram(time.monotonic_ns(), seed=1)
        self._program.command_hz = _COMMANDS_HZ
        self._program.even = False
        self._delays = CommandDelays(self._program)
        self._speaks = True

    def pass_until(self, end_ns: int) -> None:
        """Let time pass, until a monotonic time in ns."""
        while (now_ns := time.monotonic_ns()) < end_ns:
            wake_ns = min(end_ns, self._vehicle.next_ns(), now_ns + _TICK_NS)
            wait_s = max(0, wake_ns - now_ns) / 1e9
            select.select([self._drone, self._ground], [], [], wait_s)
            self._work(time.monotonic_ns())

    def result(self) -> dict[str, Any]:
        program = self._program
        received = self._vehicle.received.as_dict()
        numbers = range(len(program.commands_ns))
        p99_ms, arrived = self._delays.summary(numbers)
        counted = {
            DIRECTIONS[0]: (program.received, program.lost),
            DIRECTIONS[1]: (received["datagrams"], received["lost_by_sequence"]),
        }
        return {
            "received": {way: count for way, (count, _) in counted.items()},
            "lost_by_sequence": {way: lost for way, (_, lost) in counted.items()},
            "command_p99_ms": p99_ms,
            "commands": len(numbers),
            "commands_arrived": arrived,
        }

    def _work(self, now_ns: int) -> None:
        for datagram in self._drone.receive():
            if self._speaks:
                self._delays.note(datagram, now_ns)
            send_each(self._drone, self._vehicle.handle(datagram, now_ns))
        send_each(self._drone, self._vehicle.advance(now_ns))
        for octets in self._ground.receive():
            if self._speaks:
                send_each(self._ground, self._program.handle(octets, now_ns))
        if self._speaks:
            send_each(self._ground, self._program.due(now_ns))


def flying_vehicle(now_ns: int) -> Vehicle:
    """Return a vehicle that has taken off before and hovers at a time, monotonic in ns."""
    options = VehicleOptions(rate_hz=_RATE_HZ, capacity_mah=_CAPACITY_MAH, channel=NETWORK_CHANNEL)
    at_ns = now_ns - _CLIMB_S * _SECOND_NS
    vehicle = Vehicle(options, at_ns, time.time_ns() - _CLIMB_S * _SECOND_NS)
    codec = mavlink.MAVLink(None, *_STATION)
    guided = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED
    orders = {
        3: (mavlink.MAV_CMD_DO_SET_MODE, guided, Mode.GUIDED.value, 0.0),
        4: (mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1, 0, 0.0),
        5: (mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, _HEIGHT_M),
    }
    for second in range(_CLIMB_S):
        if second in orders:
            number, first, other, height = orders[second]
            order = mavlink.MAVLink_command_long_message(
                *VEHICLE, number, 0, first, other, 0, 0, 0, 0, height
            )
            vehicle.handle(bytes(order.pack(codec)), at_ns)
            codec.seq += 1
        for _ in range(_SECOND_NS // _STEP_NS):
            at_ns += _STEP_NS
            vehicle.advance(at_ns)
    return vehicle
