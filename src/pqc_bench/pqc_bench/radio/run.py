# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench radio`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.radio.link_run import measure_link
from pqc_bench.radio.result import judge, lines


def run(options: argparse.Namespace) -> int:
    """Fly over each link; 0 if the tunnel costs the pilot nothing."""
    return run_measurement(options.out, lambda folder: _measure(options, folder), judge, lines)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    links: dict[str, Any] = {}
    for name in options.links:
        links[name] = measure_link(folder / name, name, options.seconds, options.rekey_every)
        print(f"  {name}: done", flush=True)
    return {
        "links": links,
        "seconds": options.seconds,
        "rekey_every_s": options.rekey_every,
    }
