# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a BatteryState of MAVROS says of the battery.

MAVROS 2.12 (mavros/src/plugins/sys_status.cpp) publishes what the autopilot marks as unknown as if
it had been measured: a current of -1 cA as 0.01 A into the battery, a BATTERY_STATUS without cells
as 0 V, a SYS_STATUS without a voltage as 65.535 V. It never sets the temperature, which stays 0.
`present` and `power_supply_status` are the same in every message, and the percentage is the
autopilot's own estimate: none of them counts.
"""

from __future__ import annotations

from math import isclose
from typing import Any

from pqc_policy.policy.inputs import known
from pqc_policy.sensing.battery_heard import BatteryHeard

_UNKNOWN_V = 65.535
_UNKNOWN_A = 0.01
_UNKNOWN_C = 0.0
_SINGLE = 1e-6  # relative precision of the messages' numbers


def battery_of(message: Any) -> BatteryHeard | None:
    """Return what a sensor_msgs/BatteryState says; None without a voltage."""
    voltage_v = known(message.voltage)
    if voltage_v is None or voltage_v <= 0.0 or isclose(voltage_v, _UNKNOWN_V, rel_tol=_SINGLE):
        return None
    current_a, temperature_c = known(message.current), known(message.temperature)
    if current_a is not None and isclose(current_a, _UNKNOWN_A, rel_tol=_SINGLE):
        current_a = None
    return BatteryHeard(
        voltage_v,
        None if current_a is None else -current_a,
        None if temperature_c == _UNKNOWN_C else temperature_c,
    )
