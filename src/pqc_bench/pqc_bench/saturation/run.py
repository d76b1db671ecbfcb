# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench saturation`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.rate_search import Plan
from pqc_bench.harness.rate_step import Limits
from pqc_bench.harness.saturate import outcome_record, saturate
from pqc_bench.peers import WITH_SUITE
from pqc_bench.peers.installed import why_not
from pqc_bench.peers.peer import inside, pin, wait_until_through
from pqc_bench.peers.registry import make_peer
from pqc_bench.saturation import search_text
from pqc_bench.saturation.command import TUNNELS


def run(options: argparse.Namespace) -> int:
    """Search; 0 if some rate was sustained."""
    return run_measurement(
        options.out,
        lambda folder: _measure(options, folder),
        _judge,
        search_text.summary,
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    name = TUNNELS.get(options.tunnel, options.tunnel)
    if why := why_not(name):
        raise RunFault(why)
    plan = Plan(start=options.start, ceiling=options.ceiling, precision=options.precision)
    limits = Limits(latency_cap_ms=options.latency_cap)
    with make_peer(name, folder, options.suite) as peer:
        wait_until_through(peer)
        pinned = not options.unpinned and pin(peer)
        print(search_text.heading())
        with inside(peer):
            outcome = saturate(
                peer.applications,
                options.size,
                options.seconds,
                plan,
                limits,
                peer.check,
                lambda trial: print(search_text.line(trial), flush=True),
            )
    return {
        **outcome_record(outcome, options.size),
        "tunnel": options.tunnel,
        "suite": options.suite if name in WITH_SUITE else None,
        "pinned": pinned,
        "limits": vars(limits),
    }


def _judge(result: dict[str, Any]) -> list[str]:
    if result["sustained_per_s"]:
        return []
    return [f"not even {result['stopped_at_per_s']} datagrams/s were sustained"]
