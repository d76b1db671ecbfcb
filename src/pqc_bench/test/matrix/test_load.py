# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Loads beside the tunnel: how much they use, and how they are started and stopped."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from pqc_bench.load.load_report import FIGURES, read_load_report
from pqc_bench.load.targets import HEAVY, LIGHT, TARGETS
from pqc_testing.child import descendants, stop
from proc_state import runs
from waiting import wait_for

_PATIENCE_S = 120.0


@pytest.mark.parametrize("cores", [1, 2, 4, 16])
def test_the_share_of_the_machine_is_the_same_on_any_number_of_cores(cores: int) -> None:
    for target in TARGETS.values():
        total = target.share(cores) * target.workers(cores) / cores
        assert 100.0 * total == pytest.approx(target.cpu_percent)


def test_the_heavy_detector_uses_every_core_and_the_light_one_as_few_as_will_do() -> None:
    assert (LIGHT.workers(2), HEAVY.workers(2)) == (1, 2)
    assert (LIGHT.workers(4), HEAVY.workers(4)) == (2, 4)


def test_no_worker_is_asked_for_more_than_a_core() -> None:
    assert replace(LIGHT, cpu_percent=100.0).share(2) <= 1.0


def test_stress_ng_holds_the_share_and_the_memory_that_are_left() -> None:
    command = HEAVY.command(2, own_mib=30.5)
    given = dict(pairwise(command))
    assert command[0] == "stress-ng"
    assert (given["--cpu"], given["--cpu-load"]) == ("2", "74")
    assert given["--vm-bytes"] == "435M"
    assert "--vm" not in HEAVY.command(2, own_mib=600.0)


def _start(*arguments: str, module: str = "load") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", f"pqc_bench.{module}", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _await_end(pids: list[int]) -> None:
    wait_for(lambda: not any(map(runs, pids)), _PATIENCE_S)


@pytest.mark.parametrize("kind", ["light", "heavy"])
def test_it_works_until_sigterm_and_reports_its_use(tmp_path: Path, kind: str) -> None:
    summary = tmp_path / "load.json"
    process = _start(kind, "--cpu", "4", "--memory-mib", "220", "--summary", str(summary))

    def reported_s() -> float:
        assert process.poll() is None, process.communicate()[1]
        return json.loads(summary.read_text())["seconds"] if summary.is_file() else 0.0

    # One busy or idle period is a small part of so long a time.
    wait_for(lambda: reported_s() >= 4.0, _PATIENCE_S)
    workers = descendants(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=_PATIENCE_S)[0] == "load: at work\n"
    assert process.returncode == 0
    _await_end(workers)
    told = json.loads(summary.read_text(encoding="utf-8"))
    # Other processes may keep it from the CPU; nothing makes it use more.
    assert 0.0 < told["reached_cpu_percent"] < 4.0 + 3.0
    assert told["reached_memory_mib"] == pytest.approx(220, rel=0.1)


def test_its_workers_end_with_it_even_if_it_is_killed() -> None:
    process = _start("light", "--cpu", "1", "--memory-mib", "60")
    wait_for(lambda: len(descendants(process.pid)) >= 3, _PATIENCE_S)
    workers = descendants(process.pid)
    process.kill()
    process.communicate()
    _await_end(workers)


def test_a_signal_ends_it_while_stress_ng_starts() -> None:
    # Nothing reaches so much memory at once.
    process = _start("light", "--cpu", "1", "--memory-mib", "4000")
    wait_for(lambda: bool(descendants(process.pid)), _PATIENCE_S)
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=_PATIENCE_S) == ("", "")
    assert process.returncode == 0


def test_a_missed_target_is_reported(tmp_path: Path) -> None:
    summary = tmp_path / "load.json"
    process = _start("light", "--cpu", "1", "--memory-mib", "1", "--summary", str(summary))
    wait_for(summary.is_file, _PATIENCE_S)
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=_PATIENCE_S)[1]
    told = json.loads(summary.read_text(encoding="utf-8"))
    assert process.returncode == 0
    assert told["reached_memory_mib"] > 10.0, "the interpreter alone has more than the target"
    assert re.fullmatch(r"it has \d+ MiB instead of 1 MiB", told["faults"][0])
    assert told["faults"][0] in errors


def test_a_report_of_another_program_may_lack_any_figure(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    assert read_load_report(file) is None
    file.write_text("half of {")
    assert read_load_report(file) is None
    file.write_text(f'{{"reached_cpu_percent": 12, "target_memory_mib": {10**400}}}')
    assert read_load_report(file) is None
    file.write_text(
        '{"reached_cpu_percent": 12, "reached_memory_mib": "much", "seconds": NaN, '
        '"target_memory_mib": 1e400}'
    )
    told = read_load_report(file)
    assert told is not None
    assert told == {**dict.fromkeys(FIGURES), "reached_cpu_percent": 12.0, "faults": []}


@pytest.mark.parametrize("words", [("medium",), ("light", "--cpu", "120"), ("light", "--x")])
def test_bad_input_gets_one_sentence(words: tuple[str, ...]) -> None:
    process = _start(*words)
    try:
        errors = process.communicate(timeout=_PATIENCE_S)[1]
    finally:
        stop(process)
    assert process.returncode == 2
    assert len(errors.strip().splitlines()) == 1


_ENDS_WITH_ITS_LINE = """
import os, signal, sys, time
import rclpy
from pqc_bench.load import advisor_load, detector

class Use(advisor_load.DetectorUse):
    def __init__(self, *of):
        super().__init__(*of)
        os.kill(os.getpid(), signal.SIGTERM)
        while rclpy.ok():
            time.sleep(0.01)

advisor_load.DetectorUse = Use
sys.exit(detector.main())
"""


def test_a_real_detector_reports_its_use_even_if_it_is_ended_at_once(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    words = ["-c", _ENDS_WITH_ITS_LINE, "heuristic", "--namespace", "/pqc", "--summary", str(file)]
    told = subprocess.check_output([sys.executable, *words], text=True, timeout=_PATIENCE_S)
    assert told == "load: the detector heuristic is at work\n"
    report = read_load_report(file)
    assert report["reached_memory_mib"] > 10.0
    assert report["reached_cpu_percent"] is not None
    assert (report["target_cpu_percent"], report["faults"]) == (None, [])


def test_a_detector_that_is_missing_is_no_load() -> None:
    process = _start("nowhere", module="load.detector")
    try:
        told, fault = process.communicate(timeout=_PATIENCE_S)
    finally:
        stop(process)
    assert process.returncode == 2
    assert told == ""
    assert fault.splitlines()[-1] == "There is no detector nowhere."
