# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The autopilot: arming, flight modes, the mission, and the failsafes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.physics.battery_pack import Pack
from pqc_sim.vehicle.body import REST, Body, Velocity
from pqc_sim.vehicle.mission import Mission, has_place
from pqc_sim.vehicle.modes import ARMABLE, Mode
from pqc_sim.vehicle.parameters import Parameters
from pqc_sim.vehicle.reply import Reply, notice

_GPS_READY_S = 1.5
AIR_C = 24.0
_IDLE_W = 11.0
_HOVER_W = 245.0
_HOVER_THROTTLE = 0.38
_APPROACH_PER_S = 0.6
_CLIMB_PER_S = 1.0
_LEVEL_M = 0.3
_HOLDING = frozenset({Mode.STABILIZE, Mode.ALT_HOLD, Mode.LOITER, Mode.POSHOLD, Mode.BRAKE})

_INFO = mavlink.MAV_SEVERITY_INFO
_WARNING = mavlink.MAV_SEVERITY_WARNING
_CRITICAL = mavlink.MAV_SEVERITY_CRITICAL


@dataclass(frozen=True)
class Target:
    """A point to fly to, in m north and east of home and above it."""

    north: float
    east: float
    height: float


class Flight:
    """The autopilot.

    Methods that can refuse return the reason as text, or None. `events` holds unsent messages.
    """

    def __init__(self, body: Body, battery: Pack, parameters: Parameters, mission: Mission) -> None:
        """Stand at home, disarmed, in STABILIZE."""
        self.body = body
        self.battery = battery
        self.mission = mission
        self.mode = Mode.STABILIZE
        self.armed = False
        self.armed_once = False
        self.highest_m = 0.0
        self.target = Target(0.0, 0.0, 0.0)
        self.events: Reply = []
        self.speed_m_s: float | None = None
        self._parameters = parameters
        self._uptime_s = 0.0
        self._idle_s = 0.0
        self._dwell_s = 0.0
        self._low_battery_s = 0.0
        self._failed_safe: set[str] = set()
        self._station_silent_s: float | None = None

    @property
    def gps_ready(self) -> bool:
        return self._uptime_s >= _GPS_READY_S

    @property
    def flying(self) -> bool:
        return not self.body.on_ground

    def prearm_fault(self) -> str | None:
        """Return why the vehicle can't be armed, or None."""
        if self._parameters["ARMING_CHECK"] == 0:
            return None
        if not self.gps_ready:
            return "Need Position Estimate"
        if self.battery.voltage_v < self._parameters["BATT_ARM_VOLT"]:
            return "Battery 1 below minimum arming voltage"
        return None

    def arm(self, *, force: bool = False) -> str | None:
        if self.armed:
            return None
        fault = self.prearm_fault()
        if fault is None and self.mode not in ARMABLE:
            fault = f"{self.mode.name} mode not armable"
        if fault is not None and not force:
            return fault
        self.armed = self.armed_once = True
        self._idle_s = 0.0
        self._failed_safe.clear()
        self._report(_INFO, "Arming motors")
        return None

    def disarm(self, *, force: bool = False) -> str | None:
        """Stop the motors; in the air only by force."""
        if self.flying and not force:
            return "can't disarm in flight"
        if self.armed:
            self.armed = False
            self._report(_INFO, "Disarming motors")
        return None

    def set_mode(self, mode: Mode) -> str | None:
        if mode is Mode.AUTO and not self.mission.flyable:
            return "AUTO needs a mission"
        if mode in (Mode.GUIDED, Mode.LOITER, Mode.POSHOLD, Mode.RTL) and not self.gps_ready:
            return f"{mode.name} needs a position"
        if mode is not self.mode:
            self.mode = mode
            self._hold_here()
            if mode is Mode.AUTO:
                self._begin_item(max(1, self.mission.current))
        return None

    def take_off(self, height: float) -> str | None:
        """Climb to a height above home, in GUIDED."""
        if not self.armed or self.mode is not Mode.GUIDED:
            return "takeoff needs GUIDED and armed motors"
        if not math.isfinite(height) or height <= 0.0:
            return "takeoff needs a height"
        self.target = Target(self.body.north, self.body.east, height)
        return None

    def go_to(self, latitude: float, longitude: float, height: float) -> str | None:
        if self.mode is not Mode.GUIDED or not self.flying:
            return "going to a place needs GUIDED and flight"
        self.target = Target(*self.body.offset_to(latitude, longitude), height)
        return None

    def begin_item(self, index: int) -> str | None:
        if not 0 <= index < len(self.mission.items):
            return "no such mission item"
        self._begin_item(max(1, index))
        return None

    def note_station(self) -> None:
        self._station_silent_s = 0.0

    def step(self, seconds: float) -> None:
        """Let a short time pass, in s."""
        self._uptime_s += seconds
        self.body.step(self._wanted(seconds), self.armed, seconds)
        self.highest_m = max(self.highest_m, self.body.height)
        power_w = _IDLE_W
        if self.armed:
            power_w += _HOVER_W * (self.body.throttle / _HOVER_THROTTLE) ** 1.5
        self.battery.step(power_w, AIR_C, seconds)
        self._watch_landing(seconds)
        self._watch_battery(seconds)
        self._watch_station(seconds)

    def _report(self, severity: int, text: str) -> None:
        self.events.append(notice(severity, text))

    def _hold_here(self) -> None:
        self.target = Target(self.body.north, self.body.east, max(0.0, self.body.height))

    def _speed(self) -> float:
        return self.speed_m_s or self._parameters["WPNAV_SPEED"] / 100.0

    def _wanted(self, seconds: float) -> Velocity:
        if not self.armed:
            return REST
        match self.mode:
            case Mode.LAND:
                return self._descend()
            case Mode.RTL:
                return self._return_home()
            case Mode.AUTO:
                return self._fly_mission(seconds)
            case Mode.GUIDED:
                return self._towards(self.target)
            case _ if self.mode in _HOLDING and self.flying:
                return self._towards(self.target)
            case _:
                return REST

    def _towards(self, target: Target) -> Velocity:
        north, east = target.north - self.body.north, target.east - self.body.east
        distance = math.hypot(north, east)
        speed = min(self._speed(), _APPROACH_PER_S * distance)
        scale = speed / distance if distance > 0.0 else 0.0
        climb = _CLIMB_PER_S * (target.height - self.body.height)
        up = self._parameters["WPNAV_SPEED_UP"] / 100.0
        down = self._parameters["WPNAV_SPEED_DN"] / 100.0
        return Velocity(north * scale, east * scale, -min(max(climb, -down), up))

    def _descend(self) -> Velocity:
        slow = self.body.height < self._parameters["LAND_ALT_LOW"] / 100.0
        speed = self._parameters["LAND_SPEED" if slow else "WPNAV_SPEED_DN"] / 100.0
        return Velocity(down=speed)

    def _return_home(self) -> Velocity:
        away = math.hypot(self.body.north, self.body.east)
        if away < self._parameters["WPNAV_RADIUS"] / 100.0:
            return self._descend() if self.flying else REST
        height = max(self._parameters["RTL_ALT"] / 100.0, self.body.height)
        if self.body.height < height - _LEVEL_M:
            return self._towards(Target(self.body.north, self.body.east, height))
        return self._towards(Target(0.0, 0.0, height))

    def _begin_item(self, index: int) -> None:
        self.mission.current = index
        self._dwell_s = 0.0

    def _fly_mission(self, seconds: float) -> Velocity:
        if not self.mission.current < len(self.mission.items):
            self.set_mode(Mode.RTL)
            return REST
        item = self.mission.items[self.mission.current]
        match item.command:
            case mavlink.MAV_CMD_NAV_TAKEOFF:
                self.target = Target(self.body.north, self.body.east, item.z)
                reached = self.body.height > item.z - _LEVEL_M
            case mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH:
                reached = False
                self.set_mode(Mode.RTL)
            case mavlink.MAV_CMD_NAV_LAND:
                reached = False
                self.set_mode(Mode.LAND)
            case mavlink.MAV_CMD_DO_CHANGE_SPEED:
                self.speed_m_s = item.param2 if item.param2 > 0.0 else None
                reached = True
            case mavlink.MAV_CMD_NAV_WAYPOINT | mavlink.MAV_CMD_NAV_LOITER_TIME:
                reached = self._approach(item, seconds)
            case _:
                reached = True
        if reached:
            self.events.append(mavlink.MAVLink_mission_item_reached_message(item.seq))
            self._report(_INFO, f"Reached command #{item.seq}")
            self._begin_item(self.mission.current + 1)
        return self._towards(self.target)

    def _approach(self, item: mavlink.MAVLink_mission_item_int_message, seconds: float) -> bool:
        north, east = self.target.north, self.target.east
        if has_place(item):
            north, east = self.body.offset_to(item.x / 1e7, item.y / 1e7)
        absolute = item.frame in (mavlink.MAV_FRAME_GLOBAL, mavlink.MAV_FRAME_GLOBAL_INT)
        height = item.z - self.body.home.altitude if absolute else item.z
        self.target = Target(north, east, height)
        away = math.dist((north, east, height), (self.body.north, self.body.east, self.body.height))
        if away < self._parameters["WPNAV_RADIUS"] / 100.0:
            self._dwell_s += seconds
        return self._dwell_s > max(0.0, item.param1)

    def _watch_landing(self, seconds: float) -> None:
        if not self.armed or self.flying:
            self._idle_s = 0.0
            return
        self._idle_s += seconds
        if self.mode in (Mode.LAND, Mode.RTL):
            patience = 1.0
        else:
            climbing = self.mode in (Mode.GUIDED, Mode.AUTO) and self.target.height > 0.0
            patience = math.inf if climbing else self._parameters["DISARM_DELAY"] or math.inf
        if self._idle_s > patience:
            self.disarm()

    def _watch_battery(self, seconds: float) -> None:
        low = self.battery.voltage_v < self._parameters["BATT_LOW_VOLT"]
        self._low_battery_s = self._low_battery_s + seconds if low else 0.0
        if self._low_battery_s > self._parameters["BATT_LOW_TIMER"]:
            used_mah = int(self.battery.consumed_ah * 1000.0)
            text = f"Battery 1 is low {self.battery.voltage_v:.2f}V used {used_mah} mAh"
            self._fail_safe("battery", text, int(self._parameters["BATT_FS_LOW_ACT"]))

    def _watch_station(self, seconds: float) -> None:
        if self._station_silent_s is None:
            return
        self._station_silent_s += seconds
        if self._station_silent_s > self._parameters["FS_GCS_TIMEOUT"]:
            action = 2 if self._parameters["FS_GCS_ENABLE"] else 0
            self._fail_safe("station", "GCS Failsafe", action)
        else:
            self._failed_safe.discard("station")

    def _fail_safe(self, cause: str, text: str, action: int) -> None:
        if not self.armed or cause in self._failed_safe:
            return
        self._failed_safe.add(cause)
        self._report(_CRITICAL if action else _WARNING, text)
        if action and self.flying and self.mode is not Mode.LAND:
            self.set_mode(Mode.LAND if action == 1 else Mode.RTL)
