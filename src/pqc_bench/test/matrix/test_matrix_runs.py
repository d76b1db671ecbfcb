# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Real runs: one with all programs; one killed and resumed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.metrics import read_metrics
from pqc_testing.child import descendants, name_of
from proc_state import runs
from waiting import wait_for

LIMIT_S = 400.0
SUITES = ("cs-mlkem768-aesgcm-mldsa65", "cs-mlkem512-aesgcm-mldsa44")


def test_a_cell_runs_with_detector_blaster_and_lossy_link(tmp_path: Path) -> None:
    cell = f"light/blaster/lossy-5/{SUITES[0]}"
    options = ["--suites", SUITES[0], "--scenario", "light", "--load", "blaster"]
    options += ["--link", "lossy-5", "--link-seed", "7", "--seconds", "3", "--no-speed"]
    options += ["--repeat", "1"]
    # A small one: the blaster goes before everything else, and other tests run beside this one.
    detector = f"{sys.executable} -m pqc_bench.load light --cpu 10 --memory-mib 100"
    with matrix(tmp_path / "run", *options, "--detector", f"light={detector}") as runner:
        output = runner.communicate(timeout=LIMIT_S)[0]
    assert runner.returncode == 0, output
    metrics = read_metrics(tmp_path / "run" / "cells" / cell / "metrics.json")
    assert metrics["c_lifecycle"]["success"] is True
    # Other tests may slow down the load, the detector and the runner.
    flags = {flag["name"] for flag in metrics["r_validation"]["flags"]}
    late = {"generator_behind", "scenario_missed", "dead_collector", "disturbed"}
    late.add("unsteady_governor")
    assert flags <= late, metrics["r_validation"]["flags"]
    context, data = metrics["a_run_context"], metrics["g_data_plane"]
    assert context["link_seed"] == 7
    assert context["scenario_told"]["reached_cpu_percent"] > 0.0
    down = data["drone_to_gcs"]
    assert down["offered"] > 0
    # A busy machine may keep it from sending some; those are counted, too.
    assert down["asked"] == pytest.approx(down["offered"] + down["skipped"], rel=0.5)
    assert data["drone_to_gcs"]["lost"] > 0
    assert data["gcs_to_drone"]["lost"] > 0
    assert data["link_taken"] > 0
    assert metrics["k_mavlink_integrity"]["intact"] is None


def test_a_run_that_is_killed_in_a_cell_repeats_that_cell_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    suites = ("--suites", ",".join(SUITES), "--seconds", "1", "--repeat", "1", "--no-speed")
    # With this seed SUITES come in their order.
    suites += ("--order-seed", "1")
    first, second = (out / "cells" / "baseline" / "mavlink" / "clean" / suite for suite in SUITES)
    with matrix(out, *suites) as runner:
        try:
            wait_for(lambda: tunnels_of(runner) if (second / "logs").exists() else [], LIMIT_S)
            session = descendants(runner.pid)
        finally:
            runner.kill()
    before = (first / "metrics.json").read_bytes()
    assert statuses(out) == ["completed", "pending"]
    wait_for(lambda: not any(map(runs, session)), LIMIT_S)
    with matrix(out, "--resume") as runner:
        output = runner.communicate(timeout=LIMIT_S)[0]
    assert not (out / "speed.json").exists()
    assert runner.returncode == 0, output
    assert "1 of 2 cells to run" in output
    assert statuses(out) == ["completed", "completed"]
    assert (first / "metrics.json").read_bytes() == before
    assert read_metrics(second / "metrics.json")["c_lifecycle"]["success"] is True


def matrix(out: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pqc_bench.bench_command", "matrix", "--out", str(out), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def tunnels_of(runner: subprocess.Popen[str]) -> list[int]:
    """Return the tunnels of the cell that a runner is at."""
    assert runner.poll() is None, runner.communicate()[0]
    return [pid for pid in descendants(runner.pid) if name_of(pid) == "tunnel_node"]


def statuses(out: Path) -> list[Any]:
    cells = json.loads((out / "state.json").read_text(encoding="utf-8"))["cells"]
    return [cell["status"] for cell in cells]
