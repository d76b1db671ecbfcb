# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy on batches of sources: most of its time goes into the headers that they share."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# A batch of 47 sources takes 23 s of processor time; in batches of 8 it was three times as much.
_BATCH = 40
# The analyzer analyses sources that a file of this name includes (clang's AnalysisManager).
_NAME = "UnifiedSource"
_CHECKS = "-bugprone-suspicious-include"
# It takes longer for the templates of a command line than all other checks do.
_SLOW_CHECK = "performance-unnecessary-value-param"
_COMMAND_LINE = "#include <CLI/CLI.hpp>"
_MAIN = "\nint main("  # a batch has one at most


def tidy_findings(root: Path, build: Path, sources: Iterable[Path]) -> Iterator[str]:
    """Yield the findings in sources of one build folder with compile_commands.json, sorted."""
    commands = {
        Path(entry["file"]): shlex.split(entry["command"])
        for entry in json.loads((build / "compile_commands.json").read_text())
    }
    batches = _batches({path: commands[path] for path in sources if path in commands})
    if not batches:
        yield f"{build} compiles none of the sources"
    (build / "tidy").mkdir(exist_ok=True)

    def check(
        batch: list[Path], options: tuple[str, ...], number: str, may_clash: bool = True
    ) -> list[str]:
        unified = build / "tidy" / f"{_NAME}{number}.cpp"
        unified.write_text("".join(f'#include "{path}"\n' for path in batch))
        may_clash = may_clash and len(batch) > 1
        parts = _parts(batch, _errors(unified, options)) if may_clash else []
        if not parts:
            return _tidy(root, unified, options)
        return [
            line
            for index, (part, clashes) in enumerate(parts)
            for line in check(part, options, f"{number}_{index}", clashes)
        ]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(check, batch, options, str(number))
            for number, (batch, options) in enumerate(batches)
        ]
        # A finding in a header is reported for every batch that includes the header.
        found = {line for job in jobs for line in job.result()}
    yield from sorted(found)


def _batches(commands: dict[Path, list[str]]) -> list[tuple[list[Path], tuple[str, ...]]]:
    """Batches of sources with the same options and checks; the longest first."""
    alike = defaultdict(list)
    for path in sorted(commands):
        options = (_checks(path), "--", *_compiler_options(commands[path]))
        alike[options, path if _MAIN in path.read_text() else None].append(path)
    batches = [
        (paths[first : first + _BATCH], options)
        for (options, _), paths in alike.items()
        for first in range(0, len(paths), _BATCH)
    ]
    return sorted(batches, key=lambda batch: -len(batch[0]))


def _checks(path: Path) -> str:
    slow = f",-{_SLOW_CHECK}" if _COMMAND_LINE in path.read_text() else ""
    return f"--checks={_CHECKS}{slow}"


def _errors(unified: Path, options: tuple[str, ...]) -> list[str]:
    """Errors of a batch, whose sources may have the same names for different things."""
    _, _, *of_compiler = options
    command = ["clang++-14", "-fsyntax-only", "-w", "-ferror-limit=0", *of_compiler, str(unified)]
    done = subprocess.run(command, capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if " error: " in line]


def _parts(batch: list[Path], errors: list[str]) -> list[tuple[list[Path], bool]]:
    """Divide a batch: sources that clash with those before them apart. No part if none clashes.

    With each part: whether its sources may clash with one another.
    """
    if not errors:
        return []
    clashing = [path for path in batch if any(line.startswith(f"{path}:") for line in errors)]
    others = [path for path in batch if path not in clashing]
    if clashing and others:
        return [(others, False), (clashing, True)]
    return [(batch[: len(batch) // 2], True), (batch[len(batch) // 2 :], True)]


def _tidy(root: Path, source: Path, options: tuple[str, ...]) -> list[str]:
    done = subprocess.run(
        ["clang-tidy-14", "--quiet", f"--config-file={root / '.clang-tidy'}", str(source),
         *options],
        cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    return [line for line in done.stdout.splitlines() if "error:" in line]


def _compiler_options(command: list[str]) -> Iterator[str]:
    """Options of a compile command, without the compiler, its launcher, source and output."""
    words = iter(command)
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word.startswith("-"):
            value = [next(words)] if word in ("-isystem", "-include", "-I", "-D") else []
            # Another compiler can't read what this one has precompiled.
            if word != "-Winvalid-pch" and not "".join(value).endswith("cmake_pch.hxx"):
                yield from (word, *value)
