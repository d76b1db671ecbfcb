# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of a command line, before anything starts; they need no installed package."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pqc_sim.processes.command_line import seconds
from pqc_sim.processes.output_path import require_writable, require_writable_folder
from pqc_sim.processes.run_fault import RunFault


class UsageFault(RunFault):
    """The command line asks for something that is impossible or has no effect."""


def unknown(what: str, name: str, known: Iterable[str]) -> UsageFault:
    """Return the fault of an unknown name, with the nearest known one or all of a few."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return UsageFault(f"there is no {what} '{name}'; did you mean '{near[0]}'?")
    hint = f": {', '.join(names)}" if len(names) <= 60 else ""
    return UsageFault(f"there is no {what} '{name}'{hint}")


def needs(options: argparse.Namespace, name: str, default: Any, met: bool, without: str) -> None:
    """Set an option that wasn't given to its default; UsageFault if it was given for nothing."""
    if getattr(options, name) is None:
        setattr(options, name, default)
    elif not met:
        raise UsageFault(f"--{name.replace('_', '-')} has no effect {without}")


def output_file(text: str) -> Path:
    """Read the path of a file to write; UsageFault if it can't be written."""
    file = Path(text)
    with fault_of_usage():
        require_writable(file)
    return file


def check_output_folder(folder: Path) -> None:
    """Raise UsageFault if no file can be written in a folder, which need not exist yet."""
    with fault_of_usage():
        require_writable_folder(folder)


def some_of(known: Sequence[str], what: str) -> Callable[[str], list[str]]:
    """Return a reader of several known names, separated by commas; `what` one is, in errors."""

    def read(text: str) -> list[str]:
        names = list(dict.fromkeys(filter(None, text.split(","))))
        for name in names:
            if name not in known:
                raise unknown(what, name, known)
        if not names:
            raise UsageFault(f"'{text}' names no {what}")
        return names

    return read


@contextmanager
def fault_of_usage() -> Iterator[None]:
    """Turn the fault of a check into one of usage."""
    try:
        yield
    except RunFault as fault:
        raise UsageFault(str(fault)) from fault


def duration(text: str) -> float:
    """Read a time in s, longer than 0."""
    if (value := seconds(text)) == 0.0:
        raise argparse.ArgumentTypeError("0 s is too short to measure anything")
    return value
