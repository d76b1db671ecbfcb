# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench flood`."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any

from pqc_bench.flood import addresses, member, restarts
from pqc_bench.flood.phase import WINDOWS, Phase
from pqc_bench.flood.result import judge, lines
from pqc_bench.flood.strangers import Attack, may_spoof
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.live_pair import LivePair
from pqc_bench.harness.measurement import run_measurement

_DRAIN_S = 3
_DATAGRAM_BYTES = 256


def run(options: argparse.Namespace) -> int:
    """Flood both ends, or do what the options name; 0 if they passed."""
    if options.member:
        attack, arguments = member, (options.frames, options.seconds)
    elif options.addresses:
        attack, arguments = addresses, (options.seconds,)
    elif options.restarts:
        attack, arguments = restarts, (options.datagrams, options.seconds)
    else:
        return run_measurement(options.out, lambda folder: _measure(options, folder), judge, lines)
    return run_measurement(
        options.out,
        lambda folder: attack.measure(folder, *arguments),
        attack.judge,
        attack.lines,
    )


def _measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    hellos = folder / "hellos"
    attacks = (
        Attack("junk at the gcs", "gcs", sources=64),
        Attack("hellos at the gcs", "gcs", options.sources, hellos),
        Attack("junk at the drone", "drone"),
        # Without the right to it they come from the drone's host, but another port.
        Attack("junk from the drone's address", "gcs", spoofed=may_spoof()),
        Attack("hellos from the drone's address", "gcs", hellos=hellos, spoofed=may_spoof()),
    )
    with contextlib.ExitStack() as stack:
        pair = LivePair(folder, stack)
        pair.start(hellos=hellos)
        windows = 1 + WINDOWS * len(attacks)
        blaster = stack.enter_context(
            Blaster(
                pair.applications,
                options.rate,
                _DATAGRAM_BYTES,
                windows,
                drain_s=_DRAIN_S,
                namespaces=pair.namespaces,
            )
        )
        phases = [
            Phase(attack, options.seconds, options.datagrams, pair, blaster) for attack in attacks
        ]
        results = [phase.run() for phase in phases]
        report = blaster.finish()
    return {
        "network": pair.places.network,
        "phases": [
            {**result, "traffic": phase.traffic(report)}
            for phase, result in zip(phases, results, strict=True)
        ],
        "rate": options.rate,
    }
