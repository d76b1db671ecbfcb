# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decides a recorded flight again and prints the decision log."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.config import STRATEGY_NAMES
from pqc_policy.shown_text import shown, shown_streams

# Other modules are imported where they are used, so that --help and a refusal come at once.
if TYPE_CHECKING:
    from pqc_policy.policy.decision import Decision
    from pqc_policy.replay.recorded_parameters import FlightSettings
    from pqc_policy.replay.recording import Recording

# The parameters of a flight whose recording has none, beside the recording.
BESIDE = "policy.yaml"


class _Parser(argparse.ArgumentParser):
    """Reports a mistake in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[0].upper()}{message[1:].rstrip('.')}. See {self.prog} --help.\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="replay", description=__doc__, allow_abbrev=False)
    parser.add_argument("bag", type=Path, help="rosbag2 recording: its folder or its file (MCAP)")
    parser.add_argument("--strategy", choices=STRATEGY_NAMES, help="in place of that of the flight")
    parser.add_argument(
        "--params",
        type=Path,
        metavar="FILE.yaml",
        help="parameters of the policy, in place of those of the flight: those in the bag, or else "
        f"{BESIDE} in its folder, or else the defaults",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="predicted costs of the suites, in place of those of the flight",
    )
    parser.add_argument(
        "--namespace", default="pqc", help="namespace of the recorded topics (default: pqc)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the decision log there")
    return parser


@shown_streams()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 for a bag, parameters or a file that can't be used, else 0."""
    parser = _parser()
    options = parser.parse_args(arguments)
    # A file that can't be written is refused before any work is done.
    why = None if options.json is None else _unwritable(options.json)
    if why is not None:
        parser.exit(1, f"{options.json} can't be written: {why}.\n")
    try:
        _replay(options)
    except (ParameterFault, _fault()) as fault:
        print(fault, file=sys.stderr)
        return 1
    except OSError as fault:
        what = fault.filename or "The output"
        print(f"{shown(what)} can't be written: {fault.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _fault() -> type[Exception]:
    from pqc_policy.replay.recording import RecordingFault

    return RecordingFault


def _unwritable(file: Path) -> str | None:
    """Return why a file can't be written; None if it probably can."""
    if file.is_dir():
        return "it is a folder"
    if not file.absolute().parent.is_dir():
        return f"there is no folder {file.absolute().parent}"
    if not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
        return "permission denied"
    return None


def _replay(options: argparse.Namespace) -> None:
    from pqc_policy.policy.explain.decision_log import fold, to_json
    from pqc_policy.replay.decision_table import summary, table
    from pqc_policy.replay.recording import Recording

    recording = Recording(options.bag, options.namespace)
    for sentence in recording.damage:
        print(shown(sentence), file=sys.stderr)
    settings, source = _settings(options, recording)
    decisions = list(settings.replay(recording.inputs(settings.first.settle_s)))
    log = fold(decisions)
    title = f"{shown(options.bag.resolve().name)}, strategy {settings.first.config.strategy}"
    start_s = decisions[0].t if decisions else 0.0
    _print(
        f"{title}: {len(decisions)} decisions",
        f"Parameters: {shown(source)}.",
        *_differences(settings, start_s),
        table(log),
        summary(decisions),
    )
    _print(*_compared(decisions, recording))
    if options.json is not None:
        options.json.write_text(to_json(log), encoding="utf-8")


def _settings(options: argparse.Namespace, recording: Recording) -> tuple[FlightSettings, str]:
    from pqc_policy.replay.parameter_file import read_values
    from pqc_policy.replay.recorded_parameters import FlightSettings

    given = {} if options.params is None else read_values(options.params)
    if options.strategy is not None:
        given["strategy"] = options.strategy
    if options.profile is not None:
        given["profile"] = str(options.profile)
    recorded = recording.parameters()
    beside = (options.bag if options.bag.is_dir() else options.bag.parent) / BESIDE
    if recorded:
        source = "recorded in the bag"
    elif options.params is not None:
        source = f"{options.params} (the bag has none)"
    elif beside.is_file():
        recorded = [(0.0, read_values(beside))]
        source = f"{beside} (the bag has none)"
    else:
        source = "the defaults (the bag has none)"
    return FlightSettings(recorded, given), source


def _differences(settings: FlightSettings, start_s: float) -> Iterator[str]:
    """Yield which parameters were changed in flight, and which the options replace."""
    for time_s, name, before, after in settings.changes():
        if time_s < start_s:
            continue
        ignored = ", which is replaced here" if name in settings.overrides else ""
        change = f"changed from {shown(before)} to {shown(after)}{ignored}"
        yield f"At {time_s - start_s:.0f} s {name} {change}."
    replaced = [f"{name} is {used}, was {was}" for name, was, used in settings.replaced()]
    if replaced:
        yield shown(f"Replaced: {'; '.join(replaced)}.")


def _print(*lines: str) -> None:
    """Print lines; nothing more if the reader of the pipe has ended."""
    if sys.stdout is None:
        return
    try:
        for line in lines:
            print(line.encode(sys.stdout.encoding, "replace").decode(sys.stdout.encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _compared(decisions: list[Decision], recording: Recording) -> Iterator[str]:
    """Yield a sentence that compares the decisions with those recorded in flight, if any."""
    from pqc_policy.policy.explain.decision_log import summary_of

    recorded = recording.decisions()
    if not recorded:
        return
    try:
        flown = {at_s: summary_of(message) | {"t": at_s} for at_s, message in recorded}
    except AttributeError:
        yield "The decisions recorded in flight have other fields: they are not compared."
        return
    both = [(d.summary(), flown[d.t]) for d in decisions if d.t in flown]
    if not both:
        yield "No decision recorded in flight is for a second of this replay."
        return
    different = [replayed for replayed, there in both if replayed != there]
    if not different:
        yield f"The {len(both)} decisions recorded in flight are the same."
        return
    at_s = different[0]["t"] - decisions[0].t
    yield (
        f"Of {len(both)} decisions recorded in flight {len(different)} differ, "
        f"the first one at {at_s:.0f} s."
    )


if __name__ == "__main__":
    raise SystemExit(main())
