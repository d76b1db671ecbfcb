# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the tunnel with a plain relay, the reference peer and installed VPNs, in one run.

All peers run at once, each end pinned to a core (--unpinned leaves that to the system). They take
turns under the same loads, in a new order each round. The report has the CPU per packet of both
ends, the one-way delay (percentiles if there are enough datagrams) and its difference from that of
a direct path, loss, the sustained rate, and the same loads beside a busy process per core: medians
with spread, and ratios to the batched plain relay within rounds. Peers that are not installed are
left out with the reason. Ctrl-C ends the comparison with a report of the complete loads.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pqc_sim.processes.command_line import datagram_rate, datagram_size, seconds, separated, whole

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.neighbours import Neighbours
from pqc_bench.peers import comparison_text
from pqc_bench.peers.contest import FAILED, Contest, started
from pqc_bench.peers.measure import Load, measure
from pqc_bench.peers.peer import Peer, inside
from pqc_bench.peers.registry import PEERS
from pqc_bench.peers.rounds import BASE, DIRECT, Round, sum_up, sum_up_searches
from pqc_bench.saturation.run import outcome_record, saturate
from pqc_bench.saturation.search import Plan
from pqc_bench.saturation.step import Limits

_SUITE = "cs-mlkem768-aesgcm-mldsa65"
_BUSY_LOAD = Load(3906, 256)
_MOST = 1000
_SEARCH = Plan(growth=2.0, precision=0.1)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "--kinds", type=_names, default=list(PEERS), help=f"separated by commas: {', '.join(PEERS)}"
    )
    parser.add_argument("--suite", default=_SUITE, metavar="ID", help=f"of the tunnel ({_SUITE})")
    parser.add_argument(
        "--rates",
        type=separated(datagram_rate),
        default=[320, 3906, 20_000],
        help="per second and way (320,3906,20000)",
    )
    parser.add_argument(
        "--sizes",
        type=separated(datagram_size),
        default=[64, 256, 1200],
        help="bytes (64,256,1200)",
    )
    parser.add_argument("--rounds", type=whole(1, _MOST), default=10, help="of each load (10)")
    parser.add_argument(
        "--seconds", type=seconds, default=1.0, metavar="N", help="of each load and peer (1)"
    )
    parser.add_argument(
        "--saturation",
        type=separated(datagram_size),
        default=[64, 1200],
        metavar="SIZES",
        help="sizes to search the sustained rate of (64,1200)",
    )
    parser.add_argument(
        "--searches", type=whole(1, _MOST), default=3, help="for each size and peer (3)"
    )
    parser.add_argument("--no-saturation", action="store_true", help="skip these searches")
    parser.add_argument("--no-neighbours", action="store_true", help="skip busy neighbours")
    parser.add_argument("--unpinned", action="store_true", help="don't pin the ends to cores")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the JSON")


def run(options: argparse.Namespace) -> int:
    """Compare; 0 if every installed peer could be measured."""
    return run_measurement(
        options.out, lambda folder: _measure(options, folder), _judge, comparison_text.lines
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    measured: dict[str, list[Round]] = {}
    searches: dict[str, list[Round]] = {}
    with started(options.kinds, folder, options.suite) as contest:
        pinned = not options.unpinned and contest.pin()
        try:
            _go_through(options, contest, measured, searches)
            complete = True
        except KeyboardInterrupt:
            complete = False
    return {
        "complete": complete,
        "loads": {name: sum_up(rounds) for name, rounds in measured.items()},
        "rounds_measured": measured,
        "saturation": {size: sum_up_searches(rounds) for size, rounds in searches.items()},
        "searches": searches,
        "left_out": contest.left_out,
        "suite": options.suite,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "pinned": pinned,
        "machine": machine_kind(),
        "commit": commit(),
    }


def _go_through(
    options: argparse.Namespace,
    contest: Contest,
    measured: dict[str, list[Round]],
    searches: dict[str, list[Round]],
) -> None:
    def under(load: Load, name: str) -> None:
        measured[name] = contest.rounds(
            options.rounds, name, lambda peer: measure(peer, load, options.seconds)
        )

    for load in (Load(rate, size) for rate in options.rates for size in options.sizes):
        under(load, load.name)
    if not options.no_neighbours:
        with Neighbours():
            under(_BUSY_LOAD, f"{_BUSY_LOAD.name}, busy neighbours")
    for size in [] if options.no_saturation else options.saturation:
        searches[str(size)] = contest.rounds(
            options.searches,
            f"saturation {size} B",
            lambda peer, size=size: _search(peer, size, options.seconds),
        )


def _search(peer: Peer, size: int, step_s: float) -> dict[str, Any]:
    with inside(peer):
        outcome = saturate(peer.applications, size, step_s, _SEARCH, Limits(), peer.check)
    return outcome_record(outcome, size)


def _judge(result: dict[str, Any]) -> list[str]:
    faults = [] if result["complete"] else ["the comparison was stopped before its end"]
    faults += [
        f"{peer} has no valid round of {load}"
        for load, peers in result["loads"].items()
        for peer, figures in peers.items()
        if figures["loss_percent"] is None
    ]
    # A peer that was not requested is no fault, nor is a missing VPN.
    broken = {
        peer: why
        for peer, why in result["left_out"].items()
        if peer in (BASE, DIRECT) or why.startswith(FAILED)
    }
    return faults + [f"{peer} is left out: {why}" for peer, why in broken.items()]


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [peer for peer in names if peer not in PEERS]:
        raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(PEERS)}")
    return names
