# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import altair as alt
import pytest
import vl_convert
from pqc_bench.bench_command import main
from pqc_bench.metrics import write_metrics
from pqc_bench.report.analysis import fit, pareto
from pqc_bench.report.build import run_report
from pqc_bench.report.charts import boxes
from pqc_bench.report.context import Context
from pqc_bench.report.glossary import WORDS
from pqc_bench.report.run_data import Run, read_run_folder
from report_run import make_run, raw_cells, set_state

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def html(folder: Path) -> str:
    assert main(["report", str(folder)]) == 0
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return read_run_folder(folder)


def small_run(folder: Path, suites: str = ONE) -> Path:
    return make_run(folder, suites=suites, scenarios=("baseline",), speed=False)


def page_of(folder: Path) -> str:
    return unlinked(run_report(read_run_folder(folder), folder).html)


def unlinked(html: str) -> str:
    """Return the page without the links to its glossary."""
    return re.sub(r'<a class="word"[^>]*>(.*?)</a>', r"\1", html)


def test_every_link_leads_to_a_file_or_to_an_id_of_the_page(folder: Path, html: str) -> None:
    page = Page(html)
    assert len(page.links) > 500
    for link in set(page.links):
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert urlsplit(link).scheme == ""
            assert (folder / unquote(link)).exists(), link


def test_every_computed_number_of_our_tables_links_to_its_source(
    html: str,
) -> None:
    tables = re.findall(
        r'<table class="sortable" id="table-(\w+)"><thead>(.*?)</thead><tbody>(.*?)</tbody>', html
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
    asked = ("battery (Wh)", "flight (min)", "rekey (s)", "link (kbit/s)", "round trip (ms)")
    assert unlinked == {
        ("suites", "rank"),
        ("primitives_aeads", "bytes"),
        *(("fleets", heading) for heading in asked),
    }


def test_every_chart_compiles_and_its_marks_link_to_their_sources(folder: Path, html: str) -> None:
    found = re.findall(r'<script type="application/json">(.*?)</script>', html)
    ids = Page(html).ids
    assert len(found) >= 13
    for spec in map(json.loads, found):
        vl_convert.vegalite_to_vega(spec)
        marks = spec["datasets"]["marks"]
        assert marks
        for link in {mark["href"] for mark in marks}:
            assert link[1:] in ids if link[0] == "#" else (folder / unquote(link)).exists()


def test_the_page_says_which_program_ran_in_each_scenario(html: str) -> None:
    text = re.sub(r"<[^>]+>", "", html)
    for scenario in ("light", "heavy"):
        assert f"python3 -m pqc_bench.load {scenario} in {scenario}" in text


def test_ids_of_the_page_are_unique(html: str) -> None:
    ids = Page(html).ids
    assert len(ids) == len(set(ids))


def test_the_page_loads_nothing(html: str) -> None:
    assert Page(html).loaded == []
    ours = re.sub(r"<script>.*?</script>", "", html, count=1, flags=re.DOTALL)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest", ours)
    assert {url for url in re.findall(r"https?://[^\"]*", ours)} == {alt.SCHEMA_URL}


def test_each_table_is_a_csv_file_beside_the_page(folder: Path, html: str) -> None:
    files = list((folder / "report-tables").glob("*.csv"))
    assert len(files) >= 15
    for file in files:
        (head, *rows) = csv.reader(io.StringIO(file.read_text(encoding="utf-8")))
        assert head[-1] == "source"
        assert f'id="table-{file.stem}"' in html or not rows


def test_every_figure_has_a_sentence_and_a_chart_or_a_reason(html: str) -> None:
    figures = re.findall(r"<figure.*?</figure>", html, re.DOTALL)
    assert len(figures) >= 14
    for figure in figures:
        (sentence,) = re.findall(r"<figcaption>(.*?)</figcaption>", figure, re.DOTALL)
        assert sentence.endswith(".")
        assert 'class="chart"' in figure or "Nothing to draw: " in figure


def test_words_are_explained_and_linked_at_their_first_use(html: str) -> None:
    words = re.findall(r'<dt id="(word-[\w-]+)">', html)
    linked = re.findall(r'<a class="word" href="#([\w-]+)">', html)
    assert len(words) == len(WORDS)
    assert len(linked) == len(set(linked))
    assert {"word-suite", "word-detector", "word-rekey", "word-cell"} <= set(linked) <= set(words)


def test_texts_have_no_names_of_metrics(html: str) -> None:
    text = re.sub(r"<script.*?</script>|<[^>]*>", " ", html, flags=re.DOTALL)
    assert not re.findall(r"\b[a-r]_[a-z]+_?[a-z]*\.[a-z_.]+", text)


def test_the_page_answers_which_suite_to_fly(html: str) -> None:
    (answer,) = re.findall(r'<section id="answer">(.*?)</section>', html, re.DOTALL)
    words = re.sub(r"<.*?>", "", answer)
    assert words.startswith(f"Which suite should I fly?Fly {ONE} Copy")
    assert f'<button type="button" data-copy="suite: {ONE}">' in answer
    assert "ML-KEM-768 · ML-DSA-65 · AES-256-GCM, NIST level 3. In config/drone.yaml" in words
    assert "It is the shipped default: no figure of this run excludes it." in words
    assert re.search(r"First handshake [\d.]+ ms \(one sample: no interval\)", words)
    assert "an encapsulation and a verification, takes" in words
    assert "(one sample: no interval; all keys made ahead)" in words
    assert "One sample of each suite, so suites have no interval" in words
    assert "in light and" in answer
    assert "Do not fly" in answer
    assert "Ascon-128a and Ascon-AEAD128 stay out" in answer


def test_a_run_of_experimental_suites_only_says_so(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run", "cs-hqc*-aesgcm-mldsa*"))
    assert "<p>None: every suite of this run is experimental, and those are never proposed." in html
    assert "keeps its rekeys under" not in html
    assert "Nothing fits: no suite of this run may be proposed." in html


def test_a_fleet_given_as_an_option_is_planned(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    assert main(["report", str(folder), "--fleet", "Ferry,100,30,3,60,5000,50"]) == 0
    text = (folder / "report-tables" / "fleets.csv").read_text(encoding="utf-8")
    (row,) = (row for row in csv.DictReader(io.StringIO(text)) if row["fleet"] == "Ferry")
    given = ("battery_wh", "minutes", "rekey_s", "link_kbit_s", "round_trip_ms")
    assert [float(row[name]) for name in given] == [100.0, 30.0, 60.0, 5000.0, 50.0]
    assert row["level_floor"] == "L3"
    assert row["suite"] == "ML-KEM-768 · ML-DSA-65 · AES-256-GCM"


def test_a_run_of_costly_suites_only_says_so(tmp_path: Path) -> None:
    slow = make_run(
        tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline",), speed=False, slower=500.0
    )
    assert "keeps its rekeys under 1 % of the time and of the battery." in page_of(slow)


def test_a_run_of_unpublished_algorithms_only_says_so(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run", "cs-classicmceliece*-aesgcm-mldsa*"))
    assert (
        "<p>None: the shipped parameters would choose no suite of this run: 3 with algorithms that "
        "FIPS does not publish." in html
    )


def test_the_page_does_not_warn_of_a_suite_of_negligible_cost(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*"))
    assert "Do not fly" not in html


def test_the_same_run_gives_the_same_page(run: Run, html: str) -> None:
    assert run_report(run, run.folder).html == html


def test_an_altered_cell_is_rejected_reported_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*")
    (victim, *_) = sorted(folder.glob("cells/**/metrics.json"))
    metrics = json.loads(victim.read_text())
    metrics["d_handshake"]["total_ms"] = 0.001
    victim.write_text(json.dumps(metrics))
    assert main(["report", str(folder)]) == 1
    assert "was altered after it was written" in capsys.readouterr().out
    html = unlinked((folder / "report.html").read_text(encoding="utf-8"))
    assert "2 of 3 cells are in the figures (1 refused)" in html
    assert "was altered after it was written" in html
    assert len((folder / "report-tables" / "suites.csv").read_text().splitlines()) == 3


def test_the_metrics_of_another_cell_are_rejected(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*")
    one, other, _ = sorted(folder.glob("cells/**/metrics.json"))
    other.write_bytes(one.read_bytes())
    assert [t.status for t in read_run_folder(folder).troubles] == ["refused"]


def test_failed_and_pending_cells_are_listed_with_their_reason(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*")
    place = "baseline/mavlink/clean"
    set_state(folder, f"{place}/cs-mlkem512-aesgcm-mldsa44", "failed", "Nothing <arrived>.")
    set_state(folder, f"{place}/cs-mlkem1024-aesgcm-mldsa87", "pending", "")
    html = page_of(folder)
    assert "1 of 3 cells are in the figures (1 failed, 1 pending)" in html
    assert "Nothing &lt;arrived&gt;." in html
    assert "It has not run yet." in html


def test_a_flagged_cell_stays_in_the_figures_and_is_listed(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["r_validation"] |= {
        "flags": [{"name": "no_traffic", "text": "Nothing arrived from the drone."}],
        "sane": False,
    }
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    html = page_of(folder)
    assert "1 of 1 cells are in the figures, 1 of them flagged." in html
    assert "Nothing arrived from the drone." in html


def test_a_run_of_one_cell_says_what_it_has_no_data_for(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run"))
    for why in (
        "the run has one scenario, baseline",
        "the run has no speed.json",
        "the run has too few different sizes",
        "This machine has no thermal zone.",
        "Predicted, not measured",
    ):
        assert why in html


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name one run's folder, or two with --compare"),
        (["nowhere"], "'nowhere' doesn't exist"),
        (["."], "there is no run in '.'"),
        (["{run}/run.json"], "is a file; name the folder of the run"),
        (["{run}", "--out", "."], "'.' is a folder; name a file in it"),
        (["--compare", "{run}", "{run}", "--fleet", "Mine,1,1,1,1,1,1"], "--fleet has no effect"),
        (["{run}", "--compare", "{run}", "{run}"], "name one run's folder"),
        (["{run}", "--out", "nowhere/page.html"], "there is no folder"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    run = small_run(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert main(["report", *(text.format(run=run) for text in arguments)]) == 2
    assert sentence in capsys.readouterr().err


def test_a_run_without_cells_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run")
    set_state(folder, f"baseline/mavlink/clean/{ONE}", "failed", "It failed.")
    assert main(["report", str(folder)]) == 1
    assert "has results to report" in capsys.readouterr().err


def test_a_run_without_a_handshake_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["d_handshake"]["total_ms"] = None
    metrics["metric_status"]["d_handshake.total_ms"] = {
        "status": "unavailable",
        "reason": "The drone's last status didn't come.",
    }
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    assert main(["report", str(folder)]) == 1
    assert "has results to report" in capsys.readouterr().err


def test_two_runs_are_compared_cell_by_cell(tmp_path: Path, folder: Path) -> None:
    slower = make_run(tmp_path / "slower", suites="cs-mlkem*-*-mldsa*", slower=2.0)
    out = tmp_path / "both.html"
    assert main(["report", "--compare", str(folder), str(slower), "--out", str(out)]) == 0
    cells = (tmp_path / "both-tables" / "compared_cells.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(cells)))
    assert len(rows) == 36
    assert all(float(row["change_percent"]) == pytest.approx(100.0) for row in rows)
    html = out.read_text(encoding="utf-8")
    only = len(raw_cells(folder)) - 36
    assert f"36 cells are in both; {only} only in A, 0 only in B." in html
    page = Page(html)
    assert len(page.ids) == len(set(page.ids))
    assert all(
        link[1:] in page.ids if link[0] == "#" else (tmp_path / unquote(link)).exists()
        for link in page.links
    )


def test_two_lists_of_cells_never_share_a_name(run: Run) -> None:
    context = Context(run, run.folder)
    context.group("some", context.main[:2])
    with pytest.raises(ValueError, match="two different lists"):
        context.group("some", context.main[:3])


def test_pareto_keeps_items_that_no_other_beats_in_everything() -> None:
    assert pareto([(1, 3), (2, 2), (3, 1), (3, 3), (2, 2)], lambda p: p) == [
        (1, 3),
        (2, 2),
        (3, 1),
        (2, 2),
    ]


def test_a_regression_finds_the_exponents_of_its_data() -> None:
    sizes = [(800, 654), (1184, 3309), (261120, 2420), (1357824, 4627), (2249, 7856)]
    times = [10 ** (-1.42) * pk**0.87 * sig**0.31 for pk, sig in sizes]
    found = fit(sizes, times)
    assert found is not None
    assert (found.constant, found.by_key, found.by_signature) == pytest.approx((-1.42, 0.87, 0.31))
    assert found.r_squared == pytest.approx(1.0)
    assert found.predict_ms(*sizes[0]) == pytest.approx(times[0])


def test_a_regression_needs_sizes_that_differ() -> None:
    assert fit([(800, 654)] * 9, [float(n) for n in range(1, 10)]) is None


def disturb(folder: Path, scenario: str, text: str = "Other programs used 60 % of the CPU.") -> int:
    """Flag all cells of a scenario as disturbed; return their number."""
    changed = 0
    for file in folder.glob(f"cells/{scenario}/**/metrics.json"):
        metrics = json.loads(file.read_text())
        metrics["r_validation"] |= {"flags": [{"name": "disturbed", "text": text}], "sane": False}
        write_metrics(file, metrics)
        changed += 1
    return changed


def test_an_answer_from_disturbed_cells_is_not_reliable(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline", "light"), False)
    disturb(folder, "baseline")
    html = page_of(folder)
    words = re.sub(r"<.*?>", "", html)
    assert "Not reliable: 3 of 3 cells of scenario baseline, load mavlink, link clean" in words
    assert "Other programs used 60 % of the CPU." in words
    assert words.index("Not reliable") < words.index("Fly cs-")
    assert "3 of 6 cells were disturbed" in words
    assert '<span class="disturbed" title="disturbed">▲</span>' in html
    assert '"disturbed": true' in html


def test_disturbed_cells_of_another_scenario_leave_the_answer_reliable(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline", "light"), False)
    disturb(folder, "light")
    html = page_of(folder)
    assert "Not reliable" not in html
    assert "3 of 6 cells were disturbed" in html


def test_a_busy_baseline_of_version_0_1_is_not_believed(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["n_system_drone"]["machine_cpu_percent"]["mean"] = 97.0
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    assert "The machine used 97 % of its CPU without a detector." in page_of(folder)


def test_repetitions_are_one_suite_with_an_interval(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*", ("baseline",), False, repeat=3)
    assert len(list(folder.glob("cells/**/metrics.json"))) == 9
    html = page_of(folder)
    words = re.sub(r"<.*?>", "", html)
    assert "9 of 9 cells" in words
    assert "One sample of each" not in words
    report = run_report(read_run_folder(folder), folder)
    rows = list(csv.DictReader(io.StringIO(report.tables["suites"])))
    assert [row["n"] for row in rows] == ["3", "3", "3"]
    for row in rows:
        low, high = float(row["handshake_low_ms"]), float(row["handshake_high_ms"])
        assert low < float(row["handshake_ms"]) < high
    assert "75 % interval" in words, "three samples do not reach 95 %"


def test_governor_clock_and_throttling_stand_beside_the_flags(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", ONE, ("baseline",), False, repeat=2)
    for place, file in enumerate(sorted(folder.glob("cells/**/metrics.json"))):
        metrics = json.loads(file.read_text())
        metrics["q_observability"]["disturbance"] = {
            "foreign_cpu_percent": 1.0,
            "foreign_cpu_resolution_percent": 1.0,
            "stolen_cpu_percent": 0.5,
            "slowest_mhz": 1500.0 + place,
            "fastest_mhz": 2400.0 + place,
            "governor": ("ondemand", "performance")[place],
            "throttled": 1,
        }
        write_metrics(file, metrics)
    (row,) = csv.DictReader(
        io.StringIO(run_report(read_run_folder(folder), folder).tables["cpu_clock"])
    )
    assert row["governor"] == "ondemand, performance"
    figures = [float(row[name]) for name in ("slowest_mhz", "fastest_mhz", "throttled")]
    assert figures == [1500.0, 2401.0, 2.0]


def test_boxes_need_five_values() -> None:
    values = [("A", 4), ("B", 5)]
    data = [
        {"label": label, "value": float(n), "group": "x", "hint": "", "href": "#"}
        for label, count in values
        for n in range(1, count + 1)
    ]
    marks = boxes(data, "ms", ["x"])["datasets"]["marks"]
    assert {mark["label"]: mark["boxed"] for mark in marks} == {"A": False, "B": True}


def test_a_gap_below_the_spacing_of_datagrams_is_a_floor(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["f_rekey"]["longest_gap_ms"] = 2.0
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    report = run_report(read_run_folder(folder), folder)
    assert 'title="below what this machine resolves"><a' in report.html
    assert "≤ 3.12</a>" in report.html
    (row,) = csv.DictReader(io.StringIO(report.tables["rekey_gaps"]))
    assert row["longest_gap_ms"] == "≤3.125"


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("run.json", "{", "isn't the description of a run"),
        ("run.json", '{"format": 9, "new": 1}', "is of another version: it has format 9"),
        ("run.json", '{"suites": 5}', "isn't the description of a run"),
        ("state.json", "[]", "isn't the state of a run"),
        ("state.json", '{"format": 2, "cells": []}', "is of another version"),
        ("state.json", '{"format": 1, "cells": [{"cell": "a"}]}', "isn't the state of a run"),
        ("speed.json", "[", "isn't JSON"),
    ],
)
def test_a_broken_file_of_a_run_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, content: str, sentence: str
) -> None:
    folder = small_run(tmp_path / "ein Lauf mit Ümlaut")
    (folder / file).write_text(content)
    assert main(["report", str(folder)]) == 1
    assert sentence in capsys.readouterr().err
