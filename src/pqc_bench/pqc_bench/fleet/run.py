# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench fleet`."""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pqc_bench.fleet.daemon_fleet import HOSTILE, DaemonFleet
from pqc_bench.fleet.result import judge, lines
from pqc_bench.harness.blaster import DIRECTIONS, Blaster
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.places import ATTACKER
from pqc_bench.harness.process_use import cpu_seconds, resident_kib

# After sessions were made, keys are made and fetched ahead, and addresses prove themselves.
_SETTLE_S = 10.0
_WARM_UP_S = 2.0
_FLOOD_START_S = 3.0
_FLOOD_SORT = "data"


def run(options: argparse.Namespace) -> int:
    """Measure each number of drones; 0 if they passed."""
    return run_measurement(options.out, lambda folder: _measure(options, folder), judge, lines)


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    return {
        "drones": {
            str(drones): _measure_fleet(options, folder / str(drones), drones)
            for drones in sorted(set(options.drones))
        },
        "rate": options.rate,
    }


def _measure_fleet(options: argparse.Namespace, folder: Path, drones: int) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        fleet = DaemonFleet(folder, drones, stack)
        fleet.wait_for_sessions()
        all_sessions_s = fleet.restart()
        time.sleep(_SETTLE_S)
        idle_s = cpu_seconds(fleet.ground.pid)
        time.sleep(options.seconds)
        idle_s = cpu_seconds(fleet.ground.pid) - idle_s
        blaster = stack.enter_context(fleet.blaster(options.rate, options.size, 8))
        time.sleep(_WARM_UP_S)
        quiet_s = _cpu_of_window(fleet, blaster, "quiet", options.seconds)
        with _flood(fleet, options.frames) as frames:
            flood_s = _cpu_of_window(fleet, blaster, "flood", options.seconds)
        blaster.open_window("after")
        windows = {window["name"]: window for window in blaster.finish()["windows"]}
        quiet, flood = (_counts(windows[name]) for name in ("quiet", "flood"))
        return {
            "cpu_us_per_datagram": _per_datagram(quiet_s, quiet["sent"]),
            "idle_core_share": round(idle_s / options.seconds, 5),
            "rss_mib": round(resident_kib(fleet.ground.pid) / 1024, 1),
            "all_sessions_s": round(all_sessions_s, 2),
            "datagrams": quiet,
            "flood": {
                **flood,
                "frames_per_s": round(sum(frames)),
                "cpu_us_per_datagram": _per_datagram(
                    flood_s, flood["sent"] + sum(frames) * windows["flood"]["seconds"]
                ),
            },
        }


def _cpu_of_window(fleet: DaemonFleet, blaster: Blaster, name: str, seconds: float) -> float:
    blaster.open_window(name)
    before = cpu_seconds(fleet.ground.pid)
    time.sleep(seconds)
    used = cpu_seconds(fleet.ground.pid) - before
    blaster.open_window(f"after {name}")
    return used


def _counts(window: dict[str, Any]) -> dict[str, int]:
    return {
        "sent": sum(window[way]["sent"] for way in DIRECTIONS),
        "lost": sum(window[way]["lost"] for way in DIRECTIONS),
    }


def _per_datagram(cpu_s: float, datagrams: float) -> float:
    return round(1e6 * cpu_s / max(datagrams, 1.0), 2)


@contextlib.contextmanager
def _flood(fleet: DaemonFleet, rate: int) -> Iterator[list[float]]:
    """Let the hostile drone send until the end; the list then has its frames per second."""
    hour = 3600
    words = [fleet.tunnels.keys / HOSTILE, fleet.tunnels.places.at(ATTACKER), *fleet.link]
    flood = subprocess.Popen(
        [
            *(sys.executable, "-m", "pqc_bench.flood.hostile_drone"),
            *map(str, [*words, _FLOOD_SORT, rate, hour]),
        ],
        stdout=subprocess.DEVNULL,
    )
    frames: list[float] = []
    try:
        time.sleep(_FLOOD_START_S)
        before, begun = _frames_of(fleet), time.monotonic()
        yield frames
        frames.append((_frames_of(fleet) - before) / (time.monotonic() - begun))
    finally:
        flood.kill()
        flood.wait()


def _frames_of(fleet: DaemonFleet) -> int:
    peers = fleet.tunnels.ask("gcs", "status")["peers"]
    traffic = next(peer["traffic"] for peer in peers if peer["name"] == HOSTILE)
    return int(traffic["cipher_in_packets"])
