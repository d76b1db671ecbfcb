# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Train what learns, and write each model with its card, or the agent's table.

The data are generated anew from fixed seeds; nothing is downloaded. A model is written only as a
whole.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from pqc_policy.shown_text import shown_streams
from pqc_sim.processes.command_line import Parser, whole

TREES, TRANSFORMER, AGENT, ALL = "trees", "transformer", "agent", "all"
# The trees fly.
MODELS = {TREES: "src/pqc_policy/models", TRANSFORMER: "src/pqc_learning/models"}
# The metrics of a second training may be so far from those of a card.
RATE_BOUND, FALSE_ALARM_BOUND = 0.05, 0.1


def make_parser() -> Parser:
    """Return the command line; it needs no library of the training."""
    parser = Parser(prog="./dev train", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=(TREES, TRANSFORMER, AGENT, ALL),
        default=ALL,
        help="what to train (all)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; fail if the metrics differ from those of the cards by more than "
        f"{RATE_BOUND:g} (rates) or {FALSE_ALARM_BOUND:g} (false alarms per hour)",
    )
    parser.add_argument(
        "--jobs",
        type=whole(1, 64, "a number of processes"),
        default=2,
        help="processes that generate data and fly (2)",
    )
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    return parser


@shown_streams()
def main(arguments: list[str] | None = None) -> int:
    """Train; 0 if everything was trained, and with --check reproduced."""
    options = make_parser().parse_args(arguments)
    root = options.root or Path(__file__).resolve().parents[4]
    faults = []
    for name in (TREES, TRANSFORMER):
        if options.what in (name, ALL):
            faults += _detector(name, root / MODELS[name], options.check, options.jobs, root)
    if options.what in (AGENT, ALL):
        faults += _agent(options.check, options.jobs, root)
    for fault in faults:
        print(f"train: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _detector(name: str, models: Path, check: bool, jobs: int, root: Path) -> list[str]:
    detector = import_module("pqc_learning.training.detector")
    began_s = time.monotonic()
    command = f"./dev train {name}"
    if not check:
        card = detector.train(name, models / name, jobs, _commit(root), command)
        _report(name, card, began_s)
        return []
    before = json.loads((models / name / "card.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        card = detector.train(name, Path(folder) / name, jobs, _commit(root), command)
    _report(name, card, began_s)
    found = differences(before["metrics"], card["metrics"])
    if not found:
        same = card["sha256"] == before["sha256"]
        print(f"{name}: the metrics of the card are reproduced{', bit by bit' if same else ''}")
    return [f"{name}: {text}" for text in found]


def differences(before: dict[str, float], now: dict[str, float]) -> list[str]:
    """Return a sentence for each metric that a second training has not reproduced."""
    found = []
    for metric, value in before.items():
        bound = FALSE_ALARM_BOUND if metric.startswith("false_alarms") else RATE_BOUND
        if metric.endswith(("_s", "_hours")):
            continue
        if metric not in now:
            found.append(f"{metric} is missing.")
        elif abs(now[metric] - value) > bound:
            found.append(f"{metric} is {now[metric]:.3f}, and was {value:.3f}.")
    return found


def _report(name: str, card: dict[str, object], began_s: float) -> None:
    print(f"{name}: trained in {time.monotonic() - began_s:.0f} s")
    metrics = card["metrics"]
    assert isinstance(metrics, dict)
    for metric, value in metrics.items():
        print(f"  {metric:<28}{value:9.4f}")


def _agent(check: bool, jobs: int, root: Path) -> list[str]:
    faults = import_module("pqc_learning.training.agent").train(jobs, _commit(root), check=check)
    if check and not faults:
        print("agent: the figures of the card are reproduced")
    return [f"agent: {fault}" for fault in faults]


def _commit(root: Path) -> str:
    """Return the commit of the checkout; "-dirty" after it if files have changed since."""
    done = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
        capture_output=True,
        text=True,
        env=os.environ | {"LC_ALL": "C"},
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
