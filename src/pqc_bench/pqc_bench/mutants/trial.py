# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the test programs: which case has values that a mutant changes, and which one fails."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pqc_bench.mutants.schemata import ACTIVE, REACHED, Mutant

_SLOWER = 10  # a mutant may take so many times as long before it counts as an endless loop
_LEAST_LIMIT_S = 5.0
_MEMORY = 4 << 30
_BATCHES_S = (0.3, 2.0, float("inf"))


@dataclass(frozen=True)
class Case:
    """One case of a test program, and the mutants that change a value in it."""

    program: Path
    name: str
    seconds: float
    reached: frozenset[int] = field(repr=False)


@dataclass(frozen=True)
class Verdict:
    """The fate of a mutant: killed, survived, or not reached (it changes no value of a case)."""

    mutant: Mutant
    result: str
    by: str = ""  # of a killed one: the case, or several of a program


def record(programs: list[Path], numbers: int) -> tuple[list[Case], list[str]]:
    """Run every case of the programs by itself; also the names of cases that fail unmutated."""
    named = [(program, name) for program in programs for name in _names(program)]
    failed: list[str] = []
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as folder:

        def one(at: int) -> None:
            program, name = named[at]
            file = Path(folder) / str(at)
            file.write_bytes(bytes(numbers + 1))
            begun = time.monotonic()
            failing = _failing(program, [name], 600, {REACHED: str(file)})
            seconds = time.monotonic() - begun
            if failing is None:
                reached = frozenset(i for i, byte in enumerate(file.read_bytes()) if byte)
                cases.append(Case(program, name, seconds, reached))
            else:
                failed.append(f"{program.name} {name}")
            file.unlink()

        _in_parallel(one, range(len(named)))
    return _by_focus(cases), sorted(failed)


def _by_focus(cases: list[Case]) -> list[Case]:
    """The case in which the fewest mutants matter first: it checks most of what they change."""
    return sorted(cases, key=lambda case: (len(case.reached), case.seconds))


def judge(
    mutants: list[Mutant], cases: list[Case], on_verdict: Callable[[Verdict], None]
) -> list[Verdict]:
    """Try every mutant with the cases that reach it until one fails."""
    killers: dict[tuple[str, str], deque[Case]] = defaultdict(lambda: deque(maxlen=3))
    verdicts: list[Verdict] = []

    def one(mutant: Mutant) -> None:
        reaching = [case for case in cases if mutant.number in case.reached]
        known = killers[mutant.file, mutant.function]
        verdict = Verdict(mutant, "survived" if reaching else "not reached")
        for batch in _batches(reaching, list(known)):
            limit = max(_LEAST_LIMIT_S, _SLOWER * sum(case.seconds for case in batch))
            names = [case.name for case in batch]
            name = _failing(batch[0].program, names, limit, {ACTIVE: str(mutant.number)})
            if name is not None:
                known += [case for case in batch if case.name == name and case not in known]
                verdict = Verdict(mutant, "killed", f"{batch[0].program.name}: {name}")
                break
        verdicts.append(verdict)
        on_verdict(verdict)

    _in_parallel(one, mutants)
    return sorted(verdicts, key=lambda verdict: verdict.mutant.number)


def _batches(reaching: list[Case], known: list[Case]) -> Iterator[list[Case]]:
    """Cases to run together: those that killed neighbours, then a few of each program, then all."""
    for case in known:
        if case in reaching:
            yield [case]
    rest = deque(case for case in reaching if case not in known)
    for budget in _BATCHES_S:
        by_program: dict[Path, list[Case]] = defaultdict(list)
        spent = 0.0
        while rest and (spent <= budget):
            spent += rest[0].seconds
            by_program[rest[0].program].append(rest.popleft())
        yield from by_program.values()


def _names(program: Path) -> list[str]:
    listed = subprocess.run(
        [program, "--gtest_list_tests"], capture_output=True, text=True, check=True
    )
    names, suite = [], ""
    for line in listed.stdout.splitlines():
        if line.startswith("  "):
            names.append(suite + line.split("#")[0].strip())
        elif line.split("#")[0].strip().endswith("."):
            suite = line.split("#")[0].strip()
    return names


def _failing(program: Path, names: list[str], limit_s: float, chosen: dict[str, str]) -> str | None:
    """The first of these cases that fails, crashes or does not end; None if all pass."""
    process = subprocess.Popen(
        [program, f"--gtest_filter={':'.join(names)}", "--gtest_fail_fast"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **chosen},
        preexec_fn=_limit,
    )
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    if process.returncode == 0:
        return None
    text = output.decode(errors="replace")
    failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)", text, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.MULTILINE)
    return [*failed[:1], *begun[-1:], names[0]][0]


def _limit() -> None:
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _in_parallel(function: Callable, values: Iterable) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        for _ in workers.map(function, values):
            pass
