# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of small runs, and what a page links to and loads."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from pqc_bench.report.build import run_report
from pqc_bench.report.run_data import read_run_folder
from report_run import make_run

ONE = "cs-mlkem768-aesgcm-mldsa65"


class Page(HTMLParser):
    """The links, loaded files and ids of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        if tag == "a":
            self.links.append(found["href"] or "")
        elif tag in ("img", "link", "iframe", "object", "video", "source", "use"):
            self.loaded.append(tag)
        elif "src" in found:
            self.loaded.append(found["src"] or "")


def small_run(folder: Path, suites: str = ONE) -> Path:
    return make_run(folder, suites=suites, scenarios=("baseline",), speed=False)


def page_of(folder: Path) -> str:
    return run_report(read_run_folder(folder), folder).html
