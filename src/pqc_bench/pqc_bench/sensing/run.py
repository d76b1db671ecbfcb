# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench sensing`."""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import end_with_parent, stop
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.process_use import CpuMeter, resident_kib
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.sensing.command import LIMIT_PERCENT
from pqc_bench.sensing.flight_feed import FlightFeed
from pqc_bench.sensing.sensors import Sensors

_ESTABLISH_S = 60.0
_PATIENCE_S = 120.0
_NODES = ("sensing", "advisor", "policy")


def run(options: argparse.Namespace) -> int:
    """Measure; 0 if the nodes use no more than they may."""
    return run_measurement(options.out, lambda folder: _measure(options, folder), _judge, _text)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    (mirror_port,) = free_ports(1)
    sensors = Sensors(folder / "sys")
    with contextlib.ExitStack() as stack:
        plan = Plan(drone={"mirror_address": LOOPBACK, "mirror_port": mirror_port})
        pair = stack.enter_context(TunnelPair(folder, plan))
        view = stack.enter_context(MeasuredNodes(pair.check))
        view.wait_established(_ESTABLISH_S)
        processes = {name: _start(name, folder, mirror_port, sensors.root) for name in _NODES}
        for process in processes.values():
            stack.callback(stop, process)
        feed = stack.enter_context(FlightFeed(view, pair.applications, options.rate, sensors))
        silent = feed.fly_until_heard(_PATIENCE_S)
        feed.fly(options.warm_up)
        ended = [name for name, process in processes.items() if process.poll() is not None]
        if ended:
            text = (folder / f"{ended[0]}.txt").read_text(encoding="utf-8").strip()
            raise RunFault(f"{ended[0]}_node has ended: {text}")
        if silent:
            raise RunFault(f"nothing was published on {', '.join(sorted(silent))}")
        meters = {name: CpuMeter(process.pid) for name, process in processes.items()}
        before = feed.messages, feed.mirrored
        feed.fly(options.seconds)
        used = {name: meter.percent() for name, meter in meters.items()}
        resident = {name: resident_kib(process.pid) for name, process in processes.items()}
    return {
        "commit": commit(),
        "machine": machine_kind(),
        "seconds": options.seconds,
        "messages_per_s": (feed.messages - before[0]) / options.seconds,
        "mirrored_per_s": (feed.mirrored - before[1]) / options.seconds,
        "cpu_percent": used,
        "cpu_percent_together": sum(used.values()),
        "resident_kib": resident,
    }


def _start(name: str, folder: Path, mirror_port: int, sensors: Path) -> subprocess.Popen[bytes]:
    arguments = ["--ros-args", "-r", "__ns:=/pqc"]
    if name == "sensing":
        arguments += ["-p", f"mirror_address:={LOOPBACK}", "-p", f"mirror_port:={mirror_port}"]
        arguments += ["-p", f"sys_root:={sensors}"]
    with (folder / f"{name}.txt").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"pqc_policy.nodes.{name}_node", *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=end_with_parent,
        )


def _judge(result: dict[str, Any]) -> list[str]:
    together = result["cpu_percent_together"]
    if together <= LIMIT_PERCENT:
        return []
    return [f"The nodes use {together:.1f} % of a core; {LIMIT_PERCENT:g} % are allowed."]


def _text(result: dict[str, Any]) -> list[str]:
    rates = f"{result['messages_per_s']:.0f} messages/s, {result['mirrored_per_s']:.0f} mirrored"
    lines = [f"{name:<10}{percent:6.2f} %" for name, percent in result["cpu_percent"].items()]
    together = f"{'together':<10}{result['cpu_percent_together']:6.2f} % of a core"
    return [rates, *lines, together]
