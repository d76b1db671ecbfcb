# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Raise the rate until the tunnel is overloaded; report the sustained rate and the limiting signal.

Numbered datagrams go both ways at a rate that grows by half from step to step. Between the highest
sustained rate and the lowest other one the search continues by bisection. A rate is too high if the
p95 of the one-way delay spikes or exceeds its cap, if less than 85 % of the offered datagrams are
delivered, or if more than 5 % are lost. A step in which the generator fell behind does not count;
if it keeps falling behind, the result is a lower bound. Each end is pinned to a core, unless
--unpinned.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pqc_sim.processes.command_line import datagram_rate, datagram_size, seconds
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.peers.installed import why_not
from pqc_bench.peers.peer import inside, pin, wait_until_through
from pqc_bench.peers.registry import PEERS, make_peer
from pqc_bench.saturation import search_text
from pqc_bench.saturation.run import outcome_record, saturate
from pqc_bench.saturation.search import Plan
from pqc_bench.saturation.step import Limits

_SUITE = "cs-mlkem768-aesgcm-mldsa65"
_TUNNELS = {"pqc": "node", "plain": "relay"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--suite", default=_SUITE, metavar="ID", help=f"({_SUITE})")
    parser.add_argument(
        "--size", type=datagram_size, default=256, help="bytes of each datagram (256)"
    )
    parser.add_argument(
        "--tunnel",
        choices=sorted({*_TUNNELS, *PEERS}),
        default="pqc",
        help="pqc: the nodes; plain: a relay without cryptography; or another peer (pqc)",
    )
    parser.add_argument(
        "--seconds", type=seconds, default=3.0, metavar="N", help="length of a step (3)"
    )
    parser.add_argument(
        "--start", type=datagram_rate, default=1000, help="first rate, per second and way (1000)"
    )
    parser.add_argument(
        "--ceiling", type=datagram_rate, default=200_000, help="highest rate to try (200000)"
    )
    parser.add_argument(
        "--precision", type=_part, default=0.05, help="relative precision of the result (0.05)"
    )
    parser.add_argument(
        "--latency-cap",
        type=seconds,
        default=Limits.latency_cap_ms,
        metavar="MS",
        help=f"highest p95 of the one-way delay ({Limits.latency_cap_ms:.0f} ms)",
    )
    parser.add_argument("--unpinned", action="store_true", help="don't pin the ends to cores")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the JSON")


def run(options: argparse.Namespace) -> int:
    """Search; 0 if some rate was sustained."""
    return run_measurement(
        options.out,
        lambda folder: _measure(options, folder),
        _judge,
        lambda result, faults: [
            *search_text.summary(result),
            *(f"  failed: {fault}" for fault in faults),
        ],
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    name = _TUNNELS.get(options.tunnel, options.tunnel)
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
        "suite": options.suite if options.tunnel != "plain" else None,
        "pinned": pinned,
        "limits": vars(limits),
        "machine": machine_kind(),
        "commit": commit(),
    }


def _judge(result: dict[str, Any]) -> list[str]:
    if result["sustained_per_s"]:
        return []
    return [f"not even {result['stopped_at_per_s']} datagrams/s were sustained"]


def _part(text: str) -> float:
    value = seconds(text)
    if not 0.001 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"'{text}' isn't a part from 0.001 to 1")
    return value
