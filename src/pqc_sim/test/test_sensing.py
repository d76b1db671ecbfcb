# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the drone's sensing makes of a simulated vehicle's traffic."""

from __future__ import annotations

import pytest
from pqc_policy.sensing.battery_reading import BatteryReading
from pqc_policy.sensing.mirror import Mirror, VehicleReading
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions


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
