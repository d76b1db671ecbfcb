# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench hold`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.hold.attacked_link import attack_link, lose_on_link
from pqc_bench.hold.result import judge, lines


def run(options: argparse.Namespace) -> int:
    """Hold back; 0 if nothing old was delivered and nothing fresh refused."""
    return run_measurement(options.out, lambda folder: _measure(options, folder), judge, lines)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    links: dict[str, Any] = {}
    for name in options.links:
        links[name] = attack_link(folder / name, name, options.seconds)
        network = links[name].pop("network")
        print(f"  {name}: attacks done", flush=True)
        links[name]["loss"] = {
            f"{loss:g}": lose_on_link(folder / f"{name}-{loss:g}", name, loss, options.seconds)
            for loss in options.losses
        }
        print(f"  {name}: losses done", flush=True)
    return {
        "network": network,
        "links": links,
        "seconds": options.seconds,
    }
