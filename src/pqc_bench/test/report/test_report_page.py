# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a whole run: its links, charts, tables and texts."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import altair as alt
import pytest
import vl_convert
from pqc_bench.report.build import run_report
from pqc_bench.report.context import Context
from pqc_bench.report.run_data import Run, read_run_folder
from report_page import Page


@pytest.fixture
def run(whole_run: Path) -> Run:
    return read_run_folder(whole_run)


def test_every_link_leads_to_a_file_or_to_an_id_of_the_page(
    whole_run: Path, whole_page: str
) -> None:
    page = Page(whole_page)
    assert len(page.links) > 500
    for link in set(page.links):
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert urlsplit(link).scheme == ""
            assert (whole_run / unquote(link)).exists(), link


def test_every_computed_number_of_our_tables_links_to_its_source(
    whole_page: str,
) -> None:
    tables = re.findall(
        r'<table class="sortable" id="table-(\w+)"><thead>(.*?)</thead><tbody>(.*?)</tbody>',
        whole_page,
    )
    assert len(tables) >= 15
    unlinked = set()
    for name, head, body in tables:
        headings = re.findall(r"<th[^>]*>(.*?)</th>", head)
        for row in re.findall(r"<tr>(.*?)</tr>", body):
            places = re.findall(r'<td class="(\w*)"[^>]*>(.*?)</td>', row)
            assert len(places) == len(headings)
            unlinked |= {
                (name, heading)
                for heading, (style, inner) in zip(headings, places, strict=True)
                if style == "number" and "<a " not in inner
            }
    assert unlinked == {("suites", "rank"), ("primitives_aeads", "bytes")}


def test_every_chart_compiles_and_its_marks_link_to_their_sources(
    whole_run: Path, whole_page: str
) -> None:
    found = re.findall(r'<script type="application/json">(.*?)</script>', whole_page)
    ids = Page(whole_page).ids
    assert len(found) >= 13
    for spec in map(json.loads, found):
        vl_convert.vegalite_to_vega(spec)
        marks = spec["datasets"]["marks"]
        assert marks
        for link in {mark["href"] for mark in marks}:
            assert link[1:] in ids if link[0] == "#" else (whole_run / unquote(link)).exists()


def test_the_page_says_which_program_ran_in_each_scenario(whole_page: str) -> None:
    text = re.sub(r"<[^>]+>", "", whole_page)
    assert "python3 -m pqc_bench.load.detector trees in light" in text
    assert "python3 -m pqc_bench.load heavy in stand-in-heavy" in text


def test_ids_of_the_page_are_unique(whole_page: str) -> None:
    ids = Page(whole_page).ids
    assert len(ids) == len(set(ids))


def test_the_page_loads_nothing(whole_page: str) -> None:
    assert Page(whole_page).loaded == []
    ours = re.sub(r"<script>.*?</script>", "", whole_page, count=1, flags=re.DOTALL)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest", ours)
    assert {url for url in re.findall(r"https?://[^\"]*", ours)} == {alt.SCHEMA_URL}


def test_each_table_is_a_csv_file_beside_the_page(whole_run: Path, whole_page: str) -> None:
    files = list((whole_run / "report-tables").glob("*.csv"))
    assert len(files) >= 15
    for file in files:
        (head, *rows) = csv.reader(io.StringIO(file.read_text(encoding="utf-8")))
        assert head[-1] == "source"
        assert f'id="table-{file.stem}"' in whole_page or not rows


def test_every_figure_has_a_sentence_and_a_chart_or_a_reason(whole_page: str) -> None:
    figures = re.findall(r"<figure.*?</figure>", whole_page, re.DOTALL)
    assert len(figures) >= 14
    for figure in figures:
        (sentence,) = re.findall(r"<figcaption>(.*?)</figcaption>", figure, re.DOTALL)
        assert sentence.endswith(".")
        assert 'class="chart"' in figure or "Nothing to draw: " in figure


def test_stress_ng_is_called_a_stand_in_and_not_a_detector(whole_page: str) -> None:
    (scenarios,) = re.findall(r'<section id="scenarios".*?</section>', whole_page, re.DOTALL)
    assert "stands in for the papers' detectors: it is stress-ng" in unescape(scenarios)
    assert "Change by a CPU load" in scenarios


def test_texts_have_no_names_of_metrics(whole_page: str) -> None:
    text = re.sub(r"<script.*?</script>|<[^>]*>", " ", whole_page, flags=re.DOTALL)
    assert not re.findall(r"\b[a-r]_[a-z]+_?[a-z]*\.[a-z_.]+", text)


def test_the_same_run_gives_the_same_page(run: Run, whole_page: str) -> None:
    assert run_report(run, run.folder).html == whole_page


def test_two_lists_of_cells_never_share_a_name(run: Run) -> None:
    context = Context(run, run.folder)
    context.group("some", context.main[:2])
    with pytest.raises(ValueError, match="two different lists"):
        context.group("some", context.main[:3])
