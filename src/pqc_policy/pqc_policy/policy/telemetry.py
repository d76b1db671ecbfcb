# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turns received messages into the inputs of a decision; the node and replay share it.

The inputs at a time are the newest message of each topic with a stamp until then. The order of
arrival makes no difference, as long as a message has arrived before the inputs are requested: a
recording gives the same inputs as the flight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pqc_policy.policy.inputs import (
    REFERENCE_CELLS,
    Battery,
    Computer,
    DecisionInput,
    Failure,
    Held,
    Link,
    Phase,
    Reading,
    Session,
    Thermal,
    Verdict,
    hold_request_fault,
    known,
)
from pqc_policy.policy.protection import Fetch, Layer
from pqc_policy.shown_text import shown

# So many messages of each topic are kept: some seconds of the fastest one.
BACKLOG = 256
NANOSECONDS = 1_000_000_000

STATUS = "status"
LINK = "link"
EVENTS = "events"
SUITES = "suites"
BATTERY = "battery"
VEHICLE = "vehicle"
THERMAL = "thermal"
POWER = "power"
ADVISOR = "advisor"
COMPUTER = "computer"
HELD = "held_suite"
WARNING = "fleet_warning"
PARAMETERS = "policy_parameters"  # of the policy itself, as a rcl_interfaces/ParameterEvent

# Constants of TunnelStatus, TunnelEvent, AdvisorVerdict, VehicleState and ComputerLoad.
_STATE_REKEYING = 4
_REKEY_FAILED, _ROLLBACK, _REFUSED = 7, 8, 13
_PHASES = dict(enumerate(Phase, start=1))
_THROTTLED = {1: False, 2: True}
_VERDICTS = {0: Verdict.CLEAR, 1: Verdict.SUSPICIOUS, 2: Verdict.ATTACK}

T = TypeVar("T")


def nanoseconds(stamp: Any) -> int:
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


class _Timeline(Generic[T]):
    """The values of one topic with their stamps; drops values that are no longer needed."""

    def __init__(self) -> None:
        self._values: deque[tuple[int, T]] = deque(maxlen=BACKLOG)

    def put(self, stamp_ns: int, value: T) -> None:
        self._values.append((stamp_ns, value))

    def newest(self, at_ns: int) -> tuple[int, T] | None:
        """Return the value with the newest stamp until a time; of equal stamps the latest."""
        best: tuple[int, T] | None = None
        for entry in self._values:
            if entry[0] <= at_ns and (best is None or entry[0] >= best[0]):
                best = entry
        if best is not None and len(self._values) > 1:
            later = [entry for entry in self._values if entry[0] > at_ns]
            self._values = deque([best, *later], maxlen=BACKLOG)
        return best

    def until(self, at_ns: int) -> list[T]:
        """Remove and return the values with a stamp until a time, ordered by stamp."""
        due = [entry for entry in self._values if entry[0] <= at_ns]
        if due:
            later = [entry for entry in self._values if entry[0] > at_ns]
            self._values = deque(later, maxlen=BACKLOG)
        return [value for _, value in sorted(due, key=lambda entry: entry[0])]

    def forget_after(self, at_ns: int) -> None:
        kept = (entry for entry in self._values if entry[0] <= at_ns)
        self._values = deque(kept, maxlen=BACKLOG)


@dataclass(frozen=True, slots=True)
class _LinkView:
    link: Link | None  # None: no report of the peer
    age_s: float = 0.0  # of the peer's report when the message was stamped


@dataclass(frozen=True, slots=True)
class _Suites:
    unusable: frozenset[str]
    blacklisted: tuple[tuple[str, int], ...]  # suite and until when, in ns

    def later_by(self, shift_ns: int) -> _Suites:
        moved = tuple((suite, until_ns + shift_ns) for suite, until_ns in self.blacklisted)
        return _Suites(self.unusable, moved)

    def barred(self, at_ns: int) -> frozenset[str]:
        return self.unusable | {suite for suite, until_ns in self.blacklisted if until_ns > at_ns}


@dataclass(frozen=True, slots=True)
class _Judged:
    verdict: Verdict
    attack_class: str | None  # None: the verdict names none


@dataclass(frozen=True, slots=True)
class _Vehicle:
    armed: bool
    phase: Phase | None


class Telemetry:
    """Takes messages of TOPICS, from ROS or from a recording."""

    def __init__(self, of_stamp: Callable[[int], int | None] = int) -> None:
        """`of_stamp` returns the time of a stamp, in ns, on a message that has just arrived.

        None refuses the message.
        """
        self._of_stamp = of_stamp
        self._timelines: dict[str, _Timeline[Any]] = {topic: _Timeline() for topic in TOPICS}
        self._failures = 0
        self._failure: Failure | None = None

    def take(self, topic: str, message: Any) -> bool:
        """Take a message of the topic whose name ends in `topic`; other topics are ignored.

        Returns False for a message whose stamp is refused.
        """
        read = _READERS.get(topic)
        if read is None:
            return True
        stamp_ns = nanoseconds(message.stamp)
        time_ns = self._of_stamp(stamp_ns)
        if time_ns is None:
            return False
        value = read(message)
        if value is None:
            return True
        if isinstance(value, _Suites):
            value = value.later_by(time_ns - stamp_ns)
        self._timelines[topic].put(time_ns, value)
        return True

    def inputs(self, at_ns: int) -> DecisionInput:
        """Return the inputs at a time, which must not be earlier than the previous one."""
        for failure in self._timelines[EVENTS].until(at_ns):
            self._failures += 1
            self._failure = replace(failure, count=self._failures)
        vehicle: Reading[_Vehicle] = self._reading(VEHICLE, at_ns)
        judged: Reading[_Judged] = self._reading(ADVISOR, at_ns)
        return DecisionInput(
            now_s=at_ns / NANOSECONDS,
            link=self._link(at_ns),
            battery=self._reading(BATTERY, at_ns),
            thermal=self._reading(THERMAL, at_ns),
            power_w=self._reading(POWER, at_ns),
            armed=_part(vehicle, lambda state: state.armed),
            advisor=_part(judged, lambda view: view.verdict),
            attack_class=_part(judged, lambda view: view.attack_class),
            session=self._session(at_ns),
            phase=_part(vehicle, lambda state: state.phase),
            computer=self._reading(COMPUTER, at_ns),
            held=self._held(at_ns),
            warned=self._reading(WARNING, at_ns),
        )

    def forget_after(self, at_ns: int) -> None:
        """Drop values with a stamp after a time, and all failures: the clock was set back."""
        for timeline in self._timelines.values():
            timeline.forget_after(at_ns)
        self._failures, self._failure = 0, None

    def _reading(self, topic: str, at_ns: int) -> Reading[Any]:
        newest = self._timelines[topic].newest(at_ns)
        if newest is None:
            return Reading()
        stamp_ns, value = newest
        return Reading(value, (at_ns - stamp_ns) / NANOSECONDS)

    def _link(self, at_ns: int) -> Reading[Link]:
        reading: Reading[_LinkView] = self._reading(LINK, at_ns)
        view = reading.value
        if view is None or view.link is None:
            return Reading()
        return Reading(view.link, reading.age_s + view.age_s)

    def _held(self, at_ns: int) -> Held | None:
        reading: Reading[tuple[str, float]] = self._reading(HELD, at_ns)
        if reading.value is None or not reading.value[0] or reading.age_s >= reading.value[1]:
            return None
        suite, seconds = reading.value
        return Held(suite, at_ns / NANOSECONDS + seconds - reading.age_s)

    def _session(self, at_ns: int) -> Reading[Session]:
        reading: Reading[Session] = self._reading(STATUS, at_ns)
        if reading.value is None:
            return Reading()
        suites: Reading[_Suites] = self._reading(SUITES, at_ns)
        barred = suites.value.barred(at_ns) if suites.value is not None else frozenset()
        session = replace(reading.value, blacklisted=barred, failure=self._failure)
        return Reading(session, reading.age_s)


def _read_link(message: Any) -> _LinkView:
    if not message.remote_valid:
        return _LinkView(None)
    view = message.remote
    rate_bytes_s, rate_source = _slowest(message.paths)
    link = numbers_of(
        Link,
        view,
        blackouts=int(view.blackouts),
        rtt_s=known(float(message.rtt_s)) if message.clock_valid else None,
        rate_bytes_s=rate_bytes_s,
        rate_source=rate_source,
    )
    return _LinkView(link, known(float(message.remote_age_s)) or 0.0)


def _slowest(paths: Iterable[Any]) -> tuple[float | None, str]:
    """Return the rate of the slowest link of known rate that carries data, and where it is from."""
    rates = [(float(path.rate_bytes_s), shown(path.rate_source)) for path in paths if path.carries]
    measured = [(rate, source) for rate, source in rates if known(rate) and rate > 0]
    return min(measured) if measured else (None, "")


def _read_status(message: Any) -> Session:
    key_age_s = known(float(message.key_age_s))
    return Session(
        suite=shown(message.suite),
        epoch=int(message.epoch),
        key_age_s=key_age_s if key_age_s is not None and key_age_s >= 0 else None,
        ratchets=int(message.ratchets),
        rekeying=int(message.state) == _STATE_REKEYING,
        # Recordings of earlier versions have none of these.
        layers=tuple(map(read_layer, getattr(message, "layers", ()))),
        anchor=shown(getattr(message, "anchor", "")),
        fetches=tuple(map(read_fetch, getattr(message, "fetches", ()))),
    )


def read_layer(message: Any) -> Layer:
    names = (message.family, message.form, message.kem, message.key)
    return Layer(*map(shown, names), age_s=known(float(message.age_s)) or 0.0)


def read_fetch(message: Any) -> Fetch:
    """Return the costs of a key of pqc_msgs/KemFetch; a time that is negative is unknown."""
    fetch_s, rekey_s, progress = (
        float(value) if known(float(value)) is not None and value >= 0 else None
        for value in (message.fetch_s, message.rekey_s, message.progress)
    )
    return Fetch(
        suite=shown(message.suite),
        fetch_bytes=int(message.fetch_bytes),
        rekey_bytes=int(message.rekey_bytes),
        fetch_s=fetch_s,
        rekey_s=rekey_s,
        ready=bool(message.ready),
        progress=progress,
    )


def _read_suites(message: Any) -> _Suites:
    return _Suites(
        unusable=frozenset(s.id for s in message.suites if not (s.available and s.allowed)),
        blacklisted=tuple(
            (s.id, until_ns)
            for s in message.suites
            if (until_ns := nanoseconds(s.blacklisted_until)) > 0
        ),
    )


def _read_event(message: Any) -> Failure | None:
    """Return the failure of a rekey, not counted yet; None for any other event."""
    kind = int(message.kind)
    if kind not in (_REKEY_FAILED, _ROLLBACK, _REFUSED) or not message.suite:
        return None
    reason = shown(message.text).rstrip(".")
    return Failure(0, shown(message.suite), reason, authenticated=kind == _ROLLBACK)


def _read_vehicle(message: Any) -> _Vehicle:
    return _Vehicle(bool(message.armed), _PHASES.get(int(message.phase)))


def _read_verdict(message: Any) -> _Judged | None:
    verdict = _VERDICTS.get(int(message.verdict))
    named = shown(message.attack_class) or None
    return None if verdict is None else _Judged(verdict, named)


def _read_held(message: Any) -> tuple[str, float] | None:
    """Return the hold; None for one that no policy has accepted, as only a foreign node sends."""
    suite, seconds = str(message.suite), float(message.seconds)
    return (suite, seconds) if hold_request_fault(suite, seconds) is None else None


def _part(reading: Reading[Any], of: Callable[[Any], T | None]) -> Reading[T]:
    """Return a part of a message with its age; one without that part is missing."""
    value = of(reading.value) if reading.value is not None else None
    return Reading() if value is None else Reading(value, reading.age_s)


def numbers_of(kind: type[T], message: Any, prefix: str = "", **others: Any) -> T:
    """Return an input whose fields, except `others`, are numbers of these names in a message."""
    names = (name for name in kind.__dataclass_fields__ if name not in others)
    return kind(**{name: known(float(getattr(message, prefix + name))) for name in names}, **others)


_READERS: dict[str, Callable[[Any], Any]] = {
    STATUS: _read_status,
    LINK: _read_link,
    EVENTS: _read_event,
    SUITES: _read_suites,
    BATTERY: lambda message: numbers_of(
        Battery, message, cells=int(message.cells) or REFERENCE_CELLS
    ),
    VEHICLE: _read_vehicle,
    THERMAL: lambda message: numbers_of(Thermal, message),
    POWER: lambda message: known(float(message.power_w)),
    ADVISOR: _read_verdict,
    COMPUTER: lambda message: numbers_of(
        Computer, message, throttled=_THROTTLED.get(int(message.throttled))
    ),
    HELD: _read_held,
    WARNING: lambda _: True,
}
TOPICS = tuple(_READERS)
