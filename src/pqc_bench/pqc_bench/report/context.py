# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The data that all sections share: the run, and links to the sources of numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pqc_bench.report import names
from pqc_bench.report.charts import Datum
from pqc_bench.report.planner import Option, noise_of, options_of
from pqc_bench.report.run_data import Cell, Run
from pqc_bench.report.table import Value


class Context:
    """A run, with links from the folder of the page."""

    def __init__(self, run: Run, page_folder: Path, prefix: str = "") -> None:
        """Make links relative to `page_folder`; `prefix` separates the groups of two runs."""
        self.run = run
        self.main = run.main()
        self.options = options_of(self.main)
        self.noise = noise_of(self.options)
        self.groups: dict[str, tuple[str, list[Cell]]] = {}
        self._page_folder = page_folder.absolute()
        self._prefix = prefix

    def file_link(self, file: Path) -> str:
        """Return the link to a file."""
        return quote(os.path.relpath(file.absolute(), self._page_folder))

    def link(self, cell: Cell) -> str:
        """Return the link to a cell's metrics."""
        return self.file_link(cell.file)

    @property
    def speed_link(self) -> str:
        """The link to the times of the primitives."""
        return self.file_link(self.run.folder / "speed.json")

    def group(self, title: str, cells: Sequence[Cell]) -> str:
        """Return the link to the list of cells that a number was computed from."""
        if len(cells) == 1:
            return self.link(cells[0])
        name = "from-" + self._prefix + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        known = self.groups.setdefault(name, (title, list(cells)))
        if {cell.id for cell in known[1]} != {cell.id for cell in cells}:
            raise ValueError(f"two different lists of cells are called {title}")
        return f"#{name}"

    def value(self, cell: Cell, path: str) -> Value:
        """Return the value of a cell at a path, with the reason of the cell if it is null."""
        status = cell.metrics["metric_status"].get(path, {})
        return Value(cell.get(path), self.link(cell), status.get("reason", "not measured"))

    def of(self, cell: Cell, value: float | str | None) -> Value:
        """Return a value computed from one cell."""
        return Value(value, self.link(cell))

    def extreme(self, cells: Sequence[Cell], value: Callable[[Cell], float]) -> Value:
        """Return the largest value, with a link to its cell."""
        cell = max(cells, key=value)
        return Value(value(cell), self.link(cell))

    def datum(self, cell: Cell, words: str, **values: Any) -> Datum:
        """Return the data of a mark for a cell; `words` end the hint."""
        hint = f"{cell.name}, {' / '.join(cell.condition)}: {words}"
        group = names.FAMILIES[cell.family]
        return {"hint": hint, "href": self.link(cell), "group": group, **values}

    def option_datum(self, option: Option, words: str, **values: Any) -> Datum:
        """Return the data of a mark for a KEM with a signature; `words` end the hint."""
        return {
            "hint": f"{option.name}: {words}",
            "href": self.option_link(option),
            "group": names.FAMILIES[option.family],
            **values,
        }

    def option_link(self, option: Option) -> str:
        """Return the link to the cells of a KEM with a signature."""
        condition = ", ".join(option.cells[0].condition)
        return self.group(f"{option.name} in {condition}", option.cells)

    @property
    def condition_words(self) -> str:
        """The primary condition in words."""
        scenario, load, link = self.run.primary()
        return f"scenario {scenario}, load {load}, link {link}"


def present(values: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the known names that occur, in their order."""
    return [name for name in known if name in values]


def families_of(cells: Sequence[Cell]) -> list[str]:
    """Return the KEM families of cells, in the order of the suite table."""
    return present([cell.family for cell in cells], tuple(names.FAMILIES))
