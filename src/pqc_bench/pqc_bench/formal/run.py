# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench formal`."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from pqc_bench.formal.command import chosen
from pqc_bench.formal.expectations import Outcome
from pqc_bench.formal.spin import require_spin, run_spin
from pqc_bench.formal.verifpal import run_verifpal, verifpal_program
from pqc_bench.harness.source_tree import source_tree


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
        outcomes += _table(
            "spin", lambda one: run_spin(one, models, scratch), expected.spin, os.cpu_count() or 1
        )
    if expected.verifpal:
        program = verifpal_program(tree / ".dev")
        outcomes += _table(
            "verifpal",
            lambda one: run_verifpal(program, one, models, scratch),
            expected.verifpal,
            1,
        )
    wrong = sum(1 for outcome in outcomes if outcome.difference)
    seconds = time.monotonic() - begun
    print(f"{len(outcomes) - wrong} of {len(outcomes)} as expected ({seconds:.0f} s)")
    return 0 if outcomes and not wrong else 1


def _table(
    title: str, work: Callable[..., Outcome], runs: Iterable[object], workers: int
) -> list[Outcome]:
    print(f"{title:32} {'verdict':36} {'s':>5}  question", flush=True)
    outcomes = []
    with ThreadPoolExecutor(workers) as pool:
        for outcome in pool.map(work, runs):
            mark = "  " if not outcome.difference else "✗ "
            print(
                f"{mark}{outcome.name:30} {outcome.verdict:36} {outcome.seconds:5.0f}"
                f"  {outcome.question}",
                flush=True,
            )
            if outcome.difference:
                print(f"    {outcome.difference}", flush=True)
            outcomes.append(outcome)
    return outcomes
