# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the folder of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.state_file import COMPLETED, FAILED, PENDING
from pqc_bench.metrics import MetricsFault, read_metrics
from pqc_bench.report import names

_METRICS = "metrics.json"
_SPEED_FORMAT = 1


@dataclass(frozen=True)
class Cell:
    """One cell: its metrics, and their file."""

    id: str
    file: Path
    metrics: dict[str, Any] = field(repr=False)

    def get(self, path: str) -> Any:
        """Return the value at a dotted path; None where there is none."""
        value: Any = self.metrics
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value

    @property
    def suite(self) -> str:
        """Id of the suite."""
        return self.get("a_run_context.suite")

    @property
    def kem(self) -> str:
        """Token of the KEM."""
        return self.get("b_crypto_identity.kem")

    @property
    def signature(self) -> str:
        """Token of the signature algorithm."""
        return self.get("b_crypto_identity.signature")

    @property
    def aead(self) -> str:
        """Token of the AEAD."""
        return self.get("b_crypto_identity.aead")

    @property
    def family(self) -> str:
        """Token of the KEM's family."""
        return self.get("b_crypto_identity.kem_family")

    @property
    def level(self) -> int:
        """NIST level."""
        return self.get("b_crypto_identity.level")

    @property
    def scenario(self) -> str:
        """The program beside the tunnel."""
        return self.get("a_run_context.scenario")

    @property
    def condition(self) -> tuple[str, str, str]:
        """Scenario, load and link."""
        return (
            self.scenario,
            self.get("a_run_context.load"),
            self.get("a_run_context.link"),
        )

    @property
    def pair(self) -> tuple[str, str]:
        """KEM and signature, which determine the handshake."""
        return self.kem, self.signature

    @property
    def name(self) -> str:
        """The display name of the suite."""
        return names.suite_name(self.kem, self.signature, self.aead)

    @property
    def handshake_ms(self) -> float | None:
        """The first handshake; None if there was none."""
        return self.get("d_handshake.total_ms")

    @property
    def rekey_ms(self) -> float | None:
        """A rekey under traffic, until the new keys were in use; None if there was none."""
        return self.get("f_rekey.total_ms")

    @property
    def prepared_ahead(self) -> list[bool]:
        """Of each rekey, whether its keys were made ahead."""
        records = self.get("f_rekey.records") or []
        return [bool(one["prepared_ahead"]) for one in records if one["success"]]

    @property
    def succeeded(self) -> bool:
        """Whether the cell succeeded."""
        return bool(self.get("c_lifecycle.success"))


@dataclass(frozen=True)
class Trouble:
    """A cell that is not in the figures, and the reason."""

    cell: str
    status: str
    reason: str


@dataclass
class Run:
    """A run: the cells in the figures, and the others."""

    folder: Path
    file: RunFile
    cells: list[Cell]
    troubles: list[Trouble]
    refused: int
    speed: dict[str, Any] | None

    def primary(self) -> tuple[str, str, str]:
        """Return the condition that suites are compared in: the quietest scenario's first."""
        found = {cell.condition for cell in self.cells if cell.handshake_ms is not None}
        if not found:
            raise RunFault(f"no cell of the run in '{self.folder}' can be reported on")
        loads, links = self.file.loads, [Path(link).stem for link in self.file.links]
        return min(
            found,
            key=lambda at: (names.place(at[0]), _index(loads, at[1]), _index(links, at[2])),
        )

    def at(self, condition: tuple[str, str, str]) -> list[Cell]:
        """Return the cells of a condition."""
        return [cell for cell in self.cells if cell.condition == condition]

    def main(self) -> list[Cell]:
        """Return the cells of the primary condition that have a handshake."""
        return having(self.at(self.primary()), lambda cell: cell.handshake_ms)

    def across(self) -> dict[str, list[Cell]]:
        """Return cells by scenario, with the primary condition's load and link."""
        _, load, link = self.primary()
        scenarios = sorted({cell.scenario for cell in self.cells}, key=names.place)
        by = {name: self.at((name, load, link)) for name in scenarios}
        return {name: cells for name, cells in by.items() if cells}


def having(cells: list[Cell], value: Callable[[Cell], Any]) -> list[Cell]:
    """Return the cells that have a value."""
    return [cell for cell in cells if value(cell) is not None]


def read_run_folder(folder: Path) -> Run:
    """Read a run; invalid cells become `troubles`. RunFault if the folder holds no run."""
    run_file = read_run(folder / "run.json")
    states = _states(folder / "state.json")
    run = Run(folder, run_file, [], [], 0, _speed(folder / "speed.json"))
    for cell in run_file.cells():
        state = states.get(cell.id, {})
        status = state.get("status", PENDING)
        reason = state.get("reason") or "It has not run yet."
        if status == COMPLETED:
            _add(run, cell.id)
        else:
            run.troubles.append(Trouble(cell.id, status if status == FAILED else PENDING, reason))
    return run


def _add(run: Run, cell_id: str) -> None:
    file = run.folder / "cells" / cell_id / _METRICS
    try:
        cell = Cell(cell_id, file, read_metrics(file))
        if cell.get("a_run_context.cell") != cell_id:
            raise MetricsFault(f"{file} is the file of another cell")
    except MetricsFault as fault:
        run.refused += 1
        run.troubles.append(Trouble(cell_id, "refused", str(fault)))
        return
    run.cells.append(cell)


def _states(path: Path) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {entry["cell"]: entry for entry in content["cells"]}
    except FileNotFoundError as error:
        raise RunFault(f"there is no state of a run in '{path.parent}'") from error
    except (ValueError, KeyError, TypeError) as error:
        raise RunFault(f"{path} isn't the state of a run: {error}") from error


def _speed(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise RunFault(f"{path} isn't JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != _SPEED_FORMAT:
        raise RunFault(f"{path} isn't a report of pqc_speed that is known here")
    return content


def _index(wanted: list[str], name: str) -> int:
    return wanted.index(name) if name in wanted else len(wanted)
