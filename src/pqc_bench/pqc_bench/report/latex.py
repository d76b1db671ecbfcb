# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
r"""Tables for a paper: LaTeX with booktabs, and longtable for those longer than a page.

The text is plain ASCII, so that every LaTeX engine reads it. An interval follows its value in
parentheses.
"""

from __future__ import annotations

from collections.abc import Sequence

from pqc_bench.report.number_text import short, span
from pqc_bench.report.seeds_data import SeedTable
from pqc_bench.report.table import Table, Value

_MOST_ROWS = 40
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "[": r"{[}",
    "]": r"{]}",
    "·": r"$\cdot$",
    "Φ": r"$\Phi$",
    "µ": r"$\mu$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "°": r"$^\circ$",
    "²": r"$^2$",
    "–": "--",
    "…": r"\ldots{}",
    "’": "'",
}


def latex(table: Table, caption: str) -> str:
    """Return one of our tables; a table without rows keeps its head."""
    heads = [column.heading for column in table.columns]
    rows = [[_value(value) for value in row] for row in table.rows]
    numeric = [
        all(not isinstance(row[place].value, str) for row in table.rows)
        for place in range(len(heads))
    ]
    return _document(table.name, caption, heads, numeric, rows, table.note)


def published_latex(seed: SeedTable) -> str:
    """Return a published table, with its source."""
    rows = [[_plain(value) for value in row] for row in seed.rows]
    numeric = [
        all(isinstance(row[place], int | float) for row in seed.rows)
        for place in range(len(seed.columns))
    ]
    note = f"{seed.source}, {seed.place}. {seed.setting}. {seed.note}".rstrip()
    return _document(published_name(seed), seed.title, seed.columns, numeric, rows, note)


def published_name(seed: SeedTable) -> str:
    """Return the name of a published table's file."""
    return f"published_{seed.seed}_{seed.id}"


def escaped(text: str) -> str:
    """Return text with every character that LaTeX would interpret replaced; ASCII only."""
    return "".join(_ESCAPED.get(one, one) for one in text).encode("ascii", "replace").decode()


def _document(
    name: str,
    caption: str,
    heads: Sequence[str],
    numeric: Sequence[bool],
    rows: Sequence[Sequence[str]],
    note: str,
) -> str:
    columns = "".join("r" if of else "l" for of in numeric)
    head = " & ".join(map(escaped, heads)) + r" \\"
    body = [" & ".join(row) + r" \\" for row in rows]
    about = rf"\caption{{{escaped(caption)}}}\label{{tab:{name.replace('_', '-')}}}"
    below = [rf"\par\footnotesize {escaped(note)}"] if note else []
    if len(rows) > _MOST_ROWS:
        lines = [
            "% needs booktabs and longtable",
            rf"\begin{{longtable}}{{{columns}}}",
            about + r" \\",
            r"\toprule",
            head,
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            head,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endlastfoot",
            *body,
            r"\end{longtable}",
            *below,
        ]
    else:
        lines = [
            "% needs booktabs",
            r"\begin{table}",
            r"\centering",
            about,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *below,
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _value(value: Value) -> str:
    if value.value is None:
        return "--"
    if isinstance(value.value, str):
        text = escaped(value.value)
    else:
        text = f"{value.value:,}" if isinstance(value.value, int) else short(value.value)
    if value.floor:
        text = rf"$\leq$ {text}"
    if value.interval is not None:
        text += rf" {{\scriptsize ({span(value.interval.low, value.interval.high, '--')})}}"
    return text


def _plain(value: object) -> str:
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"
    return escaped(str(value))
