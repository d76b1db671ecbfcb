# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench publish`."""

from __future__ import annotations

import argparse

from pqc_bench.publish.data_package import faults_of
from pqc_bench.publish.folder import publish
from pqc_bench.publish.privacy import local_names, traces_of
from pqc_bench.report.run_data import read_run_folder


def run(options: argparse.Namespace) -> int:
    """Write the folder, and print what is wrong with it; 0 if nothing is."""
    publish(read_run_folder(options.folder), options.out, options.bag)
    faults = faults_of(options.out)
    faults += [f"{where} names {what}" for where, what in traces_of(options.out, local_names())]
    for fault in faults:
        print(fault)
    files = sum(file.is_file() for file in options.out.rglob("*"))
    megabytes = sum(file.stat().st_size for file in options.out.rglob("*")) / 1e6
    print(f"{options.out}: {files} files, {megabytes:.1f} MB")
    if faults:
        print("Don't publish it before that is mended.")
    return 1 if faults else 0
