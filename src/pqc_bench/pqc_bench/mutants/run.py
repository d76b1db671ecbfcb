# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench mutants`."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.source_tree import source_tree
from pqc_bench.mutants.command import ROOMS
from pqc_bench.mutants.program import build_tests
from pqc_bench.mutants.schemata import Mutant, write_schemata
from pqc_bench.mutants.survivors import Survivors
from pqc_bench.mutants.trial import Verdict, judge, record


def run(options: argparse.Namespace) -> int:
    """Try the mutants; 0 if every survivor is listed with a reason."""
    tree = source_tree()
    package = tree / "src" / "pqc_tunnel"
    listed = Survivors.read(package / "test" / "surviving_mutants.yaml")
    build = tree / ".dev" / "build" / "mutants"
    # All are built, so that another choice needs no other build.
    built = write_schemata(package, build / "src", _files(package))
    mutants = _chosen(built, options)
    print(f"{len(mutants)} mutants; building the tests", flush=True)
    programs = build_tests(tree, build)
    cases, failed = record(programs, built[-1].number)
    for name in failed:
        print(f"left out, it fails without a mutant: {name}")
    print(f"{len(cases)} cases in {sum(case.seconds for case in cases):.0f} s", flush=True)
    tried = [one for one in mutants if options.listed or not listed.reason(one)]
    verdicts = judge(tried, cases, lambda one: _show(one, listed))
    if not options.listed:
        verdicts += [Verdict(one, "survived") for one in mutants if listed.reason(one)]
    return _conclude(verdicts, listed, options)


def _files(package: Path) -> list[str]:
    """Sources and headers of the core, named below the package."""
    return [
        str(file.relative_to(package))
        for room in ROOMS
        for file in (package / "src" / room).rglob("*.?pp")
    ]


def _chosen(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    chosen = [
        mutant
        for mutant in mutants
        if any(fnmatch(mutant.file.removeprefix("src/"), pattern) for pattern in options.only)
    ]
    if not chosen:
        raise RunFault(
            f"no file of the core that can be mutated is named '{' '.join(options.only)}'"
        )
    if options.sample:
        chosen = random.Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    return chosen


def _show(verdict: Verdict, listed: Survivors) -> None:
    if verdict.result != "killed" and not listed.reason(verdict.mutant):
        print(f"{verdict.result}: {_text(verdict.mutant)}", flush=True)


def _text(mutant: Mutant) -> str:
    return f"{mutant.file}:{mutant.line} {mutant.function}: {mutant.original} → {mutant.mutant}"


def _conclude(verdicts: list[Verdict], listed: Survivors, options: argparse.Namespace) -> int:
    counts = Counter(verdict.result for verdict in verdicts)
    unlisted = [
        verdict
        for verdict in verdicts
        if verdict.result != "killed" and not listed.reason(verdict.mutant)
    ]
    print(
        f"{len(verdicts)} mutants: {counts['killed']} killed, {counts['survived']} survived, "
        f"{counts['not reached']} not reached; {len(unlisted)} of them without a reason"
    )
    for entry in listed.outdated(verdicts):
        print(f"listed, but no survivor any more: {entry}")
    if options.out:
        entries = [
            {
                **asdict(verdict.mutant),
                "result": verdict.result,
                "by": verdict.by,
                "reason": listed.reason(verdict.mutant),
            }
            for verdict in verdicts
        ]
        write_summary(options.out, {"counts": dict(counts), "mutants": entries})
    return 1 if unlisted else 0
