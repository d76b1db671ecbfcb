# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The expected verdict of each model: `formal/expected.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.usage import unknown

HOLDS = "holds"


@dataclass(frozen=True)
class SpinRun:
    """One search through the states of a Promela model."""

    name: str
    model: str
    question: str
    expected: str  # HOLDS, or the assertion or formula that must be violated
    define: Sequence[str] = ()
    property: str = ""  # an LTL formula of the model, or empty for its assertions


@dataclass(frozen=True)
class VerifpalRun:
    """One variant of a Verifpal model; every query that isn't named must hold."""

    name: str
    model: str
    question: str
    broken: frozenset[str]
    define: Sequence[str] = ()


@dataclass(frozen=True)
class Outcome:
    """What a tool says of a model; `difference` is empty if that was expected."""

    verdict: str
    difference: str


@dataclass(frozen=True)
class Expectations:
    """All runs."""

    spin: list[SpinRun]
    verifpal: list[VerifpalRun]

    def only(self, tool: str | None, name: str | None) -> Expectations:
        """Return the models of a tool, "spin" or "verifpal", and of a name; None selects all."""
        spin = self.spin if tool in (None, "spin") else []
        verifpal = self.verifpal if tool in (None, "verifpal") else []
        if name is None:
            return Expectations(spin, verifpal)
        names = [run.name for run in (*spin, *verifpal)]
        if name not in names:
            raise unknown("run" if tool is None else f"run of {tool}", name, names)
        return Expectations(
            [run for run in spin if run.name == name],
            [run for run in verifpal if run.name == name],
        )


def read_expectations(folder: Path) -> Expectations:
    try:
        tables = tomllib.loads((folder / "expected.toml").read_text())
        spin = [SpinRun(**entry) for entry in tables["spin"]]
        verifpal = [
            VerifpalRun(**{**entry, "broken": frozenset(entry["broken"])})
            for entry in tables["verifpal"]
        ]
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise RunFault(f"formal/expected.toml can't be used: {error}") from error
    return Expectations(spin, verifpal)
