# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Loads beside the tunnel: how much they use, and how they are started and stopped."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from pqc_bench.load.load_report import FIGURES, read_load_report
from pqc_bench.load.pacing import Pacing
from pqc_bench.load.targets import HEAVY, LIGHT, TARGETS, Target
from pqc_bench.load.work import WORK
from pqc_sim.processes.child import descendants, stop
from proc_state import runs

_PATIENCE_S = 120.0


def _used(share: float, seconds: float, step_s: float, starved: tuple[float, float]) -> float:
    """Return the share of the time that paced work of so long steps uses, outside `starved`."""
    now = used = counted = 0.0
    pacing = Pacing(share, now, used)
    while now < seconds:
        if starved[0] <= now < starved[1]:
            now = starved[1]  # nothing was run meanwhile
            counted = used
        rest_s = pacing.rest_s(now, used)
        if rest_s > 0.0:
            now += rest_s
        else:
            now += step_s
            used += step_s
    return (used - counted) / (now - starved[1])


@pytest.mark.parametrize("share", [0.05, 0.26, 0.742, 1.0])
@pytest.mark.parametrize("step_s", [0.0005, 0.02])
def test_the_share_is_kept_whatever_the_length_of_a_step(share: float, step_s: float) -> None:
    assert _used(share, 60.0, step_s, (0.0, 0.0)) == pytest.approx(share, rel=0.02)


def test_a_long_time_without_the_cpu_is_not_made_up_for() -> None:
    # Making up for 100 s in the 100 s after would use all of them.
    assert _used(0.5, 200.0, 0.001, (0.0, 100.0)) == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize("cores", [1, 2, 4, 16])
def test_the_share_of_the_machine_is_the_same_on_any_number_of_cores(cores: int) -> None:
    for target in TARGETS.values():
        total = target.share(cores) * target.workers(cores) / cores
        assert 100.0 * total == pytest.approx(target.cpu_percent)


def test_the_heavy_detector_uses_every_core_and_the_light_one_as_few_as_will_do() -> None:
    assert (LIGHT.workers(2), HEAVY.workers(2)) == (1, 2)
    assert (LIGHT.workers(4), HEAVY.workers(4)) == (2, 4)


def test_no_worker_is_asked_for_more_than_a_core() -> None:
    assert Target("light", 100.0, 1.0, False).share(2) <= 1.0


@pytest.mark.parametrize("kind", sorted(WORK))
def test_the_arithmetic_goes_on_and_on_without_overflow(kind: str) -> None:
    work = WORK[kind]()
    with np.errstate(all="raise", under="ignore"):
        results = [work() for _ in range(6)]
    assert all(abs(result) < 1e6 for result in results)


def _start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pqc_bench.load", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("kind", ["light", "heavy"])
def test_it_works_until_sigterm_and_tells_what_it_reached(tmp_path: Path, kind: str) -> None:
    summary = tmp_path / "load.json"
    process = _start(kind, "--cpu", "4", "--memory-mib", "220", "--summary", str(summary))
    deadline = time.monotonic() + _PATIENCE_S
    told = {}
    # A burst, or a pause, is but a small part of so long a time.
    while told.get("seconds", 0.0) < 4.0:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.05)
        if summary.is_file():
            told = json.loads(summary.read_text(encoding="utf-8"))
    workers = descendants(process.pid)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 0
    assert not [pid for pid in workers if runs(pid)]
    told = json.loads(summary.read_text(encoding="utf-8"))
    assert told["workers"] == len(workers)
    # Others may keep it from the CPU; no one makes it use more.
    assert 0.0 < told["reached_cpu_percent"] < 4.0 + 3.0
    assert told["reached_memory_mib"] == pytest.approx(220, rel=0.1)


def test_its_workers_end_with_it_even_if_it_is_killed() -> None:
    process = _start("light", "--cpu", "1", "--memory-mib", "1")
    deadline = time.monotonic() + _PATIENCE_S
    while not (workers := descendants(process.pid)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    process.communicate()
    while any(runs(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_was_not_reached_is_told(tmp_path: Path) -> None:
    summary = tmp_path / "load.json"
    words = ("light", "--cpu", "1", "--memory-mib", "1", "--seconds", "1", "--summary")
    process = _start(*words, str(summary))
    errors = process.communicate(timeout=_PATIENCE_S)[1]
    told = json.loads(summary.read_text(encoding="utf-8"))
    assert process.returncode == 0
    assert told["reached_memory_mib"] > 10.0, "the interpreter alone is more than was asked for"
    assert re.fullmatch(r"it has \d+ MiB instead of 1 MiB", told["faults"][0])
    assert told["faults"][0] in errors


def test_what_a_stranger_tells_is_taken_for_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    assert read_load_report(file) is None
    file.write_text("half of {")
    assert read_load_report(file) is None
    file.write_text(
        '{"reached_cpu_percent": 12, "reached_memory_mib": "much", "seconds": NaN, '
        f'"target_memory_mib": {10**400}}}'
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
