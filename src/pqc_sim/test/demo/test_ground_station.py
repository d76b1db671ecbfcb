# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The steps of the ground station, against the vehicle, over a link that loses commands."""

from __future__ import annotations

import contextlib

import pytest
from pqc_sim.demo.ground_station import leave_the_ground
from pqc_sim.demo.mavproxy import GroundProgramError
from pqc_sim.vehicle.modes import Mode
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import Station


class LossyGround:
    """A ground program of which the link loses the given commands, each once."""

    def __init__(self, station: Station, *lost: int) -> None:
        self._station = station
        self._lost = set(lost)

    def arm(self) -> str:
        return self._command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1)

    def take_off(self, height_m: float) -> str:
        return self._command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, height_m)

    def _command(self, number: int, *params: float) -> str:
        if number in self._lost:
            self._lost.remove(number)
            self._station.run(12.0)  # longer than DISARM_DELAY
            raise GroundProgramError("no answer")
        result = self._station.command(number, *params)
        return mavlink.enums["MAV_RESULT"][result].name.removeprefix("MAV_RESULT_")


@pytest.mark.parametrize(
    "lost", [(), (mavlink.MAV_CMD_COMPONENT_ARM_DISARM,), (mavlink.MAV_CMD_NAV_TAKEOFF,)]
)
def test_a_vehicle_takes_off_although_a_command_is_lost_and_it_disarms_meanwhile(
    ready_station: Station, lost: tuple[int, ...]
) -> None:
    ready_station.command(
        mavlink.MAV_CMD_DO_SET_MODE, mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED, Mode.GUIDED
    )
    ground = LossyGround(ready_station, *lost)
    for _ in lost:
        with contextlib.suppress(GroundProgramError):
            leave_the_ground(ground, 10.0)
    leave_the_ground(ground, 10.0)
    ready_station.run(10.0)
    assert ready_station.vehicle.as_dict()["height_m"] > 5.0
