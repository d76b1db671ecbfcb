# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Warns of launch arguments that nothing reads, such as mistyped ones."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from ament_index_python.packages import get_package_share_path
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity, logging
from launch.actions import OpaqueFunction, SetLaunchConfiguration

PACKAGE = "pqc_tunnel"
CHECKED = "arguments_are_checked"  # launch configuration
# Launch itself reads these.
OF_LAUNCH = {
    *("emulate_tty", "launch-prefix", "launch-prefix-filter"),
    *("sigkill_timeout", "sigterm_timeout"),
}


def started_file(words: Sequence[str]) -> Path | None:
    """Return the launch file that a command line starts; None: not one of ours, but a user's."""
    for file in (get_package_share_path(PACKAGE) / "launch").glob("*.launch.py"):
        if PACKAGE in words and file.name in words:
            return file
        if any(os.path.isfile(word) and file.samefile(word) for word in words):
            return file
    return None


def declared(file: Path, seen: frozenset[Path] = frozenset()) -> Iterator[str]:
    """Yield the names of the arguments of a launch file, and of those that it includes."""
    if file in seen or not file.is_file():
        return
    functions = runpy.run_path(str(file))
    if "declare_arguments" in functions:
        yield from (argument.name for argument in functions["declare_arguments"]())
    for name in re.findall(r"\w+\.launch\.py", file.read_text(encoding="utf-8")):
        yield from declared(get_package_share_path(PACKAGE) / "launch" / name, seen | {file})


def warnings(given: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return a sentence for each given name that is not known."""
    known, sentences = sorted({*known}), []
    for name in sorted({*given} - {*known} - OF_LAUNCH):
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        sentences.append(f"There is no launch argument {name}, so it has no effect{hint}")
    return sentences


def warn_of_unknown(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Log the warnings of this command line once."""
    file = started_file(sys.argv)
    if file is None or CHECKED in context.launch_configurations:
        return []
    given = [name for name, assigned, _ in (word.partition(":=") for word in sys.argv) if assigned]
    for sentence in warnings(given, declared(file)):
        logging.get_logger("launch.user").warning(sentence)
    return [SetLaunchConfiguration(CHECKED, "true")]


def generate_launch_description() -> LaunchDescription:
    """Describe the check."""
    return LaunchDescription([OpaqueFunction(function=warn_of_unknown)])
