# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Make the recorded flights: ros2 run pqc_sim record_flights [NAME ...]."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError
from pqc_policy.policy.explain.decision_log import fold
from pqc_policy.replay.recording import RecordingFault, replay
from pqc_policy.shown_text import shown, shown_streams

from pqc_sim.flights.flight_files import (
    policy_of,
    write_flight,
    write_log,
)
from pqc_sim.flights.recorded_flights import SCRIPTS
from pqc_sim.flights.simulation import Simulation


@shown_streams()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all files were written."""
    options = _parser().parse_args(arguments)
    names = options.names or list(SCRIPTS)
    if strangers := [name for name in names if name not in SCRIPTS]:
        known = ", ".join(SCRIPTS)
        print(f"There is no flight {strangers[0]!r}; there are {known}.", file=sys.stderr)
        return 2
    try:
        for name in names:
            folder = options.out / name
            if not options.update_logs:
                _fly(name, folder, options.seed)
            lines = fold(replay(policy_of(folder), folder))
            write_log(folder, lines)
            print(f"{folder}: {len(lines)} lines in the decision log")
    except PackageNotFoundError as fault:
        print(f"The messages of a flight are not all installed: {fault}.", file=sys.stderr)
        return 1
    except (RecordingFault, OSError) as fault:
        print(shown(fault), file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="record_flights",
        description="Flies simulated drones and writes a rosbag2 folder of each, with the decision "
        "log beside the recording.",
        epilog="Flights: " + "; ".join(f"{s.name} – {s.about}" for s in SCRIPTS.values()),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="flights to make; default: all")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("flights"),
        metavar="DIR",
        help="folder with the folders of the flights; default: flights",
    )
    parser.add_argument("--seed", type=int, help="seed of wind, noise and losses; default: 1")
    parser.add_argument(
        "--update-logs",
        action="store_true",
        help="keep the recordings and only rewrite the decision logs, after a change of the policy",
    )
    return parser


def _fly(name: str, folder: Path, seed: int | None) -> None:
    script = SCRIPTS[name]
    if seed is not None:
        script = replace(script, seed=seed)
    flown = Simulation(script).fly()
    if (folder / "metadata.yaml").exists():
        shutil.rmtree(folder)
    write_flight(folder, flown)


if __name__ == "__main__":
    sys.exit(main())
