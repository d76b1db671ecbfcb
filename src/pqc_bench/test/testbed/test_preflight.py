# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a load lacks at an end is a line of the preflight's table with its mend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pqc_bench.testbed import end_program
from pqc_bench.testbed.preflight import Row, programs_of_loads
from pqc_sim.demo import mavproxy


def rows(loads: list[str], vehicle: str) -> dict[str, Row]:
    """Return the rows by name of two ends that are this computer."""
    drone = end_program.facts("/usr/bin", "/sys", vehicle)
    gcs = end_program.facts("/usr/bin", "/sys", "")
    found = programs_of_loads({"drone": drone, "gcs": gcs}, loads, vehicle)
    return {row.name: row for row in found}


@pytest.mark.parametrize(
    ("vehicle", "mend"),
    [
        ("/dev/ttyNone7,921600", "no device /dev/ttyNone7 for the vehicle: connect it"),
        ("/dev/null", "/dev/null may not be read and written: 'sudo usermod -aG root $USER'"),
        ("no_such_autopilot {port}", "'no_such_autopilot' for the vehicle: install it"),
    ],
)
def test_a_vehicle_that_is_not_at_the_drone_is_a_fault_with_its_mend(
    vehicle: str, mend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: str(path) != "/dev/null" and access(path, mode)
    )
    row = rows(["mavlink"], vehicle)["vehicle"]
    assert row.verdict == "FAULT: "
    assert mend in row.mend


def test_mavproxy_and_pyserial_are_missed_where_a_load_needs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    master, device = os.openpty()
    path = os.ttyname(device)
    here = rows(["mavproxy", "mavlink"], path)
    assert [row.verdict for row in here.values()] == ["", ""]
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    for module in (mavproxy, end_program):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    missed = rows(["mavproxy", "mavlink"], path)
    assert missed["MAVProxy"].verdict == missed["pyserial"].verdict == "FAULT: "
    assert "'pip install MAVProxy' at the drone and the gcs" in missed["MAVProxy"].mend
    assert "'apt install python3-serial' at the drone" in missed["pyserial"].mend
    assert missed["vehicle"].verdict == ""
    # MAVProxy opens the line itself, and a blaster has no vehicle.
    assert "pyserial" not in rows(["mavproxy"], path)
    assert rows(["blaster"], path) == {}
    with subprocess.Popen(["/bin/sleep", "60"], stdin=device) as other:
        assert "is open in sleep" in rows(["mavlink"], path)["vehicle"].mend
        other.kill()
    for end in (master, device):
        os.close(end)
