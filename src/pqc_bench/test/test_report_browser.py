# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The page in a browser that can't reach anything: drawn, sortable, and planning as Python does."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from matplotlib import image
from pqc_bench.report.build import run_report
from pqc_bench.report.context import Context
from pqc_bench.report.planner import Basis, Fleet, plan
from pqc_bench.report.power import power_of
from pqc_bench.report.run_data import read_run_folder
from pqc_bench.report.sections.fleets import FLEETS, reason
from report_run import make_run

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PICTURE = "page.png"
# Where nothing fits for want of time, and of energy; and where it matters that keys lie ready.
FLEETS_HERE = (
    *FLEETS,
    Fleet("slow", 60.0, 30.0, 1, 40.0, 1.0, 0.0),
    Fleet("tiny battery", 0.001, 30.0, 1, 60.0, 20000.0, 5.0),
    Fleet("often", 6000.0, 30.0, 1, 10.0, 1e6, 0.0),
)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium here to open the page with"
)
# Runs after the page's own script and leaves what it saw in the document.
PROBE = """<script>
{
const inside = (mark, chart) => {
  const [a, b] = [mark.getBoundingClientRect(), chart.getBoundingClientRect()];
  return a.left >= b.left - 1 && a.right <= b.right + 1
    && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
};
const charts = [...document.querySelectorAll("svg.chart")].map((chart) => {
  const marks = [...chart.querySelectorAll(".dot, .tile, .curve")];
  return {
    name: chart.getAttribute("aria-label"),
    width: chart.getBoundingClientRect().width,
    height: chart.getBoundingClientRect().height,
    marks: marks.length,
    drawn: marks.filter((mark) => inside(mark, chart)).length,
    cut: [...chart.querySelectorAll("text")].filter((text) => !inside(text, chart))
      .map((text) => text.textContent),
  };
});
const table = document.getElementById("table-suites");
const column = (n) => [...table.tBodies[0].rows].map((row) => row.cells[n].dataset.v);
const click = (n) => { table.tHead.rows[0].cells[n].click(); return column(n).map(Number); };
const sorted = { up: click(8), down: click(8) };
const form = document.getElementById("planner");
const plans = FLEETS.map((fleet) => {
  for (const [name, value] of Object.entries(fleet)) form.elements[name].value = value;
  form.dispatchEvent(new Event("input", { bubbles: true }));
  return document.getElementById("plan").textContent;
});
const told = document.createElement("pre");
told.id = "told";
told.hidden = true;
told.textContent = JSON.stringify({
  charts, sorted, plans, loaded: performance.getEntriesByType("resource").map((one) => one.name),
});
document.body.append(told);
}
</script>"""


def browse(folder: Path, page: Path, options: Sequence[str]) -> str:
    """Open a page without a network; return what the browser prints."""
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-background-networking",
        "--proxy-server=127.0.0.1:9",
        f"--user-data-dir={folder / 'profile'}",
        *options,
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
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    suites = "cs-mlkem*-aesgcm-mldsa*,cs-classicmceliece*-aesgcm-mldsa*,cs-hqc*-aesgcm-mldsa*"
    folder = make_run(tmp_path_factory.mktemp("run"), suites, temperature_c=50.0)
    return Context(read_run_folder(folder), folder)


@pytest.fixture(scope="module")
def html(context: Context) -> str:
    return run_report(context.run, context.run.folder).html


@pytest.fixture(scope="module")
def told(context: Context, html: str) -> dict[str, Any]:
    fleets = [
        {
            "basis": str(basis),
            "battery": fleet.battery_wh,
            "minutes": fleet.minutes,
            "level": fleet.level,
            "rekey": fleet.rekey_s,
            "kbit": fleet.link_kbit_s,
            "rtt": fleet.round_trip_ms,
        }
        for basis in Basis
        for fleet in FLEETS_HERE
    ]
    probe = PROBE.replace("FLEETS", json.dumps(fleets))
    page = context.run.folder / "probed.html"
    page.write_text(html.replace("</body>", f"{probe}</body>"), encoding="utf-8")
    dom = browse(
        context.run.folder,
        page,
        ["--window-size=1400,2200", f"--screenshot={context.run.folder / PICTURE}", "--dump-dom"],
    )
    found = re.search(r'<pre id="told"[^>]*>(.*?)</pre>', dom, re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


def test_every_chart_is_drawn_within_its_frame(told: dict[str, Any]) -> None:
    assert len(told["charts"]) >= 14
    for chart in told["charts"]:
        assert chart["width"] > 200 and chart["height"] > 100, chart
        assert chart["marks"] > 0, chart
        assert chart["drawn"] == chart["marks"], chart
        assert chart["cut"] == [], chart


def test_nothing_is_loaded(told: dict[str, Any]) -> None:
    assert told["loaded"] == []


def test_a_click_on_a_heading_sorts_and_another_one_reverses(told: dict[str, Any]) -> None:
    assert told["sorted"]["up"] == sorted(told["sorted"]["up"])
    assert told["sorted"]["down"] == sorted(told["sorted"]["up"], reverse=True)
    assert len(set(told["sorted"]["up"])) > 1


def test_the_pages_planner_proposes_what_pythons_does(
    told: dict[str, Any], context: Context
) -> None:
    power = power_of(context.main, "baseline")
    asked = [(basis, fleet) for basis in Basis for fleet in FLEETS_HERE]
    proposed = set()
    for (basis, fleet), words in zip(asked, told["plans"], strict=True):
        found = plan(context.options, fleet, power.watts, context.noise, basis)
        assert words.rstrip().endswith(reason(found)), fleet.name
        if found.chosen is not None:
            proposed.add((fleet.name, len(found.fitting)))
            assert words.startswith(f"{found.chosen.option.name} · "), fleet.name
            assert f"level {found.chosen.option.level}." in words
    # Some fleets can take more suites where keys lie ready.
    assert len(proposed) > len({name for name, _ in proposed})


def test_the_picture_has_the_colours_of_all_families(
    told: dict[str, Any], context: Context
) -> None:
    assert told
    picture = image.imread(context.run.folder / PICTURE)
    pixels = (picture[:, :, :3] * 255.0).round().astype(int)
    # ML-KEM, HQC, McEliece: as the legends show them.
    for colour in ((0x2F, 0x7A, 0xD9), (0xE0, 0x9A, 0x24), (0xCC, 0x44, 0x36)):
        assert (abs(pixels - colour).sum(axis=2) < 40).sum() > 100, colour
