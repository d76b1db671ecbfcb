# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.testbed.end_program`: what a run asks of one end, a command each.

facts PROGRAMS SYS VEHICLE
                  what this computer is and can, as JSON
detector NAME     why that detector can't judge on this computer, or nothing
keys FOLDER       makes a folder for a cell's keys in memory, and prints it
run FOLDER        runs a cell (end_cell.py)
wait FOLDER PHASE SECONDS
                  waits until the cell is in that phase, or has ended; prints its state as JSON
stop FOLDER RUN   ends a cell of this run that still runs, and wipes its keys
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pqc_policy.sensing.computer.power_meter import PowerPlaces, find_power
from pqc_policy.shown_text import Fault
from pqc_sim.demo.mavproxy import find_mavproxy
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary

from pqc_bench.cell.vehicle_option import check_vehicle
from pqc_bench.collectors.disturbance import snapshot
from pqc_bench.power.capture import PROGRAM
from pqc_bench.testbed.end_cell import ENDED, KEYS, PHASES, STATE, EndCell, boot_id, wipe
from pqc_bench.testbed.traffic_log import now_ns

_IN_MEMORY = Path("/dev/shm")
_POLL_S, _STOP_S = 0.2, 60.0
_CPUFREQ = "devices/system/cpu/cpu0/cpufreq/scaling_governor"


def facts(programs: str, sys_root: str, vehicle: str) -> dict[str, Any]:
    """Return what the preflight asks; the folder of the run is the working folder."""
    program, root = Path(programs).expanduser() / "pqc_tunneld", Path(sys_root)
    try:
        told = subprocess.run(
            [str(program), "--version"], capture_output=True, text=True, check=False
        )
        version, trouble = told.stdout.strip(), told.stderr.strip()
    except OSError as error:
        version, trouble = "", error.strerror or str(error)
    found = find_power(PowerPlaces(sys_root=root))
    can_record = (program.parent / PROGRAM).exists()
    governor = root / _CPUFREQ
    return {
        "version": version,
        "trouble": trouble,
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "kernel": platform.release(),
        "time_ns": time.time_ns(),
        "boot_ns": now_ns(),
        "governors": snapshot(root)["governors"],
        "free_bytes": shutil.disk_usage(".").free,
        "sensor": str(getattr(found, "source", found)) if found and can_record else None,
        "root": os.geteuid() == 0,
        "clock_settable": governor.exists() and os.access(governor, os.W_OK),
        "keys_in_memory": os.access(_IN_MEMORY, os.W_OK),
        "stress_ng": shutil.which("stress-ng") is not None,
        **_programs_of_load(vehicle),
    }


def _programs_of_load(vehicle: str) -> dict[str, Any]:
    """Return the place of MAVProxy, whether pyserial is there, and what a vehicle lacks."""
    mavproxy, trouble = "", ""
    with contextlib.suppress(RunFault):
        mavproxy = find_mavproxy()[-1]
    try:
        # The load begins it there.
        with contextlib.chdir(Path.home()):
            if vehicle:
                check_vehicle(vehicle)
    except RunFault as fault:
        trouble = str(fault)
    serial = find_spec("serial") is not None
    return {"mavproxy": mavproxy, "pyserial": serial, "vehicle_trouble": trouble}


def detector(name: str) -> str:
    """Return why a detector can't judge here, or nothing."""
    try:
        from pqc_bench.load.status_detector import advisor_with

        advisor_with(name)
    except ModuleNotFoundError as missing:
        return f"no {missing.name}"
    except Fault as fault:
        return str(fault)
    return ""


def keys(folder: Path) -> str:
    """Make a folder for the keys of a cell, in memory where that is possible.

    The cell's folder names it first, so that nothing is left of a call whose answer gets lost.
    """
    name = folder / KEYS
    if not name.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
        new = folder / f".{KEYS}"
        new.write_text(str(place / f"pqc-keys-{secrets.token_hex(8)}"), encoding="utf-8")
        new.replace(name)
    place = Path(name.read_text(encoding="utf-8"))
    place.mkdir(mode=0o700, exist_ok=True)
    return str(place)


def wait(folder: Path, phase: str, seconds: float) -> dict[str, Any]:
    """Return the state of a cell; `gone` says that its program has ended without a word."""
    deadline = time.monotonic() + seconds
    while True:
        state = read_summary(folder / STATE) or {"phase": "", "fault": "", "boot": "", "pid": 0}
        over = PHASES.index(state["phase"]) >= PHASES.index(phase)
        gone = bool(state["pid"]) and state["phase"] != ENDED and not _runs(state)
        if over or gone or time.monotonic() > deadline:
            return {**state, "gone": gone, "booted": boot_id()}
        time.sleep(_POLL_S)


def stop(folder: Path, run: str) -> str:
    """End a cell and wipe its keys; return why not, or nothing."""
    state = read_summary(folder / STATE)
    if state is not None and _runs(state):
        if state["run"] != run:
            return "another run uses this folder: give each its own, or wait"
        with contextlib.suppress(ProcessLookupError):
            os.kill(state["pid"], signal.SIGTERM)
        deadline = time.monotonic() + _STOP_S
        while _runs(state):
            if time.monotonic() > deadline:
                return "the cell before does not end"
            time.sleep(_POLL_S)
    with contextlib.suppress(FileNotFoundError):
        wipe(Path((folder / KEYS).read_text(encoding="utf-8")))
    return ""


def _runs(state: dict[str, Any]) -> bool:
    """Tell whether the program of a state runs: a process of its number may be another one."""
    if state["boot"] != boot_id() or state["phase"] == ENDED:
        return False
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{state['pid']}/cmdline").read_bytes().split(b"\0")
        return __spec__.name.encode() in words
    return False


def main() -> int:
    """Run a command."""
    command, *rest = sys.argv[1:]
    if command == "facts":
        print(json.dumps(facts(*rest)))
    elif command == "detector":
        print(detector(rest[0]))
    elif command == "keys":
        print(keys(Path(rest[0])))
    elif command == "run":
        EndCell(Path(rest[0]).resolve()).run()
    elif command == "wait":
        print(json.dumps(wait(Path(rest[0]), rest[1], float(rest[2]))))
    elif command == "stop":
        trouble = stop(Path(rest[0]), rest[1])
        if trouble:
            print(trouble, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
