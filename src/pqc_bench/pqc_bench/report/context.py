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

import numpy as np

from pqc_bench.report import names
from pqc_bench.report.analysis import phi
from pqc_bench.report.charts import Datum
from pqc_bench.report.choice import LEAST_NOISE, cipher_costs, noise_of, shipped
from pqc_bench.report.intervals import SURE, Interval, Statistic, interval, middle, pooled, wilson
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell, Run
from pqc_bench.report.table import Value


class Context:
    """A run, with links from the folder of the page."""

    def __init__(self, run: Run, page_folder: Path) -> None:
        """Make links relative to `page_folder`."""
        self.run = run
        self.main = run.main()
        self.shipped = shipped()
        self.ciphers = cipher_costs(run.speed)
        self.noise = noise_of(self.main)
        self.groups: dict[str, tuple[str, list[Cell]]] = {}
        self._page_folder = page_folder.absolute()

    def file_link(self, file: Path) -> str:
        return quote(os.path.relpath(file.absolute(), self._page_folder))

    def link(self, cell: Cell) -> str:
        if len(cell.samples) == 1:
            return self.file_link(cell.samples[0].file)
        return self.group(f"{cell.name}, {' / '.join(cell.condition)}", [cell])

    @property
    def speed_link(self) -> str:
        return self.file_link(self.run.folder / "speed.json")

    def group(self, title: str, cells: Sequence[Cell]) -> str:
        """Return the link to the list of cells that a number was computed from."""
        if len(cells) == 1 and len(cells[0].samples) == 1:
            return self.link(cells[0])
        name = "from-" + re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        known = self.groups.setdefault(name, (title, list(cells)))
        if {cell.id for cell in known[1]} != {cell.id for cell in cells}:
            raise ValueError(f"two different lists of cells are called {title}")
        return f"#{name}"

    def value(self, cell: Cell, path: str) -> Value:
        """Return the value of a cell at a path, of repetitions the median with its interval.

        A null has the reason of the cell.
        """
        values = cell.all(path)
        numbers = all(isinstance(one, int | float) for one in values)
        return Value(
            cell.get(path),
            self.link(cell),
            cell.reason(path),
            interval=interval(values) if numbers else None,
        )

    def typical(
        self, title: str, cells: Sequence[Cell], path: str, statistic: Statistic = middle
    ) -> Value:
        """Return a statistic of the suites' medians at a path, with its interval."""
        having = [cell for cell in cells if cell.get(path) is not None]
        if not having:
            return Value(None, why="no cell measured it")
        medians = np.asarray([[cell.get(path)] for cell in having], dtype=float)
        return Value(
            float(statistic(medians)[0]),
            self.group(title, having),
            interval=pooled([cell.all(path) for cell in having], statistic),
        )

    def loss(self, title: str, cells: Sequence[Cell]) -> Value:
        """Return the share of datagrams lost in %, over all samples, with Wilson's interval."""
        known = [cell for cell in cells if cell.offered]
        if not known:
            return Value(None, why="no datagram was offered")
        lost, offered = (sum(of) for of in zip(*((c.lost, c.offered) for c in known), strict=True))
        link = self.link(known[0]) if len(known) == 1 else self.group(title, known)
        return self.share(lost, offered, link)

    @staticmethod
    def share(count: int, of: int, href: str) -> Value:
        """Return a proportion in %, with Wilson's interval; None for `of` = 0."""
        found = wilson(count, of)
        if found is None:
            return Value(None, href)
        within = found.map(lambda one: 100.0 * one)
        return Value(100.0 * count / of, href, interval=within)

    @staticmethod
    def overhead(
        took_ms: float | None, every_s: float, href: str, spread: Interval | None
    ) -> Value:
        """Return the share of time in % of a handshake of `took_ms` (its interval: `spread`)."""
        if took_ms is None:
            return Value(None, href)
        share: Callable[[float], float] = lambda ms: 100.0 * phi(ms, every_s)  # noqa: E731
        return Value(share(took_ms), href, interval=spread.map(share) if spread else None)

    def of(self, cell: Cell, value: float | str | None) -> Value:
        """Return a value computed from one cell; a text marks a disturbed one."""
        mark = cell.disturbed and isinstance(value, str)
        return Value(value, self.link(cell), disturbed=mark)

    @staticmethod
    def bounds(found: Interval | None) -> dict[str, float | None]:
        """Return an interval as members of the data of a mark."""
        if found is None:
            return {"low": None, "high": None}
        return {"low": found.low, "high": found.high}

    def datum(self, cell: Cell, words: str, **values: Any) -> Datum:
        """Return the data of a mark for a cell; `words` end the hint."""
        disturbed = " (disturbed)" if cell.disturbed else ""
        return {
            "hint": f"{cell.name}, {' / '.join(cell.condition)}: {words}{disturbed}",
            "href": self.link(cell),
            "group": names.FAMILIES[cell.family],
            "disturbed": cell.disturbed,
            **values,
        }

    @property
    def noise_words(self) -> str:
        """The margin within which costs count as equal, and where it comes from."""
        if all(one.spread is not None and one.spread.sure >= SURE for one in self.main):
            return f"{short(100.0 * LEAST_NOISE)} % or within their intervals"
        margin = f"{short(100.0 * max(self.noise or 0.0, LEAST_NOISE))} %"
        if self.noise is None:
            return f"{margin} (assumed, since one sample of each shows no noise)"
        return f"{margin} (the noise of this run is {short(100.0 * self.noise)} %)"

    @property
    def has_default(self) -> bool:
        """Return whether the run has a handshake of the shipped default."""
        return any(cell.suite == self.shipped.suite.id for cell in self.main)

    @property
    def condition_words(self) -> str:
        scenario, load, link = self.run.primary()
        return f"scenario {scenario}, load {load}, link {link}"


def interval_words(found: Interval | None, unit: str = "ms") -> str:
    if found is None:
        return "one sample: no interval"
    return (
        f"{100.0 * found.sure:.0f} % interval {short(found.low)} to {short(found.high)} {unit}, "
        f"n = {found.n:,}"
    )


def share_words(count: int, of: int) -> str:
    """Return "count of of" with the interval of the proportion."""
    found = wilson(count, of)
    if found is None:
        return f"{count} of {of}"
    low, high = (f"{100.0 * end:.0f}" for end in (found.low, found.high))
    return f"{count} of {of} (95 % interval {low} to {high} %)"


def present(values: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the known names that occur, in their order."""
    return [name for name in known if name in values]


def families_of(cells: Sequence[Cell]) -> list[str]:
    """Return the KEM families of cells, in the order of the suite table."""
    return present([cell.family for cell in cells], tuple(names.FAMILIES))
