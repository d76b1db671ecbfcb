# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""run.json: the definition of a run, for resuming and for the report."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pqc_policy.named_files import NoFile, read_document
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.cell.cell import Cell
from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.usage import UsageFault
from pqc_bench.matrix.plan import shuffled

FORMAT = 2  # in 1 the scenarios light and heavy were stand-ins


@dataclass(frozen=True)
class RunFile:
    """A run's matrix; times in s."""

    suites: list[str]
    scenarios: list[str]
    loads: list[str]
    links: list[str]
    seconds: float
    suites_asked: str = ""
    link_seed: int = 1
    policy: str = "off"
    power: str = "auto"
    vehicle: str = ""
    repeat: int = 1
    order_seed: int = 1
    no_speed: bool = False
    scenario_commands: dict[str, str] = field(default_factory=dict)
    # The names of the pairs of computers that share the cells; none: all on this machine.
    testbeds: list[str] = field(default_factory=list)
    # K/N: every N-th cell, from the K-th on; empty: all.
    shard: str = ""
    fix_clock: bool = False
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    commit: str = field(default_factory=commit)
    machine: str = field(default_factory=machine_kind)
    format: int = FORMAT

    def cells(self) -> list[Cell]:
        """Return the cells of this run, or of its part of one, in the order in which they run."""
        cells = self.planned()
        if self.shard:
            part, parts = parse_shard(self.shard)
            cells = cells[part - 1 :: parts]
        return shuffled(cells, self.order_seed)

    def planned(self) -> list[Cell]:
        """Return all cells: suite by suite within a link, within a load, within a scenario.

        All are repeated together, so that a slow change of the machine affects every suite alike.
        """
        return [
            Cell(
                scenario,
                load,
                link,
                suite,
                self.seconds,
                self.link_seed,
                self.policy,
                repetition,
                self.vehicle,
            )
            for repetition in range(1, self.repeat + 1)
            for scenario in self.scenarios
            for load in self.loads
            for link in self.links
            for suite in self.suites
        ]

    def write(self, path: Path) -> None:
        write_summary(path, asdict(self))


def parse_shard(text: str) -> tuple[int, int]:
    """Read K/N, the K-th of N parts; ValueError if there is no such part."""
    part, slash, parts = text.partition("/")
    if not (slash and part.isdigit() and parts.isdigit() and 0 < int(part) <= int(parts)):
        raise ValueError(f"'{text}' isn't a part of the form 3/8")
    return int(part), int(parts)


def read_run(path: Path) -> RunFile:
    """Read a run's file; UsageFault if there is none, RunFault for another format."""
    try:
        content: dict[str, Any] = read_document(path)
        if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
            raise RunFault(
                f"{path} is of another version: it has format {content['format']}, and this "
                f"program reads {FORMAT}"
            )
        run = RunFile(**content)
        run.cells()
    except NoFile as error:
        raise UsageFault(f"there is no run in '{path.parent}'") from error
    except (ValueError, TypeError) as error:
        raise RunFault(f"{path} isn't the description of a run: {error}") from error
    return run
