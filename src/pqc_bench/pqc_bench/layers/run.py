# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench layers`."""

from __future__ import annotations

import argparse
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pqc_testing.child import die_with_parent

from pqc_bench.harness.measurement import run_measurement
from pqc_bench.layers import layers_text
from pqc_bench.layers.command import SECONDS
from pqc_bench.layers.flight import fly
from pqc_bench.layers.model import differences, modelled_seconds
from pqc_bench.layers.verdict import judge

_WITHOUT = "static"


def run(options: argparse.Namespace) -> int:
    """Fly over each link; 0 if layers come in time and cost no more than they may."""
    return run_measurement(
        options.out, lambda folder: _measure(options, folder), judge, layers_text.lines
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    links: dict[str, Any] = {}
    for link in options.links:
        seconds = options.seconds or SECONDS[link]
        modelled = modelled_seconds(link, options.strategy, seconds)
        links[link] = repeated(
            [
                _fly_both(folder / str(number), link, options.strategy, seconds)
                for number in range(options.repeat)
            ],
            modelled,
        )
        print(f"  {link}: done", flush=True)
    return {"links": links, "strategy": options.strategy}


def repeated(flown: list[dict[str, Any]], modelled: dict[str, float]) -> dict[str, Any]:
    """Return the figures of the first flight over a link, with the others beside it."""
    first, *others = (compared(flights, modelled) for flights in flown)
    times = [one["seconds_to"] for one in (first, *others)]
    return {**first, "others": others, "model_off": differences(times, modelled)}


def compared(flights: dict[str, Any], modelled: dict[str, float]) -> dict[str, Any]:
    """Return the figures of a link, given its flights and what the model says."""
    layers, without = flights["layers"], flights["without"]
    delays = (layers["command_p99_ms"], without["command_p99_ms"])
    return {
        **{name: layers[name] for name in ("seconds_to", "lost", "air_share")},
        **{name: layers[name] for name in ("one_time_s", "renewal_gap_s")},
        "command_p99_added_ms": None if None in delays else round(delays[0] - delays[1], 1),
        "lost_added": round(layers["lost_share"] - without["lost_share"], 5),
        "modelled_s": modelled,
        "model_off": differences([layers["seconds_to"]], modelled),
        "flights": flights,
    }


def _fly_both(folder: Path, link: str, strategy: str, seconds: float) -> dict[str, Any]:
    """Fly with layers and without at the same time, so that a busy machine delays both alike."""
    # A process has one ROS graph.
    with get_context("spawn").Pool(2, initializer=die_with_parent) as pool:
        flying = {
            name: pool.apply_async(
                fly, (folder / link / name, link, one, seconds), {"ratchet": name == "layers"}
            )
            for name, one in (("layers", strategy), ("without", _WITHOUT))
        }
        return {name: one.get() for name, one in flying.items()}
