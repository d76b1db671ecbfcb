# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decides a recorded flight again, prints the decision log and optionally draws it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.decision_log import fold, summary_of, to_json
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.strategies import STRATEGIES
from pqc_policy.replay.decision_table import summary, table
from pqc_policy.replay.obedient_session import decide_obeyed
from pqc_policy.replay.parameter_file import read_settings
from pqc_policy.replay.recording import RecordingFault, read_decisions, read_recording

RECORDED, OBEDIENT = "recorded", "obedient"
ORIGINS = {
    RECORDED: "the session is the recorded one",
    OBEDIENT: "what if: the session follows these decisions, not the recorded ones",
}
# The parameters of the recorded flight, beside its recording.
BESIDE = "policy.yaml"
_FAULTS = (ParameterFault, RecordingFault)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="replay", description=__doc__)
    parser.add_argument("bag", type=Path, help="folder of a rosbag2 recording (MCAP or SQLite)")
    parser.add_argument(
        "--strategy", choices=tuple(STRATEGIES), help="in place of the configured one"
    )
    parser.add_argument(
        "--params",
        type=Path,
        metavar="FILE.yaml",
        help=f"parameters of the policy; default: {BESIDE} in the bag's folder, if there is one",
    )
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="predicted costs of the suites"
    )
    parser.add_argument(
        "--namespace", default="pqc", help="namespace of the recorded topics (default: pqc)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the decision log there")
    parser.add_argument(
        "--picture", type=Path, metavar="FILE", help="draw the flight there (.png or .svg)"
    )
    parser.add_argument(
        "--origin",
        choices=tuple(ORIGINS),
        default=RECORDED,
        help="session to decide from: the recorded one, or one that follows the decisions",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 for a bag or parameters that can't be used, else 0."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.picture is not None and options.picture.suffix not in (".png", ".svg"):
        parser.error(f"{options.picture} must end in .png or .svg.")
    if options.params is None and (options.bag / BESIDE).is_file():
        options.params = options.bag / BESIDE
    try:
        policy, decisions = _decided(options)
        _print(policy, decisions, options)
        if options.json is not None:
            options.json.write_text(to_json(fold(decisions)), encoding="utf-8")
        if options.picture is not None:
            _draw(policy, decisions, options)
    except _FAULTS as fault:
        print(fault, file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the pipe has ended
        return 0
    except OSError as fault:
        print(f"{fault.filename} can't be written: {fault.strerror}.", file=sys.stderr)
        return 1
    return 0


def _decided(options: argparse.Namespace) -> tuple[Policy, list[Decision]]:
    wanted = {"strategy": options.strategy, "profile": options.profile and str(options.profile)}
    settings = read_settings(options.params, {n: v for n, v in wanted.items() if v is not None})
    policy = settings.make_policy()
    history = read_recording(options.bag, options.namespace, settings.settle_s)
    decide = policy.replay if options.origin == RECORDED else partial(decide_obeyed, policy)
    return policy, list(decide(history))


def _title(policy: Policy, options: argparse.Namespace) -> str:
    name = options.bag.resolve().name
    return f"{name}, strategy {policy.config.strategy} ({ORIGINS[options.origin]})"


def _print(policy: Policy, decisions: list[Decision], options: argparse.Namespace) -> None:
    print(f"{_title(policy, options)}: {len(decisions)} decisions")
    if options.params is not None:
        print(f"Parameters: {options.params}")
    print(table(fold(decisions)))
    print(summary(decisions))
    if options.origin == RECORDED:
        recorded = read_decisions(options.bag, options.namespace)
        if recorded:
            print(_compared(decisions, recorded))
    sys.stdout.flush()


def _compared(decisions: list[Decision], recorded: list[Any]) -> str:
    """Return a sentence that compares the decisions with those recorded in flight."""
    flown = {line["t"]: line for line in map(summary_of, recorded)}
    both = [(d.summary(), flown[d.t]) for d in decisions if d.t in flown]
    different = [replayed for replayed, there in both if replayed != there]
    if not different:
        return f"The {len(both)} decisions recorded in flight are the same."
    at_s = different[0]["t"] - decisions[0].t
    return (
        f"Of {len(both)} decisions recorded in flight {len(different)} differ, "
        f"the first one at {at_s:.0f} s."
    )


def _draw(policy: Policy, decisions: list[Decision], options: argparse.Namespace) -> None:
    try:
        from pqc_policy.replay.picture import draw
    except ImportError as fault:
        raise RecordingFault(f"A picture needs matplotlib: {fault}.") from fault
    if not decisions:
        raise RecordingFault("There is nothing to draw: the recording is too short.")
    draw(decisions, policy, _title(policy, options), options.picture)


if __name__ == "__main__":
    raise SystemExit(main())
