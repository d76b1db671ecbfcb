# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the published folder of a run."""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.cell.short_code import code_of
from pqc_bench.cell.suite_set import SETS, choose_suites
from pqc_bench.harness.source_tree import source_tree
from pqc_bench.harness.usage import unknown
from pqc_bench.matrix.run_file import RunFile
from pqc_bench.metrics.file import NAME
from pqc_bench.metrics.schema import schema
from pqc_bench.power.marks import NAME as MARKS
from pqc_bench.power.source import AUTO
from pqc_bench.publish.cells_table import cells_table
from pqc_bench.publish.data_package import describe
from pqc_bench.publish.plain_bag import copy_bag
from pqc_bench.report.build import run_report
from pqc_bench.report.run_data import MACHINE, Run, Sample, read_run_folder

_LICENCE = {
    "name": "Apache-2.0",
    "title": "Apache License 2.0",
    "path": "https://www.apache.org/licenses/LICENSE-2.0",
}
_HASHES = "SHA256SUMS"
_CELLS, _RUN, _STATE, _SPEED = "cells", "run.json", "state.json", "speed.json"
_TRACE = "p_power_energy.trace"


def publish(run: Run, out: Path, bag_of: str | None = None) -> None:
    """Write a run into the new folder `out`; `bag_of` names the cell whose bag comes with it.

    RunFault if no cell has results, or if the named one has no bag.
    """
    samples = run.samples()
    run.primary()
    bag = _bag_cell(run, bag_of)
    out.mkdir(parents=True)
    _copy_cells(run, samples, out)
    # Read from the copy, so that its links lead to files of the copy.
    copy = read_run_folder(out)
    report = run_report(copy, out)
    report.write(out / "report.html")
    (out / "report-tables").rename(out / "tables")
    text, meanings = cells_table(copy.samples())
    (out / "tables" / "cells.csv").write_text(text, encoding="utf-8")
    _write_parquet(out)
    if bag is not None:
        copy_bag(bag.file.with_name(bag.get("q_observability.bag.path")), out / "bag")
    _write_words(run, samples, bag, out)
    head = {
        "name": "pqc-mav-benchmark",
        "title": "Benchmark of a post-quantum MAVLink tunnel",
        "description": f"{len(samples)} cells, measured on {run.file.machine}. README.md tells "
        "how to repeat it.",
        "created": run.file.started,
        "licenses": [_LICENCE],
        "keywords": ["post-quantum cryptography", "MAVLink", "UAV", "benchmark"],
    }
    describe(out, head, {**report.fields, "cells": meanings})
    _write_hashes(out)


def command_of(run: RunFile) -> str:
    """Return the command that repeats a run."""
    options = {
        "suites": run.suites_asked or _suites_of(run),
        "scenario": ",".join(run.scenarios),
        "load": ",".join(run.loads),
        "link": ",".join(_link_names(run)),
        "seconds": f"{run.seconds:g}",
        "repeat": str(run.repeat),
        "order-seed": str(run.order_seed),
        "link-seed": str(run.link_seed) if set(_link_names(run)) != {"clean"} else "",
        "policy": run.policy,
        "vehicle": run.vehicle,
        "power": run.power if run.power != AUTO else "",
    }
    words = [f"--{name} {shlex.quote(value)}" for name, value in options.items() if value]
    words += [
        f"--detector {shlex.quote(f'{scenario}={command}')}"
        for scenario, command in run.scenario_commands.items()
    ]
    words += ["--fix-clock"] if run.fix_clock else []
    return f"./dev bench matrix {' '.join(words)} --out again"


def _suites_of(run: RunFile) -> str:
    sets = (name for name in SETS if choose_suites(name) == run.suites)
    return next(sets, ",".join(map(code_of, run.suites)))


def _bag_cell(run: Run, wanted: str | None) -> Sample | None:
    """Return the cell whose bag is published; None if no cell has one."""
    with_bag = [
        one
        for cell in run.main()
        for one in cell.samples
        if (path := one.get("q_observability.bag.path")) and one.file.with_name(path).is_dir()
    ]
    if wanted is None:
        return with_bag[0] if with_bag else None
    by_id = {one.id: one for one in run.samples()}
    if wanted not in by_id:
        raise unknown("cell with results", wanted, by_id)
    path = by_id[wanted].get("q_observability.bag.path")
    if not path or not by_id[wanted].file.with_name(path).is_dir():
        raise RunFault(f"the cell {wanted} has no bag")
    return by_id[wanted]


def _link_names(run: RunFile) -> list[str]:
    return [Path(link).stem for link in run.links]


def _copy_cells(run: Run, samples: list[Sample], out: Path) -> None:
    """Copy what a reader of the run needs: its definition, its state, metrics and traces."""
    write_summary(out / _RUN, {**asdict(run.file), "links": _link_names(run.file)})
    for name in (_STATE, _SPEED):
        if (run.folder / name).is_file():
            shutil.copyfile(run.folder / name, out / name)
    for one in samples:
        folder = out / _CELLS / one.id
        folder.mkdir(parents=True)
        shutil.copyfile(one.file, folder / NAME)
        trace = one.get(_TRACE)
        if trace:
            marks = Path(trace).with_name(MARKS)
            for name in (Path(trace), marks):
                if (one.file.parent / name).is_file():
                    (folder / name).parent.mkdir(exist_ok=True)
                    shutil.copyfile(one.file.parent / name, folder / name)


def _write_parquet(out: Path) -> None:
    # Only publishing needs it.
    from pyarrow import csv, parquet

    for file in sorted((out / "tables").glob("*.csv")):
        content = file.read_bytes()
        if content.count(b"\n") > 1:
            table = csv.read_csv(io.BytesIO(content))
            parquet.write_table(table, file.with_suffix(".parquet"))


def _write_words(run: Run, samples: list[Sample], bag: Sample | None, out: Path) -> None:
    first = samples[0].metrics["a_run_context"]
    environment: dict[str, Any] = {name: first[name] for name in MACHINE}
    environment["speed_measured"] = run.speed is not None
    write_summary(out / "environment.json", environment)
    shutil.copyfile(source_tree() / "LICENSE", out / "LICENSE")
    text = json.dumps(schema(), indent=1, ensure_ascii=False)
    (out / "metrics.schema.json").write_text(f"{text}\n", encoding="utf-8")
    (out / "README.md").write_text(_readme(run, samples, bag), encoding="utf-8")


def _readme(run: Run, samples: list[Sample], bag: Sample | None) -> str:
    file, troubles = run.file, run.troubles
    left_out = f"; {len(troubles)} are left out (tables/not_in_the_figures.csv)" if troubles else ""
    files = {
        "report.html": "which suite to fly, with charts; needs no network",
        "tables/": "the report's tables, and `cells`, a row for each cell; CSV and Parquet",
        "cells/": "`metrics.json` of each cell, described by `metrics.schema.json`, and its power "
        "over time where there was a sensor",
        "bag/": f"the ROS 2 topics of {bag.id} (MCAP), network addresses removed" if bag else "",
        "environment.json": "the machine and its software",
        "run.json, state.json, speed.json": "the run, its cells, times of single operations",
        "datapackage.json": "description as Frictionless data package",
        _HASHES: f"`sha256sum --check {_HASHES}`",
    }
    rows = "\n".join(f"| `{name}` | {words} |" for name, words in files.items() if words)
    return (
        "# Benchmark of a post-quantum MAVLink tunnel\n\n"
        f"{len(samples)} of {len(file.cells())} cells{left_out}, begun {file.started} on "
        f"{file.machine}, commit `{file.commit or 'unknown'}`. A cell is a launch of both ends "
        "with a handshake, traffic and a rekey.\n\n"
        "Repeat it with the sources of that commit:\n\n"
        f"```sh\n{command_of(file)}\n./dev bench compare . again\n```\n\n"
        f"| file | |\n|---|---|\n{rows}\n\n"
        "Licence: Apache-2.0 (`LICENSE`).\n"
    )


def _write_hashes(out: Path) -> None:
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(out)}\n"
        for file in sorted(out.rglob("*"))
        if file.is_file()
    ]
    (out / _HASHES).write_text("".join(lines), encoding="utf-8")
