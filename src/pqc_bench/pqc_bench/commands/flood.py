# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The command flood; options/flood.py describes it."""

from __future__ import annotations

import argparse
import contextlib
import time
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.ports import LOOPBACK, STRANGERS

from pqc_bench.flood import flood_text
from pqc_bench.flood.strangers import Sources, Strangers, reconcile
from pqc_bench.flood.verdict import judge
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.kernel_drops import kernel_drops
from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.measured_nodes import MeasuredNodes, drops_of
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.process_use import CpuMeter, resident_kib
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.rekey.result import Traffic

_ESTABLISH_S = 60.0
_STATUS_S = 60.0
_REKEY_S = 30.0
_QUIET_S = 5.0
_SETTLE_S = 1.0
_DRAIN_S = 3
_SAMPLE_S = 0.5
_SOURCES = 64
_WINDOWS = 16


def run(options: argparse.Namespace) -> int:
    """Flood both ends; 0 if they passed."""
    return run_measurement(
        options.out, lambda folder: _measure(options, folder), judge, flood_text.lines
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        pair = stack.enter_context(TunnelPair(folder, Plan()))
        view = stack.enter_context(MeasuredNodes(pair.check))
        view.wait_established(_ESTABLISH_S)
        blaster = stack.enter_context(
            Blaster(pair.applications, options.rate, 256, _WINDOWS, drain_s=_DRAIN_S)
        )
        phases = [Phase(options, target, pair, view, blaster).run() for target in ("gcs", "drone")]
        report = blaster.finish()
    windows = {window["name"]: Traffic.of(window) for window in report["windows"]}
    for phase in phases:
        phase["traffic"] = {
            name: _traffic_record(windows[f"{name} {phase['target']}"])
            for name in ("quiet", "flood")
        }
    return {
        "phases": phases,
        "rate": options.rate,
        "machine": machine_kind(),
        "commit": commit(),
    }


def _traffic_record(traffic: Traffic) -> dict[str, Any]:
    return {
        "sent": traffic.sent,
        "lost": traffic.lost,
        "loss_percent": round(100.0 * traffic.lost / traffic.sent, 4) if traffic.sent else 0.0,
        "corrupted": traffic.corrupted,
        "longest_gap_ms": round(traffic.longest_gap_ms, 3),
        "longest_pause_ms": round(traffic.longest_pause_ms, 3),
    }


class Phase:
    """A flood at one end."""

    def __init__(
        self,
        options: argparse.Namespace,
        target: str,
        pair: TunnelPair,
        view: MeasuredNodes,
        blaster: Blaster,
    ) -> None:
        """Prepare a flood at the end `target`, "drone" or "gcs"."""
        self._options = options
        self._target = target
        self._view = view
        self._blaster = blaster
        self._pids = {end: pair.pid(end) for end in ("drone", "gcs")}
        ports = pair.ports
        self._port = ports.gcs_datagram if target == "gcs" else ports.drone_datagram

    def run(self) -> dict[str, Any]:
        """Measure traffic without and with the flood, and compare the counters."""
        view = self._view
        quiet, memory = self._let_flow("quiet", None)
        before, kernel_before = self._counters()
        with self._strangers() as strangers:
            flooded, _ = self._let_flow("flood", strangers, memory)
            # The program waits for late answers.
            self._blaster.open_window(f"after {self._target}")
            while strangers.running:
                view.spin(_SAMPLE_S)
            flood = strangers.report()
        view.spin(_SETTLE_S)
        after, kernel_after = self._counters()
        self._sample(memory)
        counted = {reason: after[reason] - before[reason] for reason in after}
        answer = view.rekey("", _REKEY_S)
        return {
            "target": self._target,
            "flood": flood,
            "counters": reconcile(flood["kinds"], counted, kernel_after - kernel_before),
            "drops": counted,
            "cpu_percent": {
                end: {"quiet": quiet[end], "flood": flooded[end]} for end in self._pids
            },
            "resident_kib": {
                end: {"first": used[0], "last": used[-1], "most": max(used)}
                for end, used in memory.items()
            },
            "rekey_after": {"success": answer.success, "message": answer.message},
        }

    def _strangers(self) -> Strangers:
        sources = None
        if self._target == "gcs":
            sources = Sources(Endpoint(STRANGERS, 0), _SOURCES)
        return Strangers(
            self._options.seconds,
            Endpoint(LOOPBACK, self._port),
            self._options.datagrams,
            self._view.status[self._target].key_id,
            sources,
        )

    def _let_flow(
        self, name: str, strangers: Strangers | None, memory: dict[str, list[int]] | None = None
    ) -> tuple[dict[str, float], dict[str, list[int]]]:
        """Return the CPU of both ends in %, and samples of their memory in KiB."""
        used = {end: [] for end in self._pids} if memory is None else memory
        meters = {end: CpuMeter(pid) for end, pid in self._pids.items()}
        self._blaster.open_window(f"{name} {self._target}")
        length = _QUIET_S if strangers is None else self._options.seconds
        until = time.monotonic() + length
        while time.monotonic() < until:
            self._view.spin(min(_SAMPLE_S, max(until - time.monotonic(), 0.0)))
            self._sample(used)
        return {end: round(meter.percent(), 2) for end, meter in meters.items()}, used

    def _sample(self, memory: dict[str, list[int]]) -> None:
        for end, pid in self._pids.items():
            memory[end].append(resident_kib(pid))

    def _counters(self) -> tuple[dict[str, int], int]:
        """Return the drops of the flooded end and of the kernel."""
        drops = drops_of(self._view.fresh(_STATUS_S)[self._target])
        if self._target == "gcs":
            strangers = self._view.fresh_strangers(_STATUS_S)
            for reason in ("malformed", "unknown"):
                drops[reason] += strangers[reason]
            drops["unknown_drone"] = strangers["unknown drones"]
            drops["discarded"] = strangers["discarded hellos"]
        return drops, kernel_drops(self._port)
