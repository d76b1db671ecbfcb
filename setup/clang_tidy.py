# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy on batches of sources: most of its time goes into the headers that they share."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

_BATCH = 8
# The analyzer analyses sources that a file of this name includes (clang's AnalysisManager).
_NAME = "UnifiedSource"
_OPTIONS = ("--quiet", "--checks=-bugprone-suspicious-include")


def tidy_findings(root: Path, build: Path, sources: Iterable[Path]) -> Iterator[str]:
    """Yield the findings in sources of one build folder with compile_commands.json, sorted."""
    commands = {
        Path(entry["file"]): shlex.split(entry["command"])
        for entry in json.loads((build / "compile_commands.json").read_text())
    }
    alone = _compiled_alone(root)
    batches = list(_batches((path for path in sources if path in commands), alone))
    (build / "tidy").mkdir(exist_ok=True)

    def check(numbered: tuple[int, list[Path]]) -> list[str]:
        number, batch = numbered
        unified = build / "tidy" / f"{_NAME}{number}.cpp"
        unified.write_text("".join(f'#include "{path}"\n' for path in batch))
        found = _tidy(root, unified, commands[batch[0]])
        errors = [line for line in found if "[clang-diagnostic-error]" in line]
        if not errors:
            return found
        # Names of two sources in one scope clash: the second of them is checked by itself.
        clashing = [path for path in batch if any(str(path) in line for line in errors)] or batch
        found = [line for path in clashing for line in _tidy(root, path, commands[path])]
        others = [path for path in batch if path not in clashing]
        return found + (check((number, others)) if others else [])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # A finding in a header is reported for every batch that includes the header.
        found = {line for lines in pool.map(check, enumerate(batches)) for line in lines}
    yield from sorted(found)


def _compiled_alone(root: Path) -> set[Path]:
    """Return the sources whose names clash with those of others, as the build lists them."""
    package = root / "src" / "pqc_tunnel"
    text = (package / "cmake" / "libraries.cmake").read_text()
    listed = text.partition("set_source_files_properties(")[2].partition("PROPERTIES")[0]
    return {package / name for name in listed.split()}


def _batches(sources: Iterable[Path], alone: set[Path]) -> Iterator[list[Path]]:
    """Batches of sources of one folder, which have the same options; each program by itself."""
    for _, in_folder in groupby(sorted(sources), key=lambda path: path.parent):
        together = []
        for path in in_folder:
            if path in alone or "\nint main(" in path.read_text():
                yield [path]
            else:
                together.append(path)
        for first in range(0, len(together), _BATCH):
            yield together[first : first + _BATCH]


def _tidy(root: Path, source: Path, command: list[str]) -> list[str]:
    done = subprocess.run(
        ["clang-tidy-14", *_OPTIONS, f"--config-file={root / '.clang-tidy'}", str(source),
         "--", *_compiler_options(command)],
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
            yield word
            if word in ("-isystem", "-include", "-I", "-D"):
                yield next(words)
