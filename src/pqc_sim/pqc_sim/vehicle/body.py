# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The body of the vehicle: a point mass that follows a demanded velocity and tilts to do so."""

from __future__ import annotations

import math
from dataclasses import dataclass

_METRES_PER_DEGREE = 111_319.49
_GRAVITY = 9.80665
_RESPONSE_S = 0.6
_ACCELERATION_LIMIT = 4.0
_YAW_RATE_LIMIT = math.radians(60.0)
_YAW_SPEED_MIN = 1.0
_HOVER_THROTTLE = 0.38


@dataclass(frozen=True)
class Place:
    """Latitude and longitude in degrees, altitude above mean sea level in m."""

    latitude: float
    longitude: float
    altitude: float


@dataclass(frozen=True)
class Velocity:
    """North, east and down, in m/s."""

    north: float = 0.0
    east: float = 0.0
    down: float = 0.0

    @property
    def horizontal(self) -> float:
        """Speed over ground in m/s."""
        return math.hypot(self.north, self.east)


REST = Velocity()


@dataclass
class Body:
    """Position (m north, east, and above home), velocity (m/s) and attitude (rad)."""

    home: Place
    north: float = 0.0
    east: float = 0.0
    height: float = 0.0
    velocity: Velocity = REST
    acceleration: Velocity = REST
    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = math.radians(30.0)
    roll_rate: float = 0.0
    pitch_rate: float = 0.0
    yaw_rate: float = 0.0
    throttle: float = 0.0

    @property
    def on_ground(self) -> bool:
        return self.height <= 0.0

    @property
    def place(self) -> Place:
        return self.place_of(self.north, self.east, self.height)

    def place_of(self, north: float, east: float, height: float) -> Place:
        """Turn metres from home into a place."""
        latitude = self.home.latitude + north / _METRES_PER_DEGREE
        return Place(
            latitude,
            self.home.longitude + east / self._metres_per_degree_east(),
            self.home.altitude + height,
        )

    def offset_to(self, latitude: float, longitude: float) -> tuple[float, float]:
        """Return how many metres north and east of home a place is."""
        return (
            (latitude - self.home.latitude) * _METRES_PER_DEGREE,
            (longitude - self.home.longitude) * self._metres_per_degree_east(),
        )

    def step(self, wanted: Velocity, motors_on: bool, seconds: float) -> None:
        """Move for a short time towards the wanted velocity, or without motors to the ground."""
        if not motors_on:
            self._fall(seconds)
            return
        if self.on_ground and wanted.down >= 0.0:
            wanted = REST
        self.acceleration = Velocity(
            _toward(self.velocity.north, wanted.north),
            _toward(self.velocity.east, wanted.east),
            _toward(self.velocity.down, wanted.down),
        )
        self._move(seconds)
        self._tilt(seconds)
        lift = 1.0 - self.acceleration.down / _GRAVITY
        idle = self.on_ground and wanted.down >= 0.0
        self.throttle = 0.12 if idle else min(1.0, _HOVER_THROTTLE * lift)

    def _move(self, seconds: float) -> None:
        self.velocity = Velocity(
            self.velocity.north + self.acceleration.north * seconds,
            self.velocity.east + self.acceleration.east * seconds,
            self.velocity.down + self.acceleration.down * seconds,
        )
        self.north += self.velocity.north * seconds
        self.east += self.velocity.east * seconds
        self.height -= self.velocity.down * seconds
        if self.height <= 0.0 and self.velocity.down >= 0.0:
            self.height = 0.0
            self.velocity = self.acceleration = REST

    def _fall(self, seconds: float) -> None:
        self.throttle = 0.0
        if self.on_ground:
            self.velocity = self.acceleration = REST
        else:
            self.acceleration = Velocity(down=_GRAVITY)
            self._move(seconds)
        self._tilt(seconds)

    def _tilt(self, seconds: float) -> None:
        if self.velocity.horizontal > _YAW_SPEED_MIN:
            course = math.atan2(self.velocity.east, self.velocity.north)
            turn = math.remainder(course - self.yaw, math.tau)
            limit = _YAW_RATE_LIMIT * seconds
            turn = min(max(turn, -limit), limit)
        else:
            turn = 0.0
        self.yaw_rate = turn / seconds
        self.yaw = (self.yaw + turn) % math.tau
        forward = self.acceleration.north * math.cos(self.yaw) + self.acceleration.east * math.sin(
            self.yaw
        )
        right = self.acceleration.east * math.cos(self.yaw) - self.acceleration.north * math.sin(
            self.yaw
        )
        roll, pitch = math.atan2(right, _GRAVITY), math.atan2(-forward, _GRAVITY)
        self.roll_rate = (roll - self.roll) / seconds
        self.pitch_rate = (pitch - self.pitch) / seconds
        self.roll, self.pitch = roll, pitch

    def _metres_per_degree_east(self) -> float:
        return _METRES_PER_DEGREE * math.cos(math.radians(self.home.latitude))


def _toward(speed: float, wanted: float) -> float:
    change = (wanted - speed) / _RESPONSE_S
    return min(max(change, -_ACCELERATION_LIMIT), _ACCELERATION_LIMIT)
