# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench power`."""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
from pqc_sim.pair.programs import tool_program

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.power.capture import PowerCapture
from pqc_bench.power.emulated import EmulatedSensor, Fed
from pqc_bench.power.energy import EnergyOfTrace, Span
from pqc_bench.power.trace import read_trace

_SEED = 1
# Of the energy that was fed.
_TOLERANCE = 0.01


def run(options: argparse.Namespace) -> int:
    return run_measurement(
        options.out, lambda folder: trial(folder, options.seconds, options.rate), judge, _text
    )


def trial(folder: Path, seconds: float, rate_hz: float) -> dict[str, Any]:
    """Feed an emulated sensor for so long, and return what was fed and what was recorded."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        sensor = EmulatedSensor(Path(scratch), rate_hz)
        command = [str(tool_program("pqc_power_capture")), "--sys-root", str(sensor.sys)]
        capture = PowerCapture([*command, "--dev-root", str(sensor.dev)], folder / "trial.csv.gz")
        fed = Fed()

        def feed() -> None:
            nonlocal fed
            fed = sensor.feed(seconds, _SEED, paced=True)

        # The program opens the buffer while this opens its other end.
        feeder = threading.Thread(target=feed)
        feeder.start()
        before = os.times()
        capture.start()
        feeder.join()
        capture.stop()
        after = os.times()
    trace = read_trace(folder / "trial.csv.gz")
    span = Span(float(trace.seconds[0]), float(trace.seconds[-1]))
    energy = EnergyOfTrace(trace).energy(span)
    return {
        "seconds": span.seconds,
        "rate_hz": (len(trace.seconds) + float(trace.missed.sum()) - 1) / span.seconds,
        "fed": fed.__dict__,
        "recorded": {
            "samples": len(trace.seconds),
            "gaps": int(np.count_nonzero(trace.missed)),
            "missed": int(trace.missed.sum()),
            "joules": energy.joules,
        },
        "bridged_share": energy.bridged_share,
        "uncovered_share": energy.uncovered_share,
        "trace_bytes": (folder / "trial.csv.gz").stat().st_size,
        "cpu_share": (
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )
        / span.seconds,
    }


def judge(result: dict[str, Any]) -> list[str]:
    """Return the differences between what was fed and what was recorded, a sentence each."""
    fed, recorded = result["fed"], result["recorded"]
    faults = [
        f"{recorded[name]} {name} were recorded of {fed[name]}"
        for name in ("samples", "gaps", "missed")
        if recorded[name] != fed[name]
    ]
    if abs(recorded["joules"] / fed["joules"] - 1.0) > _TOLERANCE:
        faults.append(f"{recorded['joules']:.2f} J were recorded of {fed['joules']:.2f} J")
    return faults


def _text(result: dict[str, Any]) -> list[str]:
    fed, recorded = result["fed"], result["recorded"]
    return [
        "",
        f"  {result['rate_hz']:.1f} samples/s for {result['seconds']:.0f} s",
        f"  {recorded['samples']} samples, {recorded['missed']} missing in {recorded['gaps']} gaps;"
        f" fed: {fed['samples']}, {fed['missed']}, {fed['gaps']}",
        f"  {recorded['joules']:.2f} J of {fed['joules']:.2f} J fed"
        f" ({100.0 * (recorded['joules'] / fed['joules'] - 1.0):+.3f} %)",
        f"  {100.0 * result['cpu_share']:.2f} % of a core, {result['trace_bytes'] / 1e6:.1f} MB",
    ]
