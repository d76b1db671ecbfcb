# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The values of --vehicle: a serial device, or a command."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import name_of

PORT = "{port}"
_BAUD = 57600


def is_device(vehicle: str) -> bool:
    """Return whether the text names a serial device, and no command."""
    return vehicle.startswith("/dev/") and " " not in vehicle


def device_and_baud(vehicle: str) -> tuple[str, int]:
    """Return path and rate of DEVICE or DEVICE,BAUD; RunFault if the rate is no number."""
    path, _, baud = vehicle.partition(",")
    if baud and not baud.isdigit():
        raise RunFault(f"'{baud}' is no baud rate of the vehicle {path}")
    return path, int(baud or _BAUD)


def check_vehicle(vehicle: str, *, here: bool = True) -> None:
    """Raise RunFault for a vehicle that can't be: no rate, no program, or no port for it.

    With `here` its device or its program has to be on this computer.
    """
    if is_device(vehicle):
        path, _ = device_and_baud(vehicle)
        if here:
            _check_device(Path(path))
        return
    words = vehicle_words(vehicle)
    if here and shutil.which(words[0]) is None:
        raise RunFault(
            f"there is no program '{words[0]}' for the vehicle: install it, or give its whole path"
        )
    if PORT not in vehicle:
        raise RunFault(
            f"the vehicle's command needs {PORT}, the UDP port of this machine that its MAVLink "
            "goes to"
        )


def _check_device(device: Path) -> None:
    if not device.exists():
        raise RunFault(
            f"there is no device {device} for the vehicle: connect it, or enable the serial port"
        )
    if not os.access(device, os.R_OK | os.W_OK):
        raise RunFault(
            f"{device} may not be read and written: 'sudo usermod -aG {device.group()} $USER', "
            "then log in again"
        )
    if holder := _holder(device):
        raise RunFault(f"{device} is open in {holder}, which would read parts: end that first")


def _holder(device: Path) -> str:
    """Return the name of another program that has the device open; nothing if none is seen."""
    where = os.path.realpath(device)
    for opened in Path("/proc").glob("[0-9]*/fd/*"):
        pid = int(opened.parts[2])
        with contextlib.suppress(OSError):
            if pid != os.getpid() and os.readlink(opened) == where:
                return name_of(pid)
    return ""


def vehicle_words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise RunFault(f"'{command}' isn't a command of a vehicle: {error}") from error
    if not words:
        raise RunFault("--vehicle names neither a device nor a program")
    return words
