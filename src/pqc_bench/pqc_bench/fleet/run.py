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
from statistics import median
from typing import Any

from pqc_bench.fleet.daemon_fleet import HOSTILE, DaemonFleet
from pqc_bench.fleet.relay_fleet import RelayFleet
from pqc_bench.fleet.result import judge, lines
from pqc_bench.harness.blaster import DIRECTIONS
from pqc_bench.harness.cores import alone
from pqc_bench.harness.measurement import run_measurement
from pqc_bench.harness.places import ATTACKER
from pqc_bench.harness.process_use import cpu_seconds, resident_kib
from pqc_bench.harness.tunnel_pair import SETTLE_S
from pqc_bench.peers.rounds import spread

_WARM_UP_S = 1.0
_ROUNDS = 5  # of the tunnel and the relay in turn
_WINDOW = "measured"
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
        relays = RelayFleet(drones, fleet.applications, stack)
        pinned = stack.enter_context(alone([fleet.ground.pid, relays.ground.pid]))
        time.sleep(SETTLE_S)
        idle_s = cpu_seconds(fleet.ground.pid)
        time.sleep(options.seconds)
        idle_s = cpu_seconds(fleet.ground.pid) - idle_s
        rounds = [(_window(options, fleet), _window(options, relays)) for _ in range(_ROUNDS)]
        with _flood(fleet, options.frames) as frames:
            flood = _window(options, fleet)
        costs = [tuple(_per_datagram(one, one["sent"]) for one in both) for both in rounds]
        return {
            "cpu_us_per_datagram": round(median(own for own, _ in costs), 2),
            "relay_us_per_datagram": round(median(relay for _, relay in costs), 2),
            "ratio_to_relay": spread(own / max(relay, 0.01) for own, relay in costs),
            "pinned": pinned,
            "idle_core_share": round(idle_s / options.seconds, 5),
            "rss_mib": round(resident_kib(fleet.ground.pid) / 1024, 1),
            "all_sessions_s": round(all_sessions_s, 2),
            "datagrams": {name: sum(own[name] for own, _ in rounds) for name in ("sent", "lost")},
            "flood": {
                "sent": flood["sent"],
                "lost": flood["lost"],
                "frames_per_s": round(sum(frames)),
                "cpu_us_per_datagram": _per_datagram(
                    flood, flood["sent"] + sum(frames) * flood["seconds"]
                ),
            },
        }


def _window(options: argparse.Namespace, fleet: DaemonFleet | RelayFleet) -> dict[str, Any]:
    """Send for a while; return what was sent and lost, and the CPU time of the ground's process."""
    with fleet.blaster(options.rate, options.size, 3) as blaster:
        time.sleep(_WARM_UP_S)
        blaster.open_window(_WINDOW)
        before = cpu_seconds(fleet.ground.pid)
        time.sleep(options.seconds / _ROUNDS)
        used_s = cpu_seconds(fleet.ground.pid) - before
        blaster.open_window("after")
        windows = blaster.finish()["windows"]
    (window,) = (one for one in windows if one["name"] == _WINDOW)
    return {
        "sent": sum(window[way]["sent"] for way in DIRECTIONS),
        "lost": sum(window[way]["lost"] for way in DIRECTIONS),
        "seconds": window["seconds"],
        "cpu_s": used_s,
    }


def _per_datagram(window: dict[str, Any], datagrams: float) -> float:
    return round(1e6 * window["cpu_s"] / max(datagrams, 1.0), 2)


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
