# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tables as LaTeX: every table is there, well formed, escaped, and has the page's figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pqc_bench.report.build import Report, run_report
from pqc_bench.report.intervals import Interval
from pqc_bench.report.latex import escaped, latex
from pqc_bench.report.run_data import read_run_folder
from pqc_bench.report.seeds_data import seed_tables
from pqc_bench.report.table import Column, Table, Value
from report_run import make_run


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = make_run(tmp_path_factory.mktemp("runs") / "run", scenarios=("baseline", "light"))
    return run_report(read_run_folder(folder), folder)


def rows_of(text: str) -> list[str]:
    """Return the rows between the rules."""
    start = r"\endlastfoot" if "longtable}" in text else r"\midrule"
    end = r"\end{longtable}" if "longtable}" in text else r"\bottomrule"
    return text.partition(start)[2].partition(end)[0].strip().splitlines()


def test_every_table_of_the_page_is_exported_and_every_published_one(report: Report) -> None:
    ours = {name for name in report.latex if not name.startswith("published_")}
    assert ours == set(report.tables)
    published = {name.split("_")[1] for name in report.latex if name.startswith("published_")}
    assert published == {"000", "001", "002", "003", "004"}
    assert len(report.latex) - len(ours) == len(seed_tables())


def test_tables_are_well_formed(report: Report) -> None:
    for name, text in report.latex.items():
        assert text.isascii(), name
        begun = re.findall(r"\\begin\{(\w+)\}", text)
        ended = re.findall(r"\\end\{(\w+)\}", text)
        assert begun == ended[::-1], name
        assert len(re.findall(r"\\toprule", text)) == len(re.findall(r"\\midrule", text)) >= 1
        assert text.count(r"\bottomrule") == 1
        (columns,) = re.findall(r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}", text)
        for row in rows_of(text):
            assert row.endswith(r" \\"), name
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1, (name, row)
            assert row.count("$") % 2 == row.count(r"\$") % 2
        assert re.sub(r"\\[{}]", "", text).count("{") == re.sub(r"\\[{}]", "", text).count("}")


def test_a_table_has_as_many_rows_as_its_csv(report: Report) -> None:
    for name, csv in report.tables.items():
        assert len(rows_of(report.latex[name])) == len(csv.splitlines()) - 1, name


def test_special_characters_are_escaped() -> None:
    assert escaped(r"a_b & 5 % of $x {y} #1 ~ ^ \z") == (
        r"a\_b \& 5 \% of \$x \{y\} \#1 \textasciitilde{} \textasciicircum{} \textbackslash{}z"
    )
    assert escaped("Φ(60 s) ≤ 3 µs · R²") == r"$\Phi$(60 s) $\leq$ 3 $\mu$s $\cdot$ R$^2$"


def test_values_have_their_interval_their_floor_or_a_dash() -> None:
    table = Table(
        "some_table", [Column("suite", "suite"), Column("time (ms)", "t_ms")], note="A_b."
    )
    table.add(Value("x & y"), Value(2.7431, interval=Interval(2.4, 2.97, 6)))
    table.add(Value("less"), Value(-0.3, interval=Interval(-0.5, -0.1, 6)))
    table.add(Value("none"), Value(None))
    table.add(Value("least"), Value(3.125, floor=True))
    text = latex(table, "Times, 50 %")
    assert rows_of(text) == [
        r"x \& y & 2.74 {\scriptsize (2.4--2.97)} \\",
        r"less & -0.3 {\scriptsize (-0.5 to -0.1)} \\",
        r"none & -- \\",
        r"least & $\leq$ 3.12 \\",
    ]
    assert r"\caption{Times, 50 \%}\label{tab:some-table}" in text
    assert r"\begin{tabular}{lr}" in text
    assert r"\par\footnotesize A\_b." in text


def test_a_long_table_breaks_over_pages() -> None:
    table = Table("long", [Column("n", "n")])
    for number in range(41):
        table.add(Value(number))
    text = latex(table, "Long")
    assert r"\begin{longtable}{r}" in text
    assert len(rows_of(text)) == 41


def test_files_are_written_beside_the_csv(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem768-aesgcm-mldsa65", ("baseline",), False)
    report = run_report(read_run_folder(folder), folder)
    tables = report.write(folder / "report.html")
    assert {file.stem for file in tables.glob("*.csv")} == set(report.tables)
    assert {file.stem for file in tables.glob("*.tex")} == set(report.latex)
