# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_sim.vehicle.battery import Battery, open_circuit_cell_v

LOADS = st.lists(st.tuples(st.floats(0.0, 60.0), st.floats(0.01, 60.0)), min_size=1, max_size=50)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_charge_never_means_less_resting_voltage(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert open_circuit_cell_v(low) <= open_circuit_cell_v(high)


@given(LOADS)
def test_charge_only_falls_and_consumption_only_rises(loads: list[tuple[float, float]]) -> None:
    battery = Battery()
    for current, seconds in loads:
        charge, consumed = battery.charge, battery.consumed_mah
        battery.discharge(current, seconds)
        assert 0.0 <= battery.charge <= charge
        assert battery.consumed_mah >= consumed


def test_under_a_steady_load_the_voltage_never_rises() -> None:
    battery = Battery()
    voltages = []
    while battery.charge > 0.0:
        battery.discharge(16.0, 1.0)
        voltages.append(battery.voltage_v)
    assert voltages == sorted(voltages, reverse=True)


def test_what_is_taken_out_is_what_was_in() -> None:
    battery = Battery(capacity_mah=1000.0)
    battery.discharge(10.0, 180.0)
    assert battery.consumed_mah == pytest.approx(500.0)
    assert battery.charge == pytest.approx(0.5)
    battery.discharge(10.0, 1000.0)
    assert battery.consumed_mah == pytest.approx(1000.0)
    assert battery.charge == 0.0


def test_the_voltage_sags_under_load_and_recovers_at_rest() -> None:
    battery = Battery(charge=0.8)
    resting = battery.voltage_v
    for _ in range(100):
        battery.discharge(30.0, 0.1)
    loaded = battery.voltage_v
    battery.discharge(0.0, 0.1)
    at_once = battery.voltage_v
    for _ in range(600):
        battery.discharge(0.0, 0.1)
    assert loaded < at_once < battery.voltage_v < resting


def test_an_empty_battery_delivers_nothing() -> None:
    battery = Battery(charge=0.0)
    battery.discharge(20.0, 1.0)
    assert battery.current_a == 0.0
    assert battery.remaining_s is None
