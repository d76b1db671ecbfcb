# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All observations of one cell, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from pqc_bench.cell.cell import CLEAN, Cell
from pqc_bench.cell.scenario import scenario_text

ENDS = ("drone", "gcs")
Plain = dict[str, Any]


@dataclass
class Observed:
    """One cell; ends are "drone" and "gcs", times in s of one monotonic clock."""

    scenario: str
    load: str
    link: str
    suite: str
    seconds: float
    link_seed: int | None = None
    policy: str = "off"
    repetition: int = 1
    vehicle: str = ""
    scenario_command: str | None = None
    started_at: str = ""
    failure: str = ""
    clean_end: bool | None = None
    # launched, nodes, established, clock, traffic, stopping, done, ended
    times: dict[str, float] = field(default_factory=dict)
    # Counters of the machine at these moments (collectors/disturbance.py).
    machine: dict[str, Plain] = field(default_factory=dict)
    # TunnelStatus after the first handshake and after the traffic, LinkReport after the traffic.
    first: dict[str, Plain] = field(default_factory=dict)
    last: dict[str, Plain] = field(default_factory=dict)
    links: dict[str, Plain] = field(default_factory=dict)
    events: dict[str, dict[str, int]] = field(default_factory=dict)
    # The drone's events before the traffic began.
    early: dict[str, int] = field(default_factory=dict)
    # Numbers of received messages: status, link, diagnostics.
    received: dict[str, dict[str, int]] = field(default_factory=dict)
    worst: dict[str, str | None] = field(default_factory=dict)
    # The members of the schema's rekey.
    rekeys: list[Plain] = field(default_factory=list)
    # PolicyDecision messages since the traffic began.
    decisions: list[Plain] = field(default_factory=list)
    # The results of the collectors, by their names.
    collected: dict[str, Plain] = field(default_factory=dict)
    # pqc_speed's operations of the suite's cipher, from before the run.
    cipher_alone: list[Plain] = field(default_factory=list)
    link_summary: Plain | None = None
    # The report of the scenario's program (load/load_report.py).
    scenario_report: Plain | None = None
    bag: Plain | None = None
    clock_synced: bool = False
    # False if the ends are two computers.
    one_machine: bool = True
    # False if no bag was recorded: the ends of a test bed write their states themselves.
    recorded: bool = True
    # The largest error of a one-way delay by two clocks; None if they weren't compared.
    clock_error_ms: float | None = 0.0
    # Counters as in `machine` of the ground's computer, where it's another one.
    ground_machine: dict[str, Plain] = field(default_factory=dict)

    @classmethod
    def begun(cls, cell: Cell, scenario_command: str) -> Self:
        """Return what is known of a cell that begins now."""
        return cls(
            scenario=cell.scenario,
            load=cell.load,
            link=cell.link_name,
            suite=cell.suite,
            seconds=cell.seconds,
            link_seed=cell.link_seed if cell.link_name != CLEAN else None,
            policy=cell.policy,
            repetition=cell.repetition,
            vehicle=cell.vehicle,
            scenario_command=scenario_text(cell.scenario, scenario_command) or None,
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )

    @property
    def cell(self) -> str:
        """The folder below cells/."""
        name = f"{self.scenario}/{self.load}/{self.link}/{self.suite}"
        return name if self.repetition == 1 else f"{name}@{self.repetition}"

    @property
    def report(self) -> Plain | None:
        return self.collected.get("mavlink", {}).get("report")

    def span_ms(self, begin: str, end: str) -> float | None:
        """Return the time between two moments, if both came."""
        if begin not in self.times or end not in self.times:
            return None
        return 1000.0 * (self.times[end] - self.times[begin])
