# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Files of external meters: CSV with time, voltage and current, whose units are in the headings.

Joulescope, Otii and AvHzY export this with other names, units and delimiters. A file without
headings has Joulescope's columns: time (s), current (A), voltage (V).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from pqc_bench.power.trace import Array, Trace, TraceFault

# A comma may be that of a decimal.
_DELIMITERS = "\t;,"
_NAMES = {
    "time": re.compile(r"time|timestamp|elapsed|t"),
    "current": re.compile(r"(main |arc |ace )*(current|curr|amps?|ampere|ibus|i)"),
    "voltage": re.compile(r"(main |arc |ace )*(voltage|volts?|vbus|v|u)"),
    "power": re.compile(r"(main |arc |ace )*(power|watts?|p)"),
}
_SCALES = {"": 1.0, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9, "k": 1e3}
_UNITS = {"time": "s", "current": "a", "voltage": "v", "power": "w"}
_HEADING = re.compile(r"#?\s*(?P<name>[^(\[]*?)[\s_]*(?:[(\[](?P<unit>[^)\]]*)[)\]])?\s*")
_HEADLESS = {"time": 0, "current": 1, "voltage": 2}


@dataclass(frozen=True)
class _Column:
    place: int
    scale: float


def read_meter(path: Path, volts: float | None = None) -> Trace:
    """Return a meter's file as a trace in its own time; TraceFault if it can't be understood.

    `volts` is the voltage of a supply that the file doesn't have.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TraceFault(f"{path} can't be read: {error}") from error
    for delimiter in _DELIMITERS:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
        columns, first = _columns(rows)
        if columns:
            break
    else:
        raise TraceFault(f"{path} has no headings of time and current")
    comma = delimiter != ","
    try:
        values = {
            what: column.scale * _numbers([row[column.place] for row in rows[first:]], comma)
            for what, column in columns.items()
        }
    except (IndexError, ValueError) as error:
        raise TraceFault(f"{path} has a row that isn't of numbers: {error}") from error
    if "power" in values:
        watts = values["power"]
    elif "voltage" in values or volts is not None:
        watts = values["current"] * values.get("voltage", volts)
    else:
        raise TraceFault(f"{path} has no voltage: give that of the supply")
    return _trace(path, values["time"], watts)


def _trace(path: Path, at_s: Array, watts: Array) -> Trace:
    if len(at_s) < 2 or bool(np.any(np.diff(at_s) <= 0.0)):
        raise TraceFault(f"{path} has times that do not rise")
    steps = np.diff(at_s)
    interval_s = float(np.median(steps))
    missed = np.concatenate([[0.0], np.maximum(np.rint(steps / interval_s) - 1.0, 0.0)])
    differences = np.abs(np.diff(watts))
    moved = differences[differences > 0.0]
    facts = {
        "source": "meter",
        "sensor": "meter",
        "rate_hz": f"{1.0 / interval_s:.9g}",
        "ended": "stopped",
        **({"step_w": f"{moved.min():.9g}"} if len(moved) else {}),
    }
    return Trace(at_s - at_s[0], watts, missed, facts)


def _columns(rows: Sequence[Sequence[str]]) -> tuple[dict[str, _Column], int]:
    """Return where the quantities are, if they are, and the number of the first row of values."""
    for number, row in enumerate(rows[:50]):
        found: dict[str, _Column] = {}
        for place, text in enumerate(row):
            known = _known(text)
            if known is not None:
                found.setdefault(known[0], _Column(place, known[1]))
        if "time" in found and {"current", "power"} & set(found):
            return found, number + 1
    if rows and len(rows[0]) == len(_HEADLESS) and all(map(_is_number, rows[0])):
        return {what: _Column(place, 1.0) for what, place in _HEADLESS.items()}, 0
    return {}, 0


def _known(heading: str) -> tuple[str, float] | None:
    """Return the quantity of a heading, and the scale of its unit; None if it is another one."""
    match = _HEADING.fullmatch(heading.strip().lower())
    if match is None:
        return None
    name, unit = match["name"], match["unit"] or ""
    if not unit and (suffix := re.fullmatch(r"(.+?)[_ ]([munµ]?[savw])", name)):
        name, unit = suffix.groups()
    for what, pattern in _NAMES.items():
        if pattern.fullmatch(name.replace("_", " ").strip()):
            base = _UNITS[what]
            if unit in ("", "sec", "seconds"):
                return what, 1.0
            if unit.endswith(base) and unit.removesuffix(base) in _SCALES:
                return what, _SCALES[unit.removesuffix(base)]
    return None


def _numbers(texts: Sequence[str], comma: bool) -> Array:
    """Return numbers, or the seconds of times of day."""
    if comma:
        texts = [text.replace(",", ".") for text in texts]
    if texts and re.match(r"\s*\d+[-/]\d+[-/]\d+", texts[0]):
        stamps = [datetime.fromisoformat(text.strip().replace("/", "-")) for text in texts]
        return np.array([(stamp - stamps[0]).total_seconds() for stamp in stamps])
    return np.array([float(text) for text in texts])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
