# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages that the plug-in sys_status of MAVROS 2.12 makes of an autopilot's messages.

Follows handle_sys_status, handle_battery_status, handle_heartbeat and publish_disconnection of
mavros/src/plugins/sys_status.cpp field by field, in single precision. Values that the autopilot
marks as unknown go through the same arithmetic as known ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mavros_msgs.msg import State
from sensor_msgs.msg import BatteryState

INT16_MAX = 32767
UINT16_MAX = 65535
NO_CELLS = (UINT16_MAX,) * 10
NO_MORE_CELLS = (0,) * 4
_ARMED = 0x80
_LIPO = 1  # of MAV_BATTERY_TYPE
_TECHNOLOGIES = {
    1: BatteryState.POWER_SUPPLY_TECHNOLOGY_LIPO,
    2: BatteryState.POWER_SUPPLY_TECHNOLOGY_LIFE,
    3: BatteryState.POWER_SUPPLY_TECHNOLOGY_LION,
    4: BatteryState.POWER_SUPPLY_TECHNOLOGY_NIMH,
}


class SystemStatusPlugin:
    """Turns an autopilot's messages into those of MAVROS; None: MAVROS publishes nothing."""

    def __init__(self) -> None:
        self._has_battery_status0 = False

    def sys_status(
        self, millivolts: int, centiamperes: int = -1, percent: int = -1
    ) -> BatteryState | None:
        if self._has_battery_status0:
            return None
        message = _battery(np.float32(millivolts) / np.float32(1000.0), centiamperes, percent)
        message.power_supply_technology = BatteryState.POWER_SUPPLY_TECHNOLOGY_UNKNOWN
        message.location = ""
        return message

    def battery_status(
        self,
        cells: Sequence[int] = NO_CELLS,
        centiamperes: int = -1,
        percent: int = -1,
        *,
        number: int = 0,
        more_cells: Sequence[int] = NO_MORE_CELLS,
        kind: int = _LIPO,
        temperature: int = INT16_MAX,
    ) -> BatteryState:
        """Return the battery of a BATTERY_STATUS; `temperature` is ignored, as by MAVROS."""
        volts = _cell_volts(tuple(cells) + NO_CELLS[len(cells) :], more_cells)
        total_v = np.float32(0.0)
        for cell_v in volts:
            total_v += cell_v
        message = _battery(total_v, centiamperes, percent)
        message.power_supply_technology = _TECHNOLOGIES.get(
            kind, BatteryState.POWER_SUPPLY_TECHNOLOGY_UNKNOWN
        )
        message.cell_voltage = [float(cell_v) for cell_v in volts]
        message.location = f"id{number}"
        self._has_battery_status0 |= number == 0
        return message

    def heartbeat(self, base_mode: int, mode: str, system_status: int = 4) -> State:
        return State(
            connected=True,
            armed=bool(base_mode & _ARMED),
            guided=bool(base_mode & 0x08),
            manual_input=bool(base_mode & 0x40),
            mode=mode,
            system_status=system_status,
        )

    def disconnection(self) -> State:
        """Return the state before the first heartbeat, and after heartbeats have stopped."""
        self._has_battery_status0 = False
        return State(connected=False, armed=False, guided=False, mode="", system_status=0)


def _battery(volts: np.float32, centiamperes: int, percent: int) -> BatteryState:
    message = BatteryState()
    message.voltage = float(volts)
    message.current = float(-(np.float32(centiamperes) / np.float32(100.0)))
    message.charge = message.capacity = message.design_capacity = float("nan")
    message.percentage = float(np.float32(percent) / np.float32(100.0))
    message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_UNKNOWN
    message.present = True
    message.serial_number = ""
    return message


def _cell_volts(cells: Sequence[int], more_cells: Sequence[int]) -> list[np.float32]:
    volts: list[np.float32] = []
    carried_v = np.float32(0.0)
    for values, ends in ((cells, (UINT16_MAX,)), (more_cells, (UINT16_MAX, 0))):
        for value in values:
            if value in ends:
                break
            if value == UINT16_MAX - 1:  # the next field has the rest
                carried_v += np.float32(65.534)
                continue
            volts.append(carried_v + np.float32(value) * np.float32(0.001))
            carried_v = np.float32(0.0)
    return volts
