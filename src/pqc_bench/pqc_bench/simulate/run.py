# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench simulate`."""

from __future__ import annotations

import argparse

from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.source_tree import source_tree
from pqc_bench.simulate.campaign import simulate
from pqc_bench.simulate.program import build_simulator
from pqc_bench.simulate.result import Result


def run(options: argparse.Namespace) -> int:
    """Run the schedules; 0 if every invariant held."""
    program = build_simulator(source_tree())
    suites = ",".join(options.suites or [])
    given = ["--links", str(options.links)] if options.links > 1 else []
    given += ["--adversary"] if options.adversary else []
    given += ["--fleet"] if options.fleet else []
    result = simulate(program, options.schedules, options.seed, options.steps, suites, given)
    print(_text(result))
    if options.out:
        write_summary(options.out, result.summary())
    return 1 if result.violations else 0


def _text(result: Result) -> str:
    lines = [f"VIOLATED  {one['invariant']}: {one['text']}" for one in result.violations]
    lines += [f"  replay: {one['replay']}" for one in result.violations]
    lines.append(
        f"{result.schedules} schedules, {result.steps} steps, {result.simulated_s / 3600:.1f} h "
        f"simulated: {result.rekeys} rekeys ({result.failed_rekeys} failed), "
        f"{result.crashes} crashes, {result.silences} silences, {result.cuts} cuts, "
        f"{result.datagrams} datagrams; "
        f"{len(result.violations)} violations; {result.wall_s:.0f} s "
        f"({result.schedules / max(result.wall_s, 0.001):.1f} schedules/s)"
    )
    return "\n".join(lines)
