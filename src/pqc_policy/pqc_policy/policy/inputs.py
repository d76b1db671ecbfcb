# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of a decision; every input carries its age."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, nan
from typing import Generic, TypeVar

from pqc_policy.policy.protection import Fetch, Layer
from pqc_policy.policy.suites import find_suite

LONGEST_HOLD_S = 86400.0
# A pack whose message does not tell counts as one of so many cells.
REFERENCE_CELLS = 4

T = TypeVar("T")


class Freshness(StrEnum):
    """Whether an input may be used."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"


def known(number: float | None) -> float | None:
    """Return a finite number; None for None, an infinite number or NaN."""
    return number if number is not None and isfinite(number) else None


def or_nan(number: float | None) -> float:
    """Return a number as messages have it, in which NaN stands for an unknown one."""
    return nan if number is None else float(number)


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value and its age in seconds; None: never received."""

    value: T | None = None
    age_s: float = 0.0

    def freshness(self, limit_s: float) -> Freshness:
        """Return whether there is a value, and whether it is at most limit_s old."""
        if self.value is None:
            return Freshness.MISSING
        return Freshness.FRESH if self.age_s <= limit_s else Freshness.STALE

    def fresh(self, limit_s: float) -> T | None:
        """Return the value, or None if it is missing or older than limit_s."""
        return self.value if self.age_s <= limit_s else None


@dataclass(frozen=True, slots=True)
class Link:
    """The drone's datagrams as the peer receives them, over a window of 5 s."""

    gap_p95_s: float | None  # 95th percentile; includes a silence that has not ended
    packets_per_s: float | None = None
    longest_silence_s: float | None = None
    jitter_s: float | None = None
    blackouts: int | None = None  # since the start of the tunnel
    loss: float | None = None  # 0 to 1
    rtt_s: float | None = None
    rate_bytes_s: float | None = None  # of the slowest link of known rate that carries data
    rate_source: str = ""  # configured, saturation (measured while it was full) or streams


@dataclass(frozen=True, slots=True)
class Battery:
    """The pack under its load."""

    voltage_v: float | None
    rate_mv_per_min: float | None = None  # below zero: falling
    charge: float | None = None  # predicted state of charge, 0 to 1
    endurance_s: float | None = None  # predicted time left
    cells: int = REFERENCE_CELLS  # in series


@dataclass(frozen=True, slots=True)
class Thermal:
    """The hottest zone of the computer."""

    temperature_c: float | None
    rate_c_per_min: float | None = None


class Verdict(StrEnum):
    CLEAR = "clear"
    SUSPICIOUS = "suspicious"
    ATTACK = "attack"


class Phase(StrEnum):
    ON_GROUND = "on_ground"
    TAKE_OFF = "take_off"
    CLIMB = "climb"
    TRANSIT = "transit"
    HOVER = "hover"
    LANDING = "landing"

    @property
    def renews(self) -> bool:
        """Whether keys are renewed in it; take-off and landing have enough to do."""
        return self not in (Phase.TAKE_OFF, Phase.LANDING)


@dataclass(frozen=True, slots=True)
class Computer:
    load: float | None  # share of all cores, 0 to 1
    memory: float | None = None  # share that is in use, 0 to 1
    throttled: bool | None = None  # heat or a low supply limits its frequency


@dataclass(frozen=True, slots=True)
class Held:
    """A suite that the operator has asked to keep."""

    suite: str
    until_s: float  # on the clock of the decisions


def hold_request_fault(suite_id: str, seconds: float) -> str | None:
    """Return why no policy accepts a hold, as a sentence; None if one may. No suite releases it."""
    if suite_id and find_suite(suite_id) is None:
        return f"There is no suite {suite_id}."
    if suite_id and not 0.0 < seconds <= LONGEST_HOLD_S:
        return f"A hold of {seconds:g} s is not possible; it lasts up to {LONGEST_HOLD_S:g} s."
    return None


@dataclass(frozen=True, slots=True)
class Failure:
    """The newest failed rekey."""

    count: int  # since the start of the node
    suite: str  # that was requested
    reason: str
    authenticated: bool = False  # a time-out or refusal is not: an attacker can cause it


@dataclass(frozen=True, slots=True)
class Session:
    suite: str
    epoch: int = 0
    key_age_s: float | None = None  # since the newest keys are in use
    ratchets: int = 0  # renewals without public-key operations since the start of the tunnel
    rekeying: bool = False
    blacklisted: frozenset[str] = frozenset()  # by the tunnel itself
    failure: Failure | None = None
    layers: tuple[Layer, ...] = ()  # in the chain of the keys used for sending
    anchor: str = ""  # kind of the key that the session began with; empty: no anchor
    fetches: tuple[Fetch, ...] = ()  # of the suites that may be used


@dataclass(frozen=True, slots=True)
class InputKind:
    """The names of an input, and the condition on which it counts as known."""

    noun: str  # its message, and its content if that is a single value
    short: str  # in lists
    label: str  # before its value
    topic: str  # that brings it
    content: str = ""  # the field without which it is empty; none: the value itself
    empty: str = ""  # how a message without that field is called
    can_press: bool = False  # whether its loss, once known, may press for a lighter suite
    optional: bool = False  # whether an explanation leaves it out where it was never received


# Every input that a rule may need, by its name in DecisionInput, in the order of an explanation.
INPUTS: Mapping[str, InputKind] = {
    "link": InputKind(
        "report of the link",
        "link",
        "Link",
        "link",
        "gap_p95_s",
        "report of the link has no gap between datagrams",
        can_press=True,
    ),
    "battery": InputKind(
        "battery voltage",
        "battery",
        "Battery",
        "battery",
        "voltage_v",
        "message of the battery has no voltage",
        can_press=True,
    ),
    "thermal": InputKind(
        "temperature",
        "temperature",
        "Temperature",
        "thermal",
        "temperature_c",
        "message of the temperature has no value",
        can_press=True,
    ),
    "power_w": InputKind("power reading", "power", "Power", "power"),
    "armed": InputKind("armed state", "armed state", "Armed", "vehicle", can_press=True),
    "advisor": InputKind("verdict of the advisor", "advisor", "Advisor", "advisor", can_press=True),
    "session": InputKind("status of the tunnel", "session", "Session", "status", "suite"),
    "phase": InputKind("phase of the mission", "phase", "Phase", "vehicle", optional=True),
    "computer": InputKind(
        "load of the computer", "computer", "Computer", "computer", optional=True
    ),
    "warned": InputKind(
        "warning of the fleet",
        "fleet's warning",
        "Warning of the fleet",
        "fleet_warning",
        optional=True,
    ),
}
# Whose loss, once known, may press for a lighter suite.
CAN_PRESS = tuple(name for name, kind in INPUTS.items() if kind.can_press)
_CONTENTS = tuple((name, kind.content) for name, kind in INPUTS.items())
# A drone has these unless its parameters say otherwise.
REQUIRED_INPUTS = ("link", "battery", "thermal", "armed", "session")


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """All inputs of one decision; now_s is the time of the decision on any monotonic clock."""

    now_s: float
    link: Reading[Link] = Reading()
    battery: Reading[Battery] = Reading()
    thermal: Reading[Thermal] = Reading()
    power_w: Reading[float] = Reading()
    armed: Reading[bool] = Reading()
    advisor: Reading[Verdict] = Reading()
    attack_class: Reading[str] = Reading()  # that the verdict names; see policy/responses.py
    session: Reading[Session] = Reading()
    phase: Reading[Phase] = Reading()
    computer: Reading[Computer] = Reading()
    held: Held | None = None  # by the operator
    warned: Reading[bool] = Reading()  # another drone of the fleet reports an attack

    def known(self, limit_s: float) -> frozenset[str]:
        """Return the names of the inputs that have a value which is at most limit_s old."""
        found = []
        for name, content in _CONTENTS:
            value = getattr(self, name).fresh(limit_s)
            if content and value is not None:
                value = getattr(value, content)
            if value is None or value == "" or (isinstance(value, float) and not isfinite(value)):
                continue
            found.append(name)
        return frozenset(found)
