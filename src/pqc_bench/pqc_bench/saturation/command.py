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

from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_sim.processes.command_line import datagram_rate, datagram_size, milliseconds, real

from pqc_bench.cell.suite_set import one_suite
from pqc_bench.harness.usage import UsageFault, duration, needs, output_file
from pqc_bench.peers import PEER_NAMES, WITH_SUITE

# Names of peers that are shorter, or easier to guess.
TUNNELS = {"pqc": "node", "plain": "relay"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", type=one_suite, metavar="ID", help=f"({DEFAULT_SUITE})")
    parser.add_argument(
        "--size", type=datagram_size, default=256, help="bytes of each datagram (256)"
    )
    parser.add_argument(
        "--tunnel",
        choices=sorted({*TUNNELS, *PEER_NAMES}),
        default="pqc",
        help="pqc: the nodes; plain: a relay without cryptography; or another peer (pqc)",
    )
    parser.add_argument(
        "--seconds", type=duration, default=3.0, metavar="N", help="length of a step (3)"
    )
    parser.add_argument(
        "--start", type=datagram_rate, default=1000, help="first rate, per second and way (1000)"
    )
    parser.add_argument(
        "--ceiling", type=datagram_rate, default=200_000, help="highest rate to try (200000)"
    )
    parser.add_argument(
        "--precision",
        type=real(0.001, 1.0, "a part from 0.001 to 1"),
        default=0.05,
        help="relative precision of the result (0.05)",
    )
    parser.add_argument(
        "--latency-cap",
        type=milliseconds,
        default=10.0,
        metavar="MS",
        help="highest p95 of the one-way delay (10 ms)",
    )
    parser.add_argument("--unpinned", action="store_true", help="don't pin the ends to cores")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")


def check(options: argparse.Namespace) -> None:
    """Reject a suite for a peer without one, and a search without a range."""
    tunnel = TUNNELS.get(options.tunnel, options.tunnel)
    needs(options, "suite", DEFAULT_SUITE, tunnel in WITH_SUITE, f"with --tunnel {options.tunnel}")
    if options.start > options.ceiling:
        raise UsageFault(f"--start {options.start} is above --ceiling {options.ceiling}")
