# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the battery from a BatteryState of MAVROS.

MAVROS 2.12 (mavros/src/plugins/sys_status.cpp) publishes values that the autopilot marks as unknown
as if they were measured: a current of -1 cA as 0.01 A into the battery, a BATTERY_STATUS without
cells as 0 V, a SYS_STATUS without a voltage as 65.535 V. It never sets the temperature, which stays
0. `present` and `power_supply_status` are the same in every message, and the percentage is the
autopilot's own estimate: they are not used.
"""

from __future__ import annotations

from math import isclose
from typing import Any

from pqc_policy.policy.inputs import known
from pqc_policy.sensing.battery_reading import BatteryReading

_UNKNOWN_V = 65.535
_UNKNOWN_A = 0.01
_UNKNOWN_C = 0.0
_SINGLE = 1e-6  # relative precision of the messages' numbers


def battery_of(message: Any) -> BatteryReading | None:
    """Return the content of a sensor_msgs/BatteryState; None without a voltage."""
    voltage_v = known(message.voltage)
    if voltage_v is None or voltage_v <= 0.0 or isclose(voltage_v, _UNKNOWN_V, rel_tol=_SINGLE):
        return None
    current_a, temperature_c = known(message.current), known(message.temperature)
    if current_a is not None and isclose(current_a, _UNKNOWN_A, rel_tol=_SINGLE):
        current_a = None
    return BatteryReading(
        voltage_v,
        None if current_a is None else -current_a,
        None if temperature_c == _UNKNOWN_C else temperature_c,
    )
