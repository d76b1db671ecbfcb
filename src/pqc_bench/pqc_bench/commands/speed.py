# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The command speed; options/speed.py describes it."""

from __future__ import annotations

import argparse

from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.speed.profile import policy_profile
from pqc_bench.speed.program import run_speed


def run(options: argparse.Namespace) -> int:
    """Measure; 0 if every primitive gave right results."""
    program = tool_program("pqc_speed")
    report = run_speed(program, options.count, options.seconds_cap, options.only)
    report = {**report, "machine": machine_kind(), "commit": commit()}
    if options.out is not None:
        write_summary(options.out, report)
    if options.profile is not None:
        document = policy_profile(report, options.name, options.rekeys)
        write_summary(options.profile, document)
    return 0
