# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pqc_bench.bench_command import main


def exit_code(words: list[str]) -> object:
    """Run `bench` with these words; return the exit code that a shell would see."""
    try:
        return main(words)
    except SystemExit as end:
        return end.code
