# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench rekey`."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.blaster import DIRECTIONS, Blaster
from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.measured_nodes import MeasuredNodes, drops_of
from pqc_bench.harness.measurement import measured, run_measurement
from pqc_bench.harness.neighbours import Neighbours
from pqc_bench.harness.process_use import CpuMeter
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.rekey import storm_text
from pqc_bench.rekey.order import Suite, across_families, infos_of
from pqc_bench.rekey.result import Step, suite_records, together, totals_record
from pqc_bench.rekey.storm import Storm
from pqc_bench.rekey.verdict import judge

_ESTABLISH_S = 60.0
_ANSWER_S = 60.0
_SETTLE_S = 1.0
# Long enough that a late datagram does not count as lost.
_DRAIN_S = 3
_POOL_S = 180.0


def run(options: argparse.Namespace) -> int:
    return run_measurement(
        options.out, lambda folder: _measure(options, folder), judge, storm_text.summary
    )


def storm(options: argparse.Namespace) -> dict[str, Any]:
    """Run the storm for another command; return the result, with its faults."""
    return measured(lambda folder: _measure(options, folder), judge, storm_text.summary)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    wanted = options.suites
    plan = Plan(
        both={
            "allow_experimental": True,
            "min_level": 1,
            "packet_thread.priority": options.priority,
        },
        loss_percent=options.loss,
        seed=options.seed,
    )
    if options.ahead:
        plan.drone["prefetch.airtime"] = 1.0  # the time between the rekeys is not what is measured
    if options.pool:
        chosen = infos_of(wanted, _all_suites(folder / "look", plan))
        plan.gcs["prekey_pool.suites"] = [suite.id for suite in _usable(chosen)]
    with contextlib.ExitStack() as stack:
        pair = stack.enter_context(TunnelPair(folder, plan))
        view = stack.enter_context(MeasuredNodes(pair.check))
        view.wait_established(_ESTABLISH_S)
        if options.pool and not view.wait_for_pool(_POOL_S):
            raise RunFault(f"the pool didn't fill within {_POOL_S:.0f} s")
        pids = {end: pair.pid(end) for end in ("drone", "gcs")}
        chosen = infos_of(wanted, view.suites(_ANSWER_S))
        course = [suite.id for suite in across_families(_usable(chosen))] * options.repeat
        if options.neighbours:
            stack.enter_context(Neighbours())
        blaster = stack.enter_context(
            Blaster(
                pair.applications,
                options.rate,
                options.size,
                Storm.windows(len(course)),
                drain_s=_DRAIN_S,
            )
        )
        print(storm_text.heading())

        def progress(number: int, step: Step) -> None:
            if options.repeat == 1 or not step.rekey.succeeded or (number + 1) % 25 == 0:
                print(storm_text.line(number + 1, len(course), step), flush=True)

        before = {end: drops_of(status) for end, status in view.fresh(_ANSWER_S).items()}
        meters = {end: CpuMeter(pid) for end, pid in pids.items()}
        began = time.monotonic()
        storm = Storm(view, blaster, pids, progress, pool=options.pool, ahead=options.ahead)
        storm.run(course, back_to_back=options.repeat > 1)
        wall_s = time.monotonic() - began
        cpu = {end: round(meter.percent(), 2) for end, meter in meters.items()}
        report = blaster.finish()
        view.spin(_SETTLE_S)
        after = view.fresh(_ANSWER_S)
        steps = storm.steps(report)
        suites = suite_records(steps)
        return {
            "suites": suites,
            "unavailable": [
                {"suite": info.id, "reason": info.reason}
                for info in chosen
                if not (info.available and info.allowed)
            ],
            "totals": {
                **totals_record(
                    suites,
                    together(storm.traffic(report, "rekey")),
                    together(storm.traffic(report, "steady")),
                ),
                "rate": options.rate,
                "size": options.size,
                "loss_percent": options.loss,
                "pool": options.pool,
                "priority": options.priority,
                "neighbours": options.neighbours,
                "repeat": options.repeat,
                "drops": {
                    end: {why: n - before[end][why] for why, n in drops_of(status).items()}
                    for end, status in after.items()
                },
                "in_step": view.in_step(),
                "ends": {
                    end: {"session": last.session, "epoch": last.epoch, "suite": last.suite}
                    for end, last in after.items()
                },
                "ahead_only": options.ahead,
                "resident_kib": {end: asdict(used) for end, used in storm.memory().items()},
                "cpu_percent": cpu,
                "generator": _generator(report),
                "latency_ms": {way: report["directions"][way]["latency_ms"] for way in DIRECTIONS},
                "link": pair.link.summary() if pair.link is not None else None,
                "machine": machine_kind(),
                "commit": commit(),
                "wall_s": round(wall_s, 1),
            },
        }


def _usable(infos: Sequence[Any]) -> list[Suite]:
    return [Suite(info.id, info.level) for info in infos if info.available and info.allowed]


def _all_suites(folder: Path, plan: Plan) -> list[Any]:
    """Return the suites of a separate pair: the measured pair needs them before it starts."""
    folder.mkdir()
    with TunnelPair(folder, replace(plan, gcs={})) as pair, MeasuredNodes(pair.check) as view:
        view.wait_established(_ESTABLISH_S)
        return view.suites(_ANSWER_S)


def _generator(report: dict[str, Any]) -> dict[str, Any]:
    """Return how well the generator kept its schedule, and its own losses."""
    ways: Sequence[dict[str, Any]] = [report["directions"][way] for way in DIRECTIONS]
    return {
        **{
            name: sum(way[name] for way in ways)
            for name in ("slips", "skipped", "refused", "receiver_drops", "unaccountable")
        },
        "latest_ms": max(way["latest_ms"] for way in ways),
        "real_time": report["real_time"],
    }
