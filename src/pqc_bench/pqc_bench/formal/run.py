# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench formal`."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from pqc_bench.formal.command import chosen
from pqc_bench.formal.expectations import Outcome, SpinRun, VerifpalRun
from pqc_bench.formal.spin import require_spin, run_spin
from pqc_bench.formal.verifpal import run_verifpal, verifpal_program
from pqc_bench.harness.source_tree import source_tree

Run = TypeVar("Run", SpinRun, VerifpalRun)


def run(options: argparse.Namespace) -> int:
    """Run the models; 0 if every verdict is the expected one."""
    tree = source_tree()
    models = tree / "formal"
    scratch = tree / ".dev" / "formal"
    expected = chosen(options)
    begun = time.monotonic()
    outcomes: list[Outcome] = []
    if expected.spin:
        require_spin()
        searched = partial(run_spin, models=models, scratch=scratch)
        outcomes += _table("spin", searched, expected.spin, os.cpu_count() or 1)
    if expected.verifpal:
        program = verifpal_program(tree / ".dev")
        verified = partial(run_verifpal, program, models=models, scratch=scratch)
        outcomes += _table("verifpal", verified, expected.verifpal, 1)
    wrong = sum(1 for outcome in outcomes if outcome.difference)
    seconds = time.monotonic() - begun
    print(f"{len(outcomes) - wrong} of {len(outcomes)} as expected ({seconds:.0f} s)")
    return 0 if outcomes and not wrong else 1


def _table(
    title: str, work: Callable[[Run], Outcome], runs: Sequence[Run], workers: int
) -> list[Outcome]:
    def timed(one: Run) -> tuple[Outcome, float]:
        begun = time.monotonic()
        return work(one), time.monotonic() - begun

    print(f"{title:32} {'verdict':36} {'s':>5}  question", flush=True)
    outcomes = []
    with ThreadPoolExecutor(workers) as pool:
        for one, (outcome, seconds) in zip(runs, pool.map(timed, runs), strict=True):
            mark = "✗ " if outcome.difference else "  "
            why = f"\n    {outcome.difference}" if outcome.difference else ""
            line = f"{mark}{one.name:30} {outcome.verdict:36} {seconds:5.0f}  {one.question}"
            print(line + why, flush=True)
            outcomes.append(outcome)
    return outcomes
