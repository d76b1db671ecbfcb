# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs over two computers in small, and what goes wrong there."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pqc_bench.cell.cell import Cell
from pqc_bench.cost.sensors import Sensors
from pqc_bench.metrics import read_metrics
from pqc_bench.power.marks import read_marks
from pqc_bench.testbed.bed_cell import BedRun
from pqc_bench.testbed.bed_file import read_beds
from pqc_sim.pair.programs import tool_program, tunnel_program
from two_computers import ENDS, SSHD, TwoComputers, connections_of
from waiting import wait_for

LIMIT_S = 400.0
SUITE = "cs-mlkem768-aesgcm-mldsa65"
CELL = f"light/mavproxy/clean/{SUITE}"
VEHICLE = "pqc_sim.vehicle.vehicle_process --bind 127.0.0.1:0 --tunnel 127.0.0.1:{port}"
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not Path(SSHD).exists(), reason="needs root and openssh-server"
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoComputers]:
    """Both computers; their copies of the program are made and compiled once."""
    with contextlib.ExitStack() as stack:
        yield TwoComputers(tmp_path_factory.mktemp("lab"), stack)


def test_connections_that_break_cost_no_cell(lab: TwoComputers, tmp_path: Path) -> None:
    out = tmp_path / "run"
    killed: set[int] = set()
    # MAVProxy belongs to this Python, and the vehicle is a program at the drone.
    bed = lab.bed(**{end: {"python": sys.executable} for end in ENDS})
    vehicle = f"env PYTHONPATH={os.pathsep.join(sys.path)} {sys.executable} -m {VEHICLE}"
    words = ("--testbed", str(bed), "--suites", SUITE, "--load", "mavproxy", "--vehicle", vehicle)
    with matrix(out, *words, "--seconds", "1", "--repeat", "2", "--scenario", "light") as runner:

        def breaks_or_ended() -> bool:
            if len(killed) < 5 and (out / "cells").exists():
                for pid in set(connections_of(runner.pid)) - killed:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            return runner.poll() is not None

        wait_for(breaks_or_ended, LIMIT_S)
        output = runner.communicate()[0]
    assert runner.returncode == 0, output
    assert len(killed) >= 5
    cell = out / "cells" / CELL
    metrics = read_metrics(cell / "metrics.json")
    assert metrics["c_lifecycle"]["success"] is True
    assert metrics["d_handshake"]["success"] is True
    assert metrics["f_rekey"]["committed"] == 1
    assert metrics["k_mavlink_integrity"]["intact"] is True
    assert metrics["h_latency_jitter"]["round_trip"]["count"] > 0
    assert metrics["l_flight_controller"]["source"] == vehicle
    assert metrics["l_flight_controller"]["mode"] == "STABILIZE"
    for end in ("i_mavlink_drone", "j_mavlink_gcs"):
        assert metrics[end]["program"]["packets"] > 100
        assert metrics[end]["program"]["resident_mib"]["max"] > 10.0
    flags = {flag["name"] for flag in metrics["r_validation"]["flags"]}
    assert flags <= {"generator_behind", "dead_collector", "disturbed"}
    report = json.loads((cell / "drone" / "scenario.json").read_text(encoding="utf-8"))
    assert (report["kind"], report["faults"]) == ("trees", [])
    assert report["judged_bins"] > 0
    for end in ("drone", "gcs"):
        job = json.loads((cell / end / "job.json").read_text(encoding="utf-8"))
        assert not Path(job["keys"]).exists()
        assert not (lab.folder / end / f"cell-{end}").exists()


def test_a_computer_that_vanishes_costs_its_cell_and_no_other(
    lab: TwoComputers, tmp_path: Path
) -> None:
    state = lab.folder / "drone" / "cell-drone" / "state.json"
    bed = lab.bed(patience_s=1, drone=with_sensor(lab.folder / "measured"))
    run = BedRun(read_beds(bed)[0], "vanishing")
    cell = Cell("baseline", "mavlink", "clean", SUITE, seconds=1.0)
    with ThreadPoolExecutor(1) as pool:
        ran = pool.submit(run.run, cell, tmp_path / "first")
        wait_for(state.exists, LIMIT_S)
        lab.gone("drone").touch()
        for pid in connections_of(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert "drone-computer can't be reached" in ran.result(LIMIT_S).failure
    lab.gone("drone").unlink()
    seen = run.run(cell, tmp_path / "again")
    assert seen.failure == ""
    assert seen.report is not None
    assert seen.report["flows"]["drone_to_gcs"]["lost"] == 0
    power = seen.collected["power"]
    assert power["power_w"]["mean"] == pytest.approx(4.3)
    assert power["energy_j"] == pytest.approx(4.3 * power["seconds"])
    assert (tmp_path / "again" / power["trace"]).is_file()
    marks = read_marks(tmp_path / "again" / "drone" / "power_marks.json")
    kinds = ("idle", "handshake", "traffic", "rekey")
    (idle,), (handshake,), (traffic,), (rekey,) = map(marks.of, kinds)
    assert idle.end_s <= handshake.begin_s < handshake.end_s
    assert handshake.end_s <= traffic.begin_s < rekey.begin_s < rekey.end_s < traffic.end_s


def test_another_version_there_is_a_fault_with_its_mend(lab: TwoComputers, tmp_path: Path) -> None:
    other = lab.folder / "programs" / "pqc_tunneld"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho pqc_tunneld 0.0.1\n", encoding="utf-8")
    other.chmod(0o755)
    bed = lab.bed(drone={"programs": str(other.parent)})
    with matrix(tmp_path / "run", "--testbed", str(bed), "--suites", SUITE) as runner:
        output = runner.communicate(timeout=LIMIT_S)[0]
    assert runner.returncode == 1
    assert "pqc_tunneld 0.0.1" in output
    assert "FAULT: both ends need one: 'pqc deploy drone-computer'" in output


def test_a_full_disk_fails_the_cell_with_its_reason(lab: TwoComputers, tmp_path: Path) -> None:
    disk = lab.folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "bench", str(disk)], check=True)
    try:
        bed = read_beds(lab.bed(drone={"folder": str(disk)}))[0]
        run = BedRun(bed, "full")
        run.ends["drone"].prepare()
        run.ends["drone"].facts()
        with (disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(bytes(1 << 12)):
                pass
        os.truncate(disk / "filler", (disk / "filler").stat().st_size - (1 << 17))
        seen = run.run(Cell("baseline", "blaster", "clean", SUITE, seconds=1.0), tmp_path / "cell")
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
    assert "at the drone: the disk is full" in seen.failure


def with_sensor(folder: Path) -> dict[str, str]:
    """Return the members of an end with a power sensor and the program that reads it."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for program in (tunnel_program("pqc_tunneld"), tool_program("pqc_power_capture")):
        (programs / program.name).symlink_to(program)
    return {"programs": str(programs), "power": str(Sensors(folder / "sys").root)}


def matrix(out: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pqc_bench.bench_command", "matrix", "--out", str(out), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
