# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench stream`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.stream.fetches import Link, fetch_beside_data, key_bytes
from pqc_bench.stream.result import judge, lines

_DELAY_MS = 20.0


def run(options: argparse.Namespace) -> int:
    """Fetch; 0 if the streams were fast, and the data beside them too."""
    return run_measurement(options.out, lambda folder: _measure(options, folder), judge, lines)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    links = []
    for loss in options.losses:
        link = Link(options.kbit, _DELAY_MS, loss, options.rate, options.size)
        links.append(
            fetch_beside_data(folder / f"loss-{loss:g}", link, options.fetches, options.quiet)
        )
        print(f"  {loss:g} % loss: done", flush=True)
    return {
        "key_bytes": key_bytes(),
        "kbit_per_s": options.kbit,
        "delay_ms": _DELAY_MS,
        "rate": options.rate,
        "size": options.size,
        "links": links,
    }
