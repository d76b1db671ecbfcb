# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from urllib.parse import unquote

import pytest
from pqc_bench.bench_command import main
from report_page import Page
from report_run import make_run, raw_cells


def test_two_runs_are_compared_cell_by_cell(tmp_path: Path, whole_run: Path) -> None:
    slower = make_run(tmp_path / "slower", suites="cs-mlkem*-*-mldsa*", slower=2.0)
    out = tmp_path / "both.html"
    assert main(["report", "--compare", str(whole_run), str(slower), "--out", str(out)]) == 0
    cells = (tmp_path / "both-tables" / "compared_cells.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(cells)))
    assert len(rows) == 36
    assert all(float(row["change_percent"]) == pytest.approx(100.0) for row in rows)
    html = out.read_text(encoding="utf-8")
    only = len(raw_cells(whole_run)) - 36
    assert f"36 cells are in both; {only} only in A, 0 only in B." in html
    page = Page(html)
    assert len(page.ids) == len(set(page.ids))
    assert all(
        link[1:] in page.ids if link[0] == "#" else (tmp_path / unquote(link)).exists()
        for link in page.links
    )
