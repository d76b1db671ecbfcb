# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench peers`."""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.neighbours import Neighbours
from pqc_bench.harness.rate_search import Plan
from pqc_bench.harness.rate_step import Limits
from pqc_bench.harness.saturate import outcome_record, saturate
from pqc_bench.harness.tunnel_pair import SETTLE_S
from pqc_bench.peers import comparison_text
from pqc_bench.peers.contest import FAILED, Contest, started
from pqc_bench.peers.measure import Load, measure
from pqc_bench.peers.peer import Peer, inside
from pqc_bench.peers.rounds import BASE, DIRECT, Round, sum_up, sum_up_searches

# A build may be so much above the one that it is compared with; medians near 1 differ by chance.
_NOT_ABOVE = {
    "ratio_cpu_us_per_packet_both": "CPU per packet",
    "ratio_owd_p50_ms": "median delay",
}
_BUSY_LOAD = Load(3906, 256)
_SEARCH = Plan(growth=2.0, precision=0.1)


def run(options: argparse.Namespace) -> int:
    """Compare; 0 if every installed peer could be measured."""
    return run_measurement(
        options.out, lambda folder: _measure(options, folder), _judge, comparison_text.lines
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    measured: dict[str, list[Round]] = defaultdict(list)
    searches: dict[str, list[Round]] = defaultdict(list)
    left_out: dict[str, str] = {}
    builds = dict(options.build)
    complete = pinned = True
    contest = Contest({}, left_out)
    for start in range(options.starts):
        try:
            with started(options.kinds, folder / str(start), options.suite, builds) as contest:
                pinned = not options.unpinned and contest.pin() and pinned
                time.sleep(SETTLE_S)
                _go_through(options, contest, measured, searches)
        except KeyboardInterrupt:
            complete = False
            break
        finally:
            left_out |= contest.left_out
    return {
        "complete": complete,
        "loads": {name: sum_up(rounds, options.against) for name, rounds in measured.items()},
        "rounds_measured": measured,
        "saturation": {size: sum_up_searches(rounds) for size, rounds in searches.items()},
        "searches": searches,
        "left_out": left_out,
        "builds": {name: str(prefix) for name, prefix in builds.items()},
        "against": options.against,
        "suite": options.suite,
        "starts": options.starts,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "pinned": pinned,
    }


def _go_through(
    options: argparse.Namespace,
    contest: Contest,
    measured: dict[str, list[Round]],
    searches: dict[str, list[Round]],
) -> None:
    def under(load: Load, name: str) -> None:
        measured[name] += contest.rounds(
            options.rounds, name, lambda peer: measure(peer, load, options.seconds)
        )

    for load in (Load(rate, size) for rate in options.rates for size in options.sizes):
        under(load, load.name)
    if not options.no_neighbours:
        with Neighbours():
            under(_BUSY_LOAD, f"{_BUSY_LOAD.name}, busy neighbours")
    for size in [] if options.no_saturation else options.saturation:
        searches[str(size)] += contest.rounds(
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
    faults += [
        f"{peer} needs more than {result['against']} under {load}: {words},"
        f" {ratio['median']:.2f} of it ({ratio['p25']:.2f} to {ratio['p75']:.2f})"
        for load, peers in result["loads"].items()
        for peer in _builds_to_judge(result)
        for figure, words in _NOT_ABOVE.items()
        if (ratio := peers.get(peer, {}).get(figure)) and ratio["p25"] > 1.0
    ]
    # A peer that was not requested is no fault, nor is a missing VPN.
    needed = (BASE, DIRECT, *result["builds"])
    broken = {
        peer: why
        for peer, why in result["left_out"].items()
        if peer in needed or why.startswith(FAILED)
    }
    return faults + [f"{peer} is left out: {why}" for peer, why in broken.items()]


def _builds_to_judge(result: dict[str, Any]) -> list[str]:
    """Return the builds that are compared with another build."""
    if result["against"] not in result["builds"]:
        return []
    return [name for name in result["builds"] if name != result["against"]]
