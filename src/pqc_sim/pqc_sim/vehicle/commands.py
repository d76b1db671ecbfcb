# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""COMMAND_LONG, COMMAND_INT and SET_MODE: decodes commands and acts on the vehicle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.flight import Flight
from pqc_sim.vehicle.mission import MissionProtocol
from pqc_sim.vehicle.modes import Mode
from pqc_sim.vehicle.reply import Reply, notice
from pqc_sim.vehicle.telemetry import Telemetry

_FORCE = (2989, 21196)
_ACCEPTED = mavlink.MAV_RESULT_ACCEPTED
_DENIED = mavlink.MAV_RESULT_DENIED
_FAILED = mavlink.MAV_RESULT_FAILED
_UNSUPPORTED = mavlink.MAV_RESULT_UNSUPPORTED
_DEGREES = 1e7
_ABSOLUTE = (mavlink.MAV_FRAME_GLOBAL, mavlink.MAV_FRAME_GLOBAL_INT)


@dataclass(frozen=True)
class Command:
    """A command with its seven parameters; 5 to 7 are degrees and metres if they are a position."""

    number: int
    absolute: bool
    params: tuple[float, float, float, float, float, float, float]


Outcome = tuple[int, Reply]


class Commands:
    """Carries out commands; every one is acknowledged with its result."""

    def __init__(self, flight: Flight, protocol: MissionProtocol, telemetry: Telemetry) -> None:
        self._flight = flight
        self._mission = protocol
        self._telemetry = telemetry
        self._actions: dict[int, Callable[[Command], Outcome]] = {
            mavlink.MAV_CMD_COMPONENT_ARM_DISARM: self._arm_disarm,
            mavlink.MAV_CMD_DO_CHANGE_SPEED: self._change_speed,
            mavlink.MAV_CMD_DO_REPOSITION: self._reposition,
            mavlink.MAV_CMD_DO_SET_MISSION_CURRENT: self._set_mission_current,
            mavlink.MAV_CMD_DO_SET_MODE: self._set_mode,
            mavlink.MAV_CMD_GET_HOME_POSITION: self._get_home,
            mavlink.MAV_CMD_GET_MESSAGE_INTERVAL: self._get_interval,
            mavlink.MAV_CMD_MISSION_START: self._start_mission,
            mavlink.MAV_CMD_NAV_LAND: lambda _: self._enter(Mode.LAND),
            mavlink.MAV_CMD_NAV_LOITER_UNLIM: lambda _: self._enter(Mode.LOITER),
            mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH: lambda _: self._enter(Mode.RTL),
            mavlink.MAV_CMD_NAV_TAKEOFF: self._take_off,
            mavlink.MAV_CMD_REQUEST_AUTOPILOT_CAPABILITIES: self._capabilities,
            mavlink.MAV_CMD_REQUEST_MESSAGE: self._request_message,
            mavlink.MAV_CMD_REQUEST_PROTOCOL_VERSION: lambda _: (_DENIED, []),
            mavlink.MAV_CMD_RUN_PREARM_CHECKS: self._prearm_checks,
            mavlink.MAV_CMD_SET_MESSAGE_INTERVAL: self._set_interval,
        }

    def handle(self, message: mavlink.MAVLink_message) -> Reply:
        """Carry out a command message; return its acknowledgement and further messages."""
        if isinstance(message, mavlink.MAVLink_set_mode_message):
            # This old message has no acknowledgement; the heartbeat shows the mode.
            return self._mode_of(message.custom_mode)[1]
        command = _command_of(message)
        action = self._actions.get(command.number)
        result, replies = action(command) if action is not None else (_UNSUPPORTED, [])
        ack = mavlink.MAVLink_command_ack_message(
            command.number, result, 0, 0, message.get_srcSystem(), message.get_srcComponent()
        )
        return [ack, *replies]

    def _outcome(self, refusal: str | None, prefix: str = "") -> Outcome:
        if refusal is None:
            return _ACCEPTED, []
        return _FAILED, [notice(mavlink.MAV_SEVERITY_CRITICAL, prefix + refusal)]

    def _enter(self, mode: Mode) -> Outcome:
        return self._outcome(self._flight.set_mode(mode), "Mode change failed: ")

    def _mode_of(self, number: float) -> Outcome:
        try:
            mode = Mode(int(number))
        except ValueError:
            text = notice(mavlink.MAV_SEVERITY_WARNING, f"No such mode {int(number)}")
            return _FAILED, [text]
        return self._enter(mode)

    def _set_mode(self, command: Command) -> Outcome:
        base, custom = command.params[:2]
        if not int(base) & mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED:
            return _DENIED, []
        return self._mode_of(custom)

    def _arm_disarm(self, command: Command) -> Outcome:
        request, force = command.params[:2]
        if request == 1.0:
            return self._outcome(self._flight.arm(force=int(force) in _FORCE), "Arm: ")
        if request == 0.0:
            return self._outcome(self._flight.disarm(force=int(force) in _FORCE), "Disarm: ")
        return _UNSUPPORTED, []

    def _prearm_checks(self, _: Command) -> Outcome:
        fault = self._flight.prearm_fault()
        if fault is not None:
            return _ACCEPTED, [notice(mavlink.MAV_SEVERITY_CRITICAL, f"PreArm: {fault}")]
        return _ACCEPTED, []

    def _take_off(self, command: Command) -> Outcome:
        return self._outcome(self._flight.take_off(command.params[6]))

    def _reposition(self, command: Command) -> Outcome:
        latitude, longitude, height = command.params[4:]
        if command.absolute:
            height -= self._flight.body.home.altitude
        if self._flight.mode is not Mode.GUIDED and int(command.params[1]) & 1:
            refusal = self._flight.set_mode(Mode.GUIDED)
            if refusal is not None:
                return self._outcome(refusal)
        return self._outcome(self._flight.go_to(latitude, longitude, height))

    def _change_speed(self, command: Command) -> Outcome:
        speed = command.params[1]
        if speed <= 0.0:
            return _DENIED, []
        self._flight.speed_m_s = speed
        return _ACCEPTED, []

    def _start_mission(self, _: Command) -> Outcome:
        if not self._flight.armed:
            return self._outcome("the mission needs armed motors")
        result = self._enter(Mode.AUTO)
        if result[0] == _ACCEPTED:
            self._flight.begin_item(1)
        return result

    def _set_mission_current(self, command: Command) -> Outcome:
        refusal = self._flight.begin_item(int(command.params[0]))
        if refusal is not None:
            return _DENIED, []
        return _ACCEPTED, [self._mission.current_message()]

    def _capabilities(self, _: Command) -> Outcome:
        return _ACCEPTED, [self._telemetry.build("AUTOPILOT_VERSION")]

    def _get_home(self, _: Command) -> Outcome:
        return _ACCEPTED, [self._telemetry.build("HOME_POSITION")]

    def _request_message(self, command: Command) -> Outcome:
        number = int(command.params[0])
        if number == mavlink.MAVLINK_MSG_ID_MESSAGE_INTERVAL:
            return _ACCEPTED, [self._telemetry.interval(int(command.params[1]))]
        name = self._telemetry.name_of(number)
        if name is None:
            return _UNSUPPORTED, []
        return _ACCEPTED, [self._telemetry.build(name)]

    def _get_interval(self, command: Command) -> Outcome:
        return _ACCEPTED, [self._telemetry.interval(int(command.params[0]))]

    def _set_interval(self, command: Command) -> Outcome:
        name = self._telemetry.name_of(int(command.params[0]))
        if name is None:
            return _UNSUPPORTED, []
        accepted = self._telemetry.set_interval(name, command.params[1])
        return (_ACCEPTED if accepted else _DENIED), []


def _command_of(message: mavlink.MAVLink_message) -> Command:
    first = (message.param1, message.param2, message.param3, message.param4)
    if isinstance(message, mavlink.MAVLink_command_int_message):
        params = (*first, message.x / _DEGREES, message.y / _DEGREES, message.z)
        absolute = message.frame in _ABSOLUTE
    else:
        params = (*first, message.param5, message.param6, message.param7)
        absolute = False
    finite = tuple(_finite(value) for value in params)
    return Command(message.command, absolute, finite)  # type: ignore[arg-type]


def _finite(value: float) -> float:
    # Not-a-number means "as you like" in MAVLink.
    return value if math.isfinite(value) else 0.0
