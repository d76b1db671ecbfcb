# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's sensing reads a simulated vehicle's traffic."""

from __future__ import annotations

import pytest
from pqc_policy.sensing.battery.reading import BatteryReading
from pqc_policy.sensing.mirror import LandedReading, Mirror, VehicleReading
from pqc_policy.sensing.mission_phase import Motion, Phase, PhaseConfig
from pqc_policy.sensing.phase_tracker import PhaseTracker
from pqc_sim.vehicle.modes import Mode
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import Station


def test_a_simulated_vehicles_traffic_is_understood() -> None:
    vehicle, mirror, heard = Vehicle(VehicleOptions(), 0, 0), Mirror(), []
    for tick in range(200):
        for datagram in vehicle.advance(tick * 20_000_000):
            heard += mirror.take(datagram, tick * 0.02)
    assert VehicleReading(False, "STABILIZE") in heard
    batteries = [item for item in heard if isinstance(item, BatteryReading)]
    assert len(batteries) >= 6
    assert batteries[-1].voltage_v == pytest.approx(16.8, abs=0.1)
    assert batteries[-1].temperature_c == pytest.approx(24.0, abs=0.5)


def test_the_phases_of_a_simulated_mission_are_understood(ready_station: Station) -> None:
    station, mirror, tracker = ready_station, Mirror(), PhaseTracker(PhaseConfig())
    phases: list[Phase] = []
    newest = VehicleReading(False, "")

    def fly(seconds: float) -> None:
        nonlocal newest
        for message in station.run(seconds):
            now_s = station.now_ns / 1e9
            for reading in mirror.take(bytes(message.get_msgbuf()), now_s):
                if isinstance(reading, VehicleReading):
                    newest = reading
                elif isinstance(reading, LandedReading):
                    tracker.note_landed(now_s, reading.landed)
                elif isinstance(reading, Motion):
                    tracker.note_motion(now_s, reading)
                phase, _ = tracker.phase(now_s, newest.armed, newest.mode)
                if not phases or phases[-1] is not phase:
                    phases.append(phase)

    fly(2.0)
    station.command(mavlink.MAV_CMD_DO_SET_MODE, 1, Mode.GUIDED)
    station.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1)
    station.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, 30.0)
    for _ in range(60):
        fly(0.5)
    station.command(mavlink.MAV_CMD_DO_SET_MODE, 1, Mode.LAND)
    for _ in range(120):
        fly(0.5)
    assert phases[-6:] == [
        Phase.ON_GROUND,
        Phase.TAKE_OFF,
        Phase.CLIMB,
        Phase.HOVER,
        Phase.LANDING,
        Phase.ON_GROUND,
    ]
