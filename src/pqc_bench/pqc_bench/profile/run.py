# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench profile`."""

from __future__ import annotations

import argparse

from pqc_sim.processes.summary_file import write_summary

from pqc_bench.profile.run_profile import run_profile
from pqc_bench.report.run_data import read_run_folder


def run(options: argparse.Namespace) -> int:
    document = run_profile(read_run_folder(options.folder), options.name)
    write_summary(options.out, document)
    print(document["source"])
    powers = {suite: of["power_w"] for suite, of in document["suites"].items() if "power_w" in of}
    if powers:
        least = min(powers, key=lambda suite: powers[suite])
        print(
            f"Lowest power: {powers[least]:.3f} W with {least}; differences below "
            f"{document.get('power_error_w', 0.0):.3f} W are none."
        )
    print(f"{len(document['suites'])} suites in {options.out}")
    return 0
