# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The page in a browser without a network: its charts are drawn, its tables can be sorted."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.report.build import run_report
from pqc_bench.report.run_data import read_run_folder
from report_run import make_run

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = (1200, 400)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium here to open the page with"
)
# A frame of each width shows the page; the document around them keeps what is found in it.
PROBE = """<!DOCTYPE html><body><script>
const look = (page) => {
  const table = page.document.getElementById("table-suites");
  const column = (n) => [...table.tBodies[0].rows].map((row) => row.cells[n].dataset.v);
  const texts = [...page.document.querySelectorAll("body *:not(script)")].filter((one) =>
    [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
  const box = table.closest(".scroll");
  const left = () => table.rows[1].cells[0].getBoundingClientRect().left;
  const before = left();
  const clipped = [...page.document.querySelectorAll(".scroll")].map((one) => ({
    hidden: one.scrollWidth > one.clientWidth + 8 || one.scrollHeight > one.clientHeight + 8,
    says: one.nextElementSibling.className === "more" && one.nextElementSibling.textContent,
  }));
  box.scrollLeft = 100;
  const click = (n) => { table.tHead.rows[0].cells[n].click(); return column(n).map(Number); };
  return {
    charts: [...page.document.querySelectorAll(".chart")].map((chart) => ({
      name: chart.getAttribute("aria-label"),
      width: chart.querySelector("svg").getBoundingClientRect().width,
      room: chart.getBoundingClientRect().width,
      marks: chart.querySelectorAll(".role-mark path, .role-mark line").length,
      titles: [...chart.querySelectorAll(".role-axis-title text")].map((one) => one.textContent),
    })),
    smallest: Math.min(...texts.map((one) => parseFloat(page.getComputedStyle(one).fontSize))),
    clipped,
    fixed: { scrolled: box.scrollLeft, moved: left() - before },
    copies: [...page.document.querySelectorAll("[data-copy]")].map((one) => [
      one.dataset.copy, one.previousElementSibling.textContent]),
    sorted: { up: click(8), down: click(8) },
    loaded: page.performance.getEntriesByType("resource").map((one) => one.name),
    scrolls: page.document.documentElement.scrollWidth > page.innerWidth,
  };
};
const found = {};
const timer = setInterval(() => {
  const frames = [...document.querySelectorAll("iframe")];
  if (!frames.every((frame) => frame.contentDocument?.body?.dataset.drawn)) return;
  clearInterval(timer);
  for (const frame of frames) found[frame.width] = look(frame.contentWindow);
  const report = document.createElement("pre");
  report.textContent = JSON.stringify(found);
  document.body.append(report);
}, 100);
</script>FRAMES</body>"""


def browse(folder: Path, page: Path) -> str:
    """Open a page; return the document once its scripts have nothing left to do."""
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--proxy-server=127.0.0.1:9",
        "--allow-file-access-from-files",
        "--virtual-time-budget=60000",
        f"--user-data-dir={folder / 'profile'}",
        "--dump-dom",
        page.as_uri(),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as browser:
        try:
            out, _ = browser.communicate(timeout=120)
        finally:
            if browser.poll() is None:
                os.killpg(browser.pid, signal.SIGKILL)
    assert browser.returncode == 0
    return out.decode()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the findings in the page by the width of its frame."""
    suites = "cs-mlkem*-aesgcm-mldsa*,cs-classicmceliece*-aesgcm-mldsa*,cs-hqc???-aesgcm-mldsa*"
    folder = make_run(tmp_path_factory.mktemp("run"), suites, temperature_c=50.0)
    (folder / "report.html").write_text(run_report(read_run_folder(folder), folder).html)
    frames = "".join(
        f'<iframe src="report.html" width="{w}" height="900"></iframe>' for w in WIDTHS
    )
    probe = folder / "probe.html"
    probe.write_text(PROBE.replace("FRAMES", frames), encoding="utf-8")
    report = re.search(r"<pre>(.*?)</pre>", browse(folder, probe), re.DOTALL)
    return json.loads(unescape(report[1]))


@pytest.mark.parametrize("width", WIDTHS)
def test_every_chart_is_drawn_in_the_room_that_it_has(found: dict[str, Any], width: int) -> None:
    charts = found[str(width)]["charts"]
    assert len(charts) >= 14
    for chart in charts:
        assert chart["marks"] > 0, chart
        assert 200 < chart["width"] <= chart["room"] + 1, chart
    assert not found[str(width)]["scrolls"]
    heat_maps = [chart for chart in charts if not chart["titles"]]
    assert len(heat_maps) == 3, "all other charts name their axes"


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_is_smaller_than_11_px(found: dict[str, Any], width: int) -> None:
    assert found[str(width)]["smallest"] >= 11.0


@pytest.mark.parametrize("width", WIDTHS)
def test_a_clipped_table_says_how_much_it_hides(found: dict[str, Any], width: int) -> None:
    clipped = found[str(width)]["clipped"]
    for one in clipped:
        assert bool(one["says"]) == one["hidden"], one
    assert any("more column" in one["says"] for one in clipped if one["says"])


def test_the_first_column_stays_when_a_wide_table_is_scrolled(found: dict[str, Any]) -> None:
    fixed = found["400"]["fixed"]
    assert fixed["scrolled"] > 0
    assert abs(fixed["moved"]) < 1.0


def test_the_suite_and_its_line_can_be_copied(found: dict[str, Any]) -> None:
    (suite, shown), (line, configuration) = found["400"]["copies"]
    assert suite == shown
    assert line == configuration == f"suite: {suite}"


def test_nothing_is_loaded(found: dict[str, Any]) -> None:
    assert all(page["loaded"] == [] for page in found.values())


def test_a_click_on_a_heading_sorts_and_another_one_reverses(found: dict[str, Any]) -> None:
    for page in found.values():
        ordered = page["sorted"]
        assert ordered["up"] == sorted(ordered["up"])
        assert ordered["down"] == sorted(ordered["up"], reverse=True)
        assert len(set(ordered["up"])) > 1
