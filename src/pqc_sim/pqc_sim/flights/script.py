# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The script of a flight: mission, weather, link, and failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pqc_policy.parameters import from_values
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.sensing.battery.predictor import Pack as KnownPack
from pqc_policy.sensing.mission_phase import Landed, Motion

from pqc_sim.physics.air import CLEAN, Air, Spell
from pqc_sim.physics.battery_pack import PackType
from pqc_sim.physics.computer import ComputerType
from pqc_sim.physics.timeline import Timeline, steady

MLKEM768 = "cs-mlkem768-aesgcm-mldsa65"
_HOVERING = Motion(0.0, 0.0, 0.4)
_PACK = PackType()
_COMPUTER = ComputerType()
_ASSUMED_PACK = KnownPack()
_SPRING_C = steady(18.0)
_HAZE = steady(0.2)
_LIGHT_WORK = steady(0.25)


@dataclass(frozen=True)
class Load:
    """The load of the motors in a leg of a mission."""

    power_w: float
    gust_w: float  # standard deviation because of wind
    armed: bool
    mode: str
    landed: Landed = Landed.IN_AIR
    motion: Motion = _HOVERING


class Leg(Enum):
    """The legs of missions, for a quadrotor of 1.5 kg."""

    PARKED = Load(0.0, 0.0, False, "STABILIZE", Landed.ON_GROUND, Motion(0.0, 0.0, 0.0))
    IDLING = Load(22.0, 0.0, True, "STABILIZE", Landed.ON_GROUND, Motion(0.0, 0.0, 0.12))
    CLIMB = Load(265.0, 14.0, True, "AUTO.TAKEOFF", Landed.TAKE_OFF, Motion(2.5, 0.5, 0.5))
    CRUISE = Load(190.0, 14.0, True, "AUTO.MISSION", motion=Motion(0.0, 9.0, 0.42))
    HOVER = Load(215.0, 9.0, True, "AUTO.LOITER")
    DESCENT = Load(170.0, 12.0, True, "AUTO.LAND", Landed.LANDING, Motion(-1.5, 0.3, 0.3))


@dataclass(frozen=True)
class Silence:
    """A period in which topics are silent."""

    topics: tuple[str, ...]
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Crash:
    """The tunnel's node crashes, and is restarted."""

    at_s: float
    back_s: float


@dataclass(frozen=True)
class Flood:
    """Somebody sends datagrams that the tunnel drops."""

    start_s: float
    end_s: float
    reason: str  # the name in DropCounters
    per_s: float


@dataclass(frozen=True)
class Script:
    """A flight, except for what the policy decides."""

    name: str
    about: str
    mission: tuple[tuple[float, Leg], ...]  # length in s, leg
    suite: str = MLKEM768
    pack: PackType = _PACK
    assumed_pack: KnownPack = _ASSUMED_PACK  # the pack in the parameters of the sensing
    charge: float = 0.97
    pack_c: float | None = None  # None: as warm as the air
    computer: ComputerType = _COMPUTER
    ambient_c: Timeline = _SPRING_C
    sun: Timeline = _HAZE  # 0 to 1
    busy: Timeline = _LIGHT_WORK  # load of the computer, 0 to 1
    wind: float = 1.0  # factor of the gusts
    air: Air = CLEAN
    spells: tuple[Spell, ...] = ()
    silences: tuple[Silence, ...] = ()
    crashes: tuple[Crash, ...] = ()
    floods: tuple[Flood, ...] = ()
    spoiled: frozenset[str] = frozenset()  # suites whose rekeys fail with authentication
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the policy, if not default
    seed: int = 1

    @property
    def seconds(self) -> float:
        """The length of the flight in s."""
        return sum(seconds for seconds, _ in self.mission)

    @property
    def config(self) -> PolicyConfig:
        return from_values(PolicyConfig, self.parameters)

    def silent(self, topic: str, time_s: float) -> bool:
        """Return whether a topic is silent at a time, in s."""
        return any(
            topic in silence.topics and silence.start_s <= time_s < silence.end_s
            for silence in self.silences
        )

    def leg(self, time_s: float) -> Load:
        """Return the load of the motors at a time, in s."""
        for seconds, leg in self.mission:
            if time_s < seconds:
                return leg.value
            time_s -= seconds
        return self.mission[-1][1].value
