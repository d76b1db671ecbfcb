# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench cost`."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import name_of
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.cost.budget import DRONE, judge
from pqc_bench.cost.flight_feed import FlightFeed
from pqc_bench.cost.sensors import Sensors
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.process_use import resident_kib, usage
from pqc_bench.harness.text import columns
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair

_ESTABLISH_S = 60.0
_PATIENCE_S = 120.0
_PACKET_THREAD = "pqc_packets"
_FIGURES = ("rss_mib", "threads", "wakeups_per_s", "core_share")


def run(options: argparse.Namespace) -> int:
    """Measure; 0 if every process is within its budget."""
    return run_measurement(options.out, lambda folder: _measure(options, folder), judge, _text)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    (mirror_port,) = free_ports(1)
    sensors = Sensors(folder / "sys")
    plan = Plan(
        drone={"mirror_address": LOOPBACK, "mirror_port": mirror_port},
        launch={"mirror_port": str(mirror_port), "sys_root": str(sensors.root)},
    )
    with TunnelPair(folder, plan) as pair, MeasuredNodes(pair.check) as view:
        view.wait_established(_ESTABLISH_S)
        with FlightFeed(view, pair.applications, options.rate, sensors) as feed:
            if silent := feed.fly_until_heard(_PATIENCE_S):
                raise RunFault(f"nothing was published on {', '.join(sorted(silent))}")
            feed.fly(options.warm_up)
            pids = {name_of(pid): pid for pid in pair.processes("drone")}
            sent, began_s = feed.messages, time.monotonic()
            before = {name: usage(pid, without=_PACKET_THREAD) for name, pid in pids.items()}
            busy = {name: usage(pid)["cpu_ns"] for name, pid in pids.items()}
            feed.fly(options.seconds)
            seconds = time.monotonic() - began_s
            found = {
                name: _figures(pid, before[name], busy[name], seconds) for name, pid in pids.items()
            }
    whole = Counter[str]()
    for name in DRONE:
        whole.update(found.get(name, {}))
    return {
        "seconds": options.seconds,
        "messages_per_s": round((feed.messages - sent) / seconds, 1),
        "processes": found,
        "drone": {name: round(whole[name], 4) for name in _FIGURES},
    }


def _figures(pid: int, before: dict[str, int], busy_ns: int, seconds: float) -> dict[str, Any]:
    """Return what a process has, and what it has used since a moment some seconds ago."""
    after = usage(pid, without=_PACKET_THREAD)
    switches = after["voluntary"] - before["voluntary"]
    every_thread = usage(pid)
    return {
        "rss_mib": round(resident_kib(pid) / 1024.0, 1),
        "threads": every_thread["threads"],
        "wakeups_per_s": round(switches / seconds, 1),
        "core_share": round((every_thread["cpu_ns"] - busy_ns) / 1e9 / seconds, 4),
    }


def _text(result: dict[str, Any]) -> list[str]:
    rows = [("process", "MiB", "threads", "wake-ups/s", "% of a core")]
    for name, found in (*result["processes"].items(), ("+".join(DRONE), result["drone"])):
        rows.append(
            (
                name,
                f"{found['rss_mib']:.0f}",
                str(found["threads"]),
                f"{found['wakeups_per_s']:.0f}",
                f"{100.0 * found['core_share']:.2f}",
            )
        )
    return ["", *columns(rows), f"  {result['messages_per_s']:.0f} MAVLink messages a second"]
