# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench speed`."""

from __future__ import annotations

import argparse
from typing import Any

from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.rekey import command as rekey
from pqc_bench.rekey.run import storm
from pqc_bench.speed.busy_core import BusyCore, measure_busy_core
from pqc_bench.speed.profile import policy_profile
from pqc_bench.speed.program import run_speed
from pqc_bench.speed.speed_text import lines


def run(options: argparse.Namespace) -> int:
    """Measure; 0 if every primitive gave right results and the rekeys had no fault."""
    report = run_speed(tool_program("pqc_speed"), options.count, options.seconds_cap, options.only)
    report = {**report, "machine": machine_kind(), "commit": commit()}
    print("\n".join(lines(report)))
    if options.out is not None:
        write_summary(options.out, report)
    if options.profile is None:
        return 0
    core = _power(options)
    rekeys = options.rekeys if options.rekeys is not None else _rekeys()
    write_summary(options.profile, policy_profile(report, options.name, rekeys, core))
    return 1 if rekeys.get("faults") else 0


def every_suite_ahead() -> argparse.Namespace:
    """Return the options of `bench rekey --suites all --ahead`."""
    parser = argparse.ArgumentParser()
    rekey.configure(parser)
    options = parser.parse_args(["--suites", "all", "--ahead"])
    rekey.check(options)
    return options


def _rekeys() -> dict[str, Any]:
    print("\nA rekey to every suite, once its prekey is at the drone:\n", flush=True)
    return storm(every_suite_ahead())


def _power(options: argparse.Namespace) -> BusyCore | None:
    print("\nThe power of a busy core:", flush=True)
    core = measure_busy_core(options.sys_root, options.power)
    if isinstance(core, BusyCore):
        print(f"  {core.watts:.3g} W more than an idle one ({core.source})")
        return core
    print(f"  {core}: the profile has no power, and the policy knows no energy of suites.")
    return None
