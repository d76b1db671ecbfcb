# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the folder of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from pqc_policy.named_files import FileFault, NoFile, read_document
from pqc_policy.policy.suites import find_suite
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.short_code import code_of
from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.state_file import COMPLETED, DISTURBED, FAILED, PENDING, read_states
from pqc_bench.metrics import MetricsFault, read_metrics
from pqc_bench.report import names
from pqc_bench.report.intervals import Interval, interval

# The names of facts on the machine and its software in a cell's a_run_context.
MACHINE = (
    *("machine_kind", "cpu_model", "cpu_cores", "memory_mib", "os", "kernel", "python"),
    *("ros_distro", "rmw", "liboqs", "git_commit", "one_machine"),
)
_METRICS = "metrics.json"
_WAYS = ("drone_to_gcs", "gcs_to_drone")
_SPEED_FORMAT = 1


@dataclass(frozen=True)
class Sample:
    """The metrics of one cell of the run, and their file."""

    id: str
    file: Path
    metrics: dict[str, Any] = field(repr=False)

    def get(self, path: str) -> Any:
        """Return the value at a dotted path; None where there is none."""
        value: Any = self.metrics
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def reason(self, path: str) -> str:
        """Return why there is no value at a path."""
        status = self.metrics["metric_status"].get(path, {})
        return status.get("reason", "not measured")

    @property
    def disturbances(self) -> list[str]:
        """The disturbances of the cell from outside, a sentence each."""
        flags = self.get("r_validation.flags") or []
        return [flag["text"] for flag in flags if flag["name"] == DISTURBED]


def _metric(path: str) -> Any:
    """Make a property of a cell: its value at a path, None if there is none."""
    return property(lambda cell: cell.get(path))


@dataclass(frozen=True)
class Cell:
    """A suite in a condition: one cell of the run, or more if it has repetitions."""

    id: str
    samples: list[Sample] = field(repr=False)

    def all(self, path: str) -> list[Any]:
        """Return the values of all samples that have one."""
        return [value for one in self.samples if (value := one.get(path)) is not None]

    def get(self, path: str) -> Any:
        """Return the value at a dotted path, of several numbers the median; None without any."""
        values = self.all(path)
        if len(values) > 1 and all(isinstance(value, int | float) for value in values):
            return values[0] if len(set(values)) == 1 else median(values)
        return values[0] if values else None

    def reason(self, path: str) -> str:
        return self.samples[0].reason(path)

    @property
    def disturbed(self) -> bool:
        return any(one.disturbances for one in self.samples)

    suite = _metric("a_run_context.suite")
    scenario = _metric("a_run_context.scenario")
    kem = _metric("b_crypto_identity.kem")
    signature = _metric("b_crypto_identity.signature")
    aead = _metric("b_crypto_identity.aead")
    family = _metric("b_crypto_identity.kem_family")
    level = _metric("b_crypto_identity.level")
    handshake_ms = _metric("d_handshake.total_ms")  # the first one
    rekey_ms = _metric("f_rekey.total_ms")  # under traffic, until the new keys were in use

    @property
    def condition(self) -> tuple[str, str, str]:
        return self.scenario, self.get("a_run_context.load"), self.get("a_run_context.link")

    @property
    def pair(self) -> tuple[str, str]:
        """KEM and signature, which determine the handshake."""
        return self.kem, self.signature

    @property
    def name(self) -> str:
        return names.suite_name(self.kem, self.signature, self.aead)

    @property
    def code(self) -> str:
        """The short code of its suite."""
        return code_of(self.suite)

    @property
    def handshakes_ms(self) -> list[float]:
        return self.all("d_handshake.total_ms")

    @cached_property
    def spread(self) -> Interval | None:
        return interval(self.handshakes_ms)

    @cached_property
    def rekey_spread(self) -> Interval | None:
        return interval(self.all("f_rekey.total_ms"))

    @property
    def _work_ms(self) -> list[float]:
        parts = ("e_primitives.encapsulate_ms", "e_primitives.verify_ms")
        timed = [[one.get(part) for part in parts] for one in self.samples]
        return [sum(both) for both in timed if None not in both]

    @property
    def drone_ms(self) -> float | None:
        """The drone's own work in a handshake, an encapsulation and a verification."""
        return median(self._work_ms) if self._work_ms else None

    @cached_property
    def drone_spread(self) -> Interval | None:
        return interval(self._work_ms)

    @property
    def wire_bytes(self) -> int:
        """The bytes of public key, ciphertext and signature."""
        sizes = ("kem_public_key_bytes", "kem_ciphertext_bytes", "signature_bytes")
        return sum(self.get(f"e_primitives.{name}") or 0 for name in sizes)

    @property
    def lost(self) -> int:
        """Datagrams lost, in both directions and all samples."""
        return self._flows("lost")

    @property
    def offered(self) -> int:
        """Datagrams offered, likewise; 0 if the load left no report."""
        return self._flows("offered")

    def _flows(self, name: str) -> int:
        return sum(sum(self.all(f"g_data_plane.{way}.{name}")) for way in _WAYS)

    @property
    def prepared_ahead(self) -> list[bool]:
        """Return of each rekey whether its keys were made in advance."""
        lists = self.all("f_rekey.records")
        return [bool(one["prepared_ahead"]) for of in lists for one in of if one["success"]]

    @property
    def succeeded(self) -> bool:
        return all(self.all("c_lifecycle.success"))


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

    def samples(self) -> list[Sample]:
        """Return all cells in the figures, one by one."""
        return [sample for cell in self.cells for sample in cell.samples]

    def primary(self) -> tuple[str, str, str]:
        """Return the condition that suites are compared in: the quietest scenario's first."""
        found = {cell.condition for cell in self.cells if cell.handshake_ms is not None}
        if not found:
            counts = Counter(trouble.status for trouble in self.troubles)
            words = ", ".join(f"{count} {status}" for status, count in counts.items())
            raise RunFault(
                f"no cell of the run in '{self.folder}' has results to report"
                + (f" ({words})" if words else "")
            )
        loads, links = self.file.loads, [Path(link).stem for link in self.file.links]
        return min(
            found,
            key=lambda at: (names.place(at[0]), _index(loads, at[1]), _index(links, at[2])),
        )

    def at(self, condition: tuple[str, str, str]) -> list[Cell]:
        return [cell for cell in self.cells if cell.condition == condition]

    def main(self) -> list[Cell]:
        """Return the cells of the primary condition that have a handshake, the fastest first."""
        cells = having(self.at(self.primary()), lambda cell: cell.handshake_ms)
        return sorted(cells, key=lambda cell: cell.handshake_ms or 0.0)

    def across(self) -> dict[str, list[Cell]]:
        """Return cells by scenario, with the primary condition's load and link."""
        _, load, link = self.primary()
        scenarios = sorted({cell.scenario for cell in self.cells}, key=names.place)
        by = {name: self.at((name, load, link)) for name in scenarios}
        return {name: cells for name, cells in by.items() if cells}


def having(cells: list[Cell], value: Callable[[Cell], Any]) -> list[Cell]:
    return [cell for cell in cells if value(cell) is not None]


def read_run_folder(folder: Path) -> Run:
    """Read a run; invalid cells become `troubles`. RunFault if the folder holds no run."""
    run_file = read_run(folder / "run.json")
    states = read_states(folder / "state.json")
    run = Run(folder, run_file, [], [], 0, _speed(folder / "speed.json"))
    for cell in run_file.planned():
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
        sample = Sample(cell_id, file, read_metrics(file))
        if sample.get("a_run_context.cell") != cell_id:
            raise MetricsFault(f"{file} is the file of another cell")
        if find_suite(sample.get("a_run_context.suite")) is None:
            raise MetricsFault(f"{file} is of a suite that this version does not have")
    except MetricsFault as fault:
        run.refused += 1
        run.troubles.append(Trouble(cell_id, "refused", str(fault)))
        return
    # Repetitions follow the first cell of their suite and condition.
    first = cell_id.partition("@")[0]
    known = next((cell for cell in run.cells if cell.id == first), None)
    if known is None:
        run.cells.append(Cell(first, [sample]))
    else:
        known.samples.append(sample)


def _speed(path: Path) -> dict[str, Any] | None:
    try:
        content = read_document(path)
    except NoFile:
        return None
    except FileFault as fault:
        raise RunFault(f"{path} {fault}") from fault
    if not isinstance(content, dict) or content.get("format") != _SPEED_FORMAT:
        raise RunFault(f"{path} isn't a report of pqc_speed that is known here")
    return content


def _index(wanted: list[str], name: str) -> int:
    return wanted.index(name) if name in wanted else len(wanted)
