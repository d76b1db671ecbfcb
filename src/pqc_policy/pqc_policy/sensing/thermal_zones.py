# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads temperatures from /sys/class/thermal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pqc_policy.sensing.sysfs import read_int, read_text

# A value outside means a broken or unconnected sensor.
_PLAUSIBLE_C = (-40.0, 150.0)


@dataclass(frozen=True, slots=True)
class Zone:
    """One thermal zone."""

    name: str  # its type, or the folder's name
    temperature_c: float


def read_zones(sys: Path) -> tuple[Zone, ...]:
    """Return every zone with a plausible temperature, ordered by number."""
    zones: list[Zone] = []
    for folder in sorted(
        (sys / "class" / "thermal").glob("thermal_zone*"), key=lambda f: (len(f.name), f.name)
    ):
        milli_c = read_int(folder / "temp")
        if milli_c is None or not _PLAUSIBLE_C[0] <= milli_c / 1000.0 <= _PLAUSIBLE_C[1]:
            continue
        zones.append(Zone(read_text(folder / "type") or folder.name, milli_c / 1000.0))
    return tuple(zones)


def hottest(zones: tuple[Zone, ...]) -> Zone | None:
    """Return the hottest zone; None if there is none."""
    return max(zones, key=lambda zone: zone.temperature_c, default=None)
