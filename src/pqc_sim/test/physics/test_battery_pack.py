# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The battery of the simulated vehicle and of the simulated flights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_policy.sensing.battery.open_circuit import cell_voltage_and_slope
from pqc_sim.physics.battery_pack import Pack, PackType, open_circuit_v

STEP_S = 0.05
LOADS = st.lists(st.tuples(st.floats(0.0, 900.0), st.floats(0.01, 60.0)), min_size=1, max_size=50)


def flown(pack: Pack, power_w: float, seconds: float, ambient_c: float = 25.0) -> Pack:
    for _ in range(round(seconds / STEP_S)):
        pack.step(power_w, ambient_c, STEP_S)
    return pack


def full(temperature_c: float = 25.0, **changes: float) -> Pack:
    return Pack(PackType(**changes), 1.0, temperature_c)


def test_the_pack_delivers_its_capacity_and_the_power_drawn() -> None:
    pack = full()
    taken_ah = 0.0
    while pack.charge > 0.2:
        pack.step(190.0, 25.0, STEP_S)
        taken_ah += pack.current_a * STEP_S / 3600.0
        assert pack.voltage_v * pack.current_a == pytest.approx(190.0)
    assert taken_ah == pytest.approx(0.8 * 5.2, rel=0.01)


def test_the_voltage_sags_at_once_and_further_with_time_and_recovers_at_rest() -> None:
    pack = full()
    at_rest_v = pack.voltage_v
    at_once_v = flown(pack, 250.0, STEP_S).voltage_v
    later_v = flown(pack, 250.0, 60.0).voltage_v
    assert at_rest_v - 0.3 < at_once_v < at_rest_v - 0.1
    assert later_v < at_once_v - 0.1
    rested_v = flown(pack, 0.0, 900.0).voltage_v
    assert rested_v == pytest.approx(4 * open_circuit_v(pack.charge), abs=0.005)


def test_cold_and_age_make_the_voltage_sag_more() -> None:
    fresh_v = flown(full(), 250.0, 30.0).voltage_v
    assert flown(full(0.0), 250.0, 30.0, ambient_c=0.0).voltage_v < fresh_v - 0.15
    assert flown(full(ohm=0.005), 250.0, 30.0).voltage_v < fresh_v - 0.1
    assert flown(full(faded=0.3), 250.0, 600.0).charge < flown(full(), 250.0, 600.0).charge - 0.1


def test_a_pack_warms_itself() -> None:
    assert flown(full(10.0), 300.0, 300.0, ambient_c=10.0).temperature_c > 11.0


def test_the_open_circuit_voltage_rises_and_differs_from_the_curve_of_the_predictor() -> None:
    charges = [share / 100 for share in range(1, 100)]
    apart = [abs(open_circuit_v(z) - cell_voltage_and_slope(z)[0]) for z in charges]
    assert 0.01 < max(apart) < 0.15
    assert all(open_circuit_v(z + 0.01) > open_circuit_v(z) for z in charges)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_charge_never_means_less_resting_voltage(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert open_circuit_v(low) <= open_circuit_v(high)


@given(LOADS)
def test_charge_only_falls_and_consumption_only_rises(loads: list[tuple[float, float]]) -> None:
    pack = full()
    for power_w, seconds in loads:
        charge, consumed_ah, consumed_j = pack.charge, pack.consumed_ah, pack.consumed_j
        pack.step(power_w, 25.0, seconds)
        assert 0.0 <= pack.charge <= charge
        assert pack.consumed_ah >= consumed_ah
        assert pack.consumed_j >= consumed_j


def test_under_a_steady_load_the_voltage_never_rises_until_the_pack_is_empty() -> None:
    pack = full()
    voltages = []
    while flown(pack, 250.0, 1.0).charge > 0.0:
        voltages.append(pack.voltage_v)
    assert voltages == sorted(voltages, reverse=True)


def test_the_consumption_is_the_charge_that_is_missing() -> None:
    pack = flown(full(capacity_ah=1.0), 150.0, 180.0)
    assert pack.consumed_ah == pytest.approx(1.0 - pack.charge, rel=1e-6)
    assert pack.remaining_s == pytest.approx(pack.charge / pack.current_a * 3600.0)
    while pack.charge > 0.0:
        pack.step(150.0, 25.0, STEP_S)
    assert pack.consumed_ah == pytest.approx(1.0, abs=0.001)


def test_an_empty_pack_delivers_nothing() -> None:
    pack = Pack(PackType(), 0.0, 25.0)
    pack.step(300.0, 25.0, 1.0)
    assert pack.current_a == 0.0
    assert pack.remaining_s is None
