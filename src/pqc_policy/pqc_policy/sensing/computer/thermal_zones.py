# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the temperature of the processor from /sys/class/thermal.

A computer has zones of other things, too: the power management chip of a Jetson says 100 °C for
ever, a modem and a battery have limits of their own. So zones are chosen by their type, and count
only once their temperature has changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from statistics import median_low

from pqc_policy.sensing.computer.patient_reads import PatientReads
from pqc_policy.sensing.computer.sysfs import numbered, read_int, read_text

# Raspberry Pi, Jetson, Rockchip, i.MX, Qualcomm, Allwinner, Amlogic, x86; then what many x86
# boards have beside or instead, which some firmware invents.
PROCESSOR = (
    "*cpu*|x86_pkg_temp|soc?thermal|package-thermal|bigcore*|littlecore*|imx_thermal*"
    "|bcm2835_thermal",
    "acpitz",
)
# A value outside means a broken or unconnected sensor.
_PLAUSIBLE_C = (-40.0, 150.0)
_READINGS = 3  # whose median counts; as many failures in a row end a zone
_PATIENCE = 10  # readings without a change after which a zone is no longer expected to change

_Ranks = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Zone:
    name: str  # its type, or the folder's name
    temperature_c: float


def processor_now(sys: Path) -> Zone | None:
    """Return the hottest zone of the processor from one reading of each; None if there is none."""
    names = _names(sys)
    readings = ((name, _celsius(read_int(folder / "temp"))) for folder, name in names.items())
    zones = [Zone(name, celsius) for name, celsius in readings if celsius is not None]
    return _hottest(_of_best_rank(zones, _split(PROCESSOR)))


@dataclass
class _History:
    """The readings of one zone; a single value among others changes nothing."""

    recent: deque[float] = field(default_factory=lambda: deque(maxlen=_READINGS))
    first_c: float | None = None
    changed: bool = False
    readings: int = 0
    failures: int = 0

    def take(self, milli_c: int | None) -> None:
        self.readings += 1
        celsius = _celsius(milli_c)
        if celsius is None:
            self.failures += 1
            if self.failures >= _READINGS:
                self.recent.clear()
            return
        self.failures = 0
        self.recent.append(celsius)
        if len(self.recent) == _READINGS:
            middle_c = median_low(self.recent)
            self.changed = self.changed or self.first_c not in (None, middle_c)
            self.first_c = middle_c if self.first_c is None else self.first_c

    @property
    def temperature_c(self) -> float | None:
        """The median of the newest readings; None while the zone doesn't count."""
        counts = self.changed and len(self.recent) == _READINGS
        return median_low(self.recent) if counts else None


class ThermalZones:
    """Follows the zones of the processor; `begin` and `hottest` are called periodically."""

    def __init__(
        self, sys: Path, ranks: Sequence[str] = PROCESSOR, reads: PatientReads | None = None
    ) -> None:
        """Take patterns of types, the preferred ones first; "|" is between those of one rank."""
        self._root = sys
        self._ranks = _split(ranks)
        self._reads = reads
        self._names: dict[Path, str] = {}
        self._histories: dict[Path, _History] = {}
        self.counting: tuple[str, ...] = ()  # names of the zones of which the hottest is taken
        # Why there is none, as the end of a sentence.
        self.problem = "the temperature has not been read yet"
        self.settling = False  # whether one is still expected to change

    def begin(self) -> None:
        self._names = _names(self._root)
        self._histories = {
            folder: self._histories.get(folder, _History())
            for folder, name in self._names.items()
            if any(_matches(name, rank) for rank in self._ranks)
        }
        if self._reads is not None:
            for folder in self._histories:
                self._reads.begin(str(folder), partial(read_int, folder / "temp"))

    def hottest(self) -> Zone | None:
        """Return the hottest zone of the first rank of which any counts.

        A zone whose read has not returned gives no temperature.
        """
        if self._reads is None:
            self.begin()
        names = self._names
        readings = {folder: self._read(folder) for folder in self._histories}
        working = [
            Zone(names[f], celsius) for f, celsius in readings.items() if celsius is not None
        ]
        zones = _of_best_rank(working, self._ranks)
        self.counting = tuple(zone.name for zone in zones)
        if zones:
            return _hottest(zones)
        self.problem = self._problem(names)
        self.settling = any(
            history.recent and not history.changed and history.readings < _PATIENCE
            for history in self._histories.values()
        )
        return None

    def _read(self, folder: Path) -> float | None:
        history, reads = self._histories[folder], self._reads
        history.take(read_int(folder / "temp") if reads is None else reads.take(str(folder)))
        return history.temperature_c

    def _problem(self, names: Mapping[Path, str]) -> str:
        if not names:
            return f"no thermal zone below {self._root}"
        if not self._histories:
            others = ", ".join(dict.fromkeys(names.values()))
            return f"no thermal zone below {self._root} is of a type in thermal.zones: {others}"
        states = (self._state(folder, names[folder]) for folder in self._histories)
        return f"no thermal zone of the processor can be used: {', '.join(states)}"

    def _state(self, folder: Path, name: str) -> str:
        history = self._histories[folder]
        if self._reads is not None and self._reads.hangs(str(folder)):
            return f"{name} does not answer"
        if history.changed or not history.recent:
            return f"{name} gives no temperature"
        if history.first_c is None:
            return f"{name} has only begun to be read"
        return f"{name} has not changed from {history.first_c:.1f} °C"


def _names(sys: Path) -> dict[Path, str]:
    folders = numbered(sys / "class" / "thermal", "thermal_zone*")
    return {folder: read_text(folder / "type") or folder.name for folder in folders}


def _celsius(milli_c: int | None) -> float | None:
    if milli_c is None or not _PLAUSIBLE_C[0] <= milli_c / 1000.0 <= _PLAUSIBLE_C[1]:
        return None
    return milli_c / 1000.0


def _split(ranks: Sequence[str]) -> _Ranks:
    return tuple(tuple(rank.lower().split("|")) for rank in ranks)


def _of_best_rank(zones: Sequence[Zone], ranks: _Ranks) -> list[Zone]:
    of_rank = ([zone for zone in zones if _matches(zone.name, rank)] for rank in ranks)
    return next(filter(None, of_rank), [])


def _hottest(zones: Sequence[Zone]) -> Zone | None:
    return max(zones, key=lambda zone: zone.temperature_c, default=None)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name.lower(), pattern) for pattern in patterns)
