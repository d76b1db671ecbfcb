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

from typing import Any

from pqc_policy.sensing.battery.reading import BatteryReading, reading_of

_UNKNOWN_C = 0.0


def battery_of(message: Any) -> BatteryReading | None:
    """Return the content of a sensor_msgs/BatteryState; None without a voltage."""
    temperature_c = None if message.temperature == _UNKNOWN_C else message.temperature
    return reading_of(message.voltage, -message.current, temperature_c)
