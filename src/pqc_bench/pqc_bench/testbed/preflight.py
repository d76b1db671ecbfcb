# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What must be right at both ends before the first cell: a table, each fault with its mend."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary

from pqc_bench.cell.cell import MAVPROXY
from pqc_bench.cell.observed import ENDS
from pqc_bench.cell.vehicle_option import is_device, vehicle_words
from pqc_bench.testbed.bed_cell import BedRun
from pqc_bench.testbed.end_cell import RESULT
from pqc_bench.testbed.fixed_clock import GOVERNOR
from pqc_bench.testbed.host import LOCAL, HostLostError

_MIB = 1 << 20
# The oldest Python that the program at an end knows.
_PYTHON = (3, 11)
# Wall clocks that differ by more make logs hard to compare; figures use the tunnel's comparison.
_CLOCKS_S = 1.0
_OK, _NOTE, _FAULT = "", "note: ", "FAULT: "
Plain = dict[str, Any]


class Row(NamedTuple):
    """A line of the table; `mend` is what to do about a fault or a note."""

    name: str
    values: tuple[str, str]
    verdict: str = _OK
    mend: str = ""


def preflight(
    bed: BedRun,
    room_bytes: int,
    *,
    fix_clock: bool,
    stressed: bool,
    detectors: Sequence[str] = (),
    loads: Sequence[str] = (),
    vehicle: str = "",
) -> tuple[list[str], bool]:
    """Return the lines of the table of a pair, and whether a run may begin.

    `room_bytes` is what the longest cell may record at an end; `stressed`: the drone's computer
    needs stress-ng; `detectors` run there. `loads` and `vehicle` need programs at the ends.
    """
    facts: dict[str, Plain] = {}
    rows: list[Row] = []
    for end in ENDS:
        try:
            facts[end] = _facts(bed, end, vehicle if end == "drone" else "")
        except RunFault as fault:
            rows.append(_unreached(bed, end, fault))
    if not rows:
        rows += _compared(bed, facts, room_bytes, fix_clock=fix_clock)
        rows += programs_of_loads(facts, loads, vehicle)
        if stressed and not facts["drone"]["stress_ng"]:
            rows.append(Row("stress-ng", ("-", ""), _FAULT, "'apt install stress-ng' at the drone"))
    if not any(row.verdict == _FAULT for row in rows):
        rows += [_detector(bed, name) for name in detectors]
    if not any(row.verdict == _FAULT for row in rows):
        rows.append(_ping(bed))
    return _table(bed, rows), not any(row.verdict == _FAULT for row in rows)


def _facts(bed: BedRun, end: str, vehicle: str) -> Plain:
    far = bed.ends[end]
    far.prepare()
    before_ns = time.time_ns()
    found = far.facts(vehicle)
    # The question took a while; its middle is the best guess of when it was answered.
    return {**found, "ahead_s": (found["time_ns"] - (before_ns + time.time_ns()) / 2) / 1e9}


def _unreached(bed: BedRun, end: str, fault: RunFault) -> Row:
    place = bed.bed.place(end)
    values = tuple("-" if one != end else place.host for one in ENDS)
    if isinstance(fault, HostLostError):
        mend = f"'ssh {place.host} true' has to work without a question"
    else:
        mend = f"'{place.python}' of {_PYTHON[0]}.{_PYTHON[1]} and 'tar' have to be there"
    return Row("connection", (values[0], values[1]), _FAULT, f"{fault}: {mend}")


def _compared(
    bed: BedRun, facts: dict[str, Plain], room_bytes: int, *, fix_clock: bool
) -> Iterator[Row]:
    def both(show: Callable[[Plain], str]) -> tuple[str, str]:
        return show(facts["drone"]), show(facts["gcs"])

    yield _version(bed, facts)
    yield Row("architecture", both(lambda one: one["architecture"]))
    yield Row("kernel", both(lambda one: one["kernel"]))
    old = [end for end in ENDS if _number(facts[end]["python"]) < _PYTHON]
    pythons = both(lambda one: one["python"])
    at_least = f"{_PYTHON[0]}.{_PYTHON[1]}"
    mend = f"'python: python{at_least}' in the file names another one"
    yield Row("Python", pythons, _FAULT if old else _OK, mend if old else "")
    clocks = both(lambda one: f"{one['ahead_s']:+.2f} s")
    apart = max(abs(one["ahead_s"]) for one in facts.values()) > _CLOCKS_S
    mend = "'timedatectl set-ntp true' there; delays use the tunnel's own comparison"
    yield Row("wall clock", clocks, _NOTE if apart else _OK, mend if apart else "")
    yield from _clock_of_cpu(facts, fix_clock=fix_clock)
    full = [end for end in ENDS if facts[end]["free_bytes"] < room_bytes]
    mend = (
        f"free {room_bytes // _MIB} MiB at the {' and the '.join(full)}, or give another 'folder'"
    )
    room = both(lambda one: f"{one['free_bytes'] // _MIB} MiB")
    yield Row("room", room, _FAULT if full else _OK, mend if full else "")
    kept = both(lambda one: "in memory" if one["keys_in_memory"] else "on disk")
    disk = "on disk" in kept
    mend = "without /dev/shm keys are overwritten on the disk, which may keep copies"
    yield Row("keys", kept, _NOTE if disk else _OK, mend if disk else "")
    sensor = both(lambda one: one["sensor"] or "none")
    none = "none" in sensor[0]
    mend = "no power is measured at the drone"
    yield Row("power sensor", sensor, _NOTE if none else _OK, mend if none else "")


def programs_of_loads(facts: dict[str, Plain], loads: Sequence[str], vehicle: str) -> Iterator[Row]:
    """Yield the rows of MAVProxy and of a vehicle, as far as the loads need them."""
    if MAVPROXY in loads:
        places = [facts[end]["mavproxy"] for end in ENDS]
        row = Row("MAVProxy", (places[0] or "-", places[1] or "-"))
        lacking = [end for end, place in zip(ENDS, places, strict=True) if not place]
        mend = (
            f"'pip install MAVProxy' at the {' and the '.join(lacking)}, in an environment whose "
            "Python the file names as 'python', or whose mavproxy.py is on the PATH there"
        )
        yield row._replace(verdict=_FAULT, mend=mend) if lacking else row
    if not vehicle or not set(loads) - {"blaster"}:
        return
    trouble = facts["drone"]["vehicle_trouble"]
    yield Row("vehicle", (vehicle_words(vehicle)[0], ""), _FAULT if trouble else _OK, trouble)
    if is_device(vehicle) and "mavlink" in loads and not facts["drone"]["pyserial"]:
        yield Row("pyserial", ("-", ""), _FAULT, "'apt install python3-serial' at the drone")


def _version(bed: BedRun, facts: dict[str, Plain]) -> Row:
    versions = tuple(facts[end]["version"] or facts[end]["trouble"] for end in ENDS)
    row = Row("version", (versions[0], versions[1]))
    for end in ENDS:
        if not facts[end]["version"]:
            return row._replace(verdict=_FAULT, mend=_install(bed, end))
    if versions[0] != versions[1]:
        far = next((end for end in ENDS if bed.bed.place(end).host != LOCAL), "drone")
        return row._replace(verdict=_FAULT, mend=f"both ends need one: {_install(bed, far)}")
    return row


def _install(bed: BedRun, end: str) -> str:
    host = bed.bed.place(end).host
    if host == LOCAL:
        return f"'./dev plain FOLDER' makes one for the {end}; name it as 'programs'"
    return f"'pqc deploy {host}', or the Debian package there"


def _clock_of_cpu(facts: dict[str, Plain], *, fix_clock: bool) -> Iterator[Row]:
    names = [", ".join(facts[end]["governors"]) or "unknown" for end in ENDS]
    row = Row("governor", (names[0], names[1]))
    if fix_clock:
        refused = [end for end in ENDS if not facts[end]["clock_settable"]]
        if refused:
            mend = (
                f"only root may set it, at the {' and the '.join(refused)}; leave out --fix-clock"
            )
            row = row._replace(verdict=_FAULT, mend=mend)
    elif any(name not in (GOVERNOR, "unknown") for name in names):
        row = row._replace(verdict=_NOTE, mend="'--fix-clock' as root holds the clock")
    yield row


def _detector(bed: BedRun, name: str) -> Row:
    trouble = bed.ends["drone"].detector_trouble(name)
    row = Row(f"detector {name}", (trouble or "ready", ""))
    if not trouble:
        return row
    mend = "'apt install python3-numpy' at the drone, or 'python' names one that has it"
    return row._replace(verdict=_FAULT, mend=mend if trouble == "no numpy" else trouble)


def _ping(bed: BedRun) -> Row:
    try:
        with tempfile.TemporaryDirectory(prefix="pqc-ping-") as folder:
            bed.ping(Path(folder), DEFAULT_SUITE)
            echoes = (read_summary(Path(folder) / "drone" / RESULT) or {})["echoes"]
        trips_ms = [1000.0 * echo["rtt_s"] for echo in echoes if echo["success"]]
    except RunFault as fault:
        places = [bed.bed.place(end) for end in ENDS]
        ports = " and ".join(f"{place.address}:{place.port}" for place in places)
        return Row("ping", ("-", "-"), _FAULT, f"{fault}: does UDP pass between {ports}?")
    if not trips_ms:
        return Row("ping", ("-", "-"), _FAULT, "no echo came back through the tunnel")
    words = f"{median(trips_ms):.2f} ms, {len(trips_ms)} of {len(echoes)}"
    return Row("ping through the tunnel", (words, ""))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def _table(bed: BedRun, rows: list[Row]) -> list[str]:
    head = [bed.bed.name, *(f"{end} ({bed.bed.place(end).host})" for end in ENDS)]
    cells = [head, *([row.name, *row.values] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(3)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
        for line in cells
    ]
    for number, row in enumerate(rows, 1):
        if row.verdict:
            lines[number] += f"  {row.verdict}{row.mend}"
    return [line.rstrip() for line in lines]
