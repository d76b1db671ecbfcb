# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Assembles a report and writes it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from pqc_bench.report.answer import answer
from pqc_bench.report.context import Context
from pqc_bench.report.number_text import short
from pqc_bench.report.page import page
from pqc_bench.report.run_data import Run
from pqc_bench.report.sections.conditions import conditions
from pqc_bench.report.sections.distribution import distribution
from pqc_bench.report.sections.health import health, sources
from pqc_bench.report.sections.machine import energy, heat_maps
from pqc_bench.report.sections.network import network
from pqc_bench.report.sections.pareto import frontier
from pqc_bench.report.sections.power_traces import power_traces
from pqc_bench.report.sections.primitives import primitives
from pqc_bench.report.sections.ranking import regression, suites
from pqc_bench.report.sections.rekey import gaps, overhead
from pqc_bench.report.sections.scenarios import scenarios

_COMMIT_DIGITS = 12
_SECTIONS = (
    suites,
    distribution,
    frontier,
    overhead,
    gaps,
    network,
    scenarios,
    conditions,
    heat_maps,
    energy,
    power_traces,
    regression,
    primitives,
    health,
)


@dataclass(frozen=True)
class Report:
    """A page, its tables by name, as CSV, and what their columns mean."""

    html: str
    tables: dict[str, str]
    fields: dict[str, dict[str, str]]

    def write(self, out: Path) -> Path:
        """Write the page to `out` and the tables into a folder beside it; return that folder."""
        folder = out.with_name(f"{out.stem}-tables")
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.tables.items():
            (folder / f"{name}.csv").write_text(content, encoding="utf-8")
        out.write_text(self.html, encoding="utf-8")
        return folder


def run_report(run: Run, page_folder: Path) -> Report:
    """Return the report of a run, with links from `page_folder`."""
    context = Context(run, page_folder)
    lead = (
        f'<section id="answer"><h2>Which suite should I fly?</h2>{answer(context)}'
        f"{_health_line(context)}</section>"
    )
    sections = [section(context) for section in _SECTIONS]
    sections.append(sources(context))
    sections = [section for section in sections if section.parts]
    tables = {table.name: table.csv() for section in sections for table in section.tables()}
    fields = {table.name: table.fields for section in sections for table in section.tables()}
    return Report(page("PQC-MAV benchmark", _facts(run), lead, sections), tables, fields)


def _facts(run: Run) -> list[str]:
    file = run.file
    return [
        f"{len(run.samples())} of {len(file.cells())} cells",
        f"scenarios {', '.join(file.scenarios)}",
        f"loads {', '.join(file.loads)}",
        f"links {', '.join(Path(link).stem for link in file.links)}",
        f"{short(file.seconds)} s of traffic each",
        file.machine,
        f"commit {file.commit[:_COMMIT_DIGITS] or 'unknown'}",
        f"started {file.started}",
    ]


def _health_line(context: Context) -> str:
    run = context.run
    planned = len(run.file.cells())
    cells = len(run.samples())
    flagged = sum(not one.get("r_validation.sane") for one in run.samples())
    counts = {status: 0 for status in ("failed", "pending", "refused")}
    for trouble in run.troubles:
        counts[trouble.status] += 1
    missing = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    words = f"{cells} of {planned} cells are in the figures"
    words += f" ({missing})" if missing else ""
    words += f", {flagged} of them flagged." if flagged else ", none of them flagged."
    style = "health bad" if missing else "health"
    return f'<p class="{style}">{escape(words)}</p>'
