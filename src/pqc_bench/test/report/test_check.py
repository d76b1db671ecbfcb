# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""bench check: a run beside the published tables."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from exit_code import exit_code
from pqc_bench.bench_command import main
from pqc_bench.check.comparison import compare
from pqc_bench.check.tolerances import KEYS, TOLERANCES, tolerance_of
from report_run import make_run

SOURCE = Path(__file__).parents[4]
FEW = "cs-mlkem*-aesgcm-mldsa*"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_run(tmp_path_factory.mktemp("runs") / "run", FEW, repeat=2)
    assert main(["report", str(folder)]) == 0
    return folder


@pytest.fixture
def published(run: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    shutil.copytree(run / "report-tables", folder)
    return folder


def edit(table: Path, column: str, of: Any, row: int = 0) -> None:
    """Change a figure of a table; `of` takes the text."""
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    rows[row][column] = of(rows[row][column])
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    table.write_text(out.getvalue(), encoding="utf-8")


def rename(table: Path, column: str, name: str) -> None:
    head, rest = table.read_text(encoding="utf-8").split("\n", 1)
    names = [name if one == column else one for one in head.split(",")]
    assert column in head.split(",")
    table.write_text(",".join(names) + "\n" + rest, encoding="utf-8")


def test_a_run_agrees_with_its_own_tables(
    run: Path, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "check.json"
    command = ["check", str(run), "--published", str(published), "--out", str(out)]
    assert main(command) == 0
    assert "The run agrees with the published tables: " in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert found["agrees"] is True
    assert found["deviations"] == []
    assert found["values"] > 200
    assert {"suites", "phi", "rekey_gaps", "scenarios", "heat"} <= set(found["tables"])
    assert len(found["tolerances"]) == len(TOLERANCES)


def test_the_tables_of_a_report_are_compared_like_the_run(run: Path, published: Path) -> None:
    assert main(["check", str(run / "report-tables"), "--published", str(published)]) == 0


def test_a_figure_out_of_its_tolerance_is_one_sentence(
    run: Path, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(published / "suites.csv", "handshake_ms", lambda text: f"{float(text) / 9.0}")
    edit(published / "suites.csv", "wire_bytes", lambda text: f"{int(text) + 1}", row=1)
    edit(published / "handshake_by_family.csv", "max_ms", lambda text: f"{4.0 * float(text)}")
    out = tmp_path / "check.json"
    command = ["check", str(run), "--published", str(published), "--out", str(out)]
    assert main(command) == 1
    first, second, verdict = capsys.readouterr().out.splitlines()
    name = r"ML-KEM-\d+ · ML-DSA-\d+ · AES-256-GCM"
    number = r"[\d.]+"
    assert re.fullmatch(
        rf"suites, {name}: handshake_ms is {number} \({number} to {number}\), published {number}; "
        r"a factor of 9 where 2 is allowed\.",
        first,
    )
    assert re.fullmatch(
        rf"suites, {name}: wire_bytes is [\d,]+, published [\d,]+; allowed is no difference\.",
        second,
    )
    assert verdict.startswith("The run deviates from the published tables: 2 times, ")
    found = json.loads(out.read_text())
    assert found["agrees"] is False
    assert [one["column"] for one in found["deviations"]] == ["handshake_ms", "wire_bytes"]
    assert found["deviations"][0]["text"] == first


def test_an_interval_that_reaches_the_tolerance_is_no_deviation() -> None:
    head = "suite,handshake_ms,handshake_low_ms,handshake_high_ms\n"
    ours = {"suites": f"{head}a,25,19,40\n"}
    assert compare(ours, {"suites": f"{head}a,10,,\n"}).agrees
    assert not compare(ours, {"suites": f"{head}a,9,,\n"}).agrees
    # Without an interval the figure itself counts.
    assert not compare({"suites": f"{head}a,25,,\n"}, {"suites": f"{head}a,10,,\n"}).agrees


@pytest.mark.parametrize(
    ("column", "published", "found", "agrees"),
    [
        ("loss_percent", "0.0", "0.09", True),
        ("loss_percent", "0.0", "0.2", False),
        ("p99_drone_to_gcs_ms", "1.0", "4.9", True),
        ("p99_drone_to_gcs_ms", "1.0", "5.1", False),
        ("rekey_ms", "1.0", "0.45", False),
        ("rekey_ms", "1.0", "", False),
        ("n", "3", "1", True),
        ("rank", "3", "1", True),
        ("level", "L3", "L5", False),
    ],
)
def test_each_column_has_its_tolerance(
    column: str, published: str, found: str, agrees: bool
) -> None:
    def of(text: str) -> dict[str, str]:
        return {"suites": f"suite,wire_bytes,{column}\na,7,{text}\n"}

    assert compare(of(found), of(published)).agrees is agrees


def test_more_lost_datagrams_deviate_and_fewer_do_not() -> None:
    def of(lost: int) -> dict[str, str]:
        return {"rekey_gaps": f"suite,scenario,load,link,lost\na,b,c,d,{lost}\n"}

    assert compare(of(0), of(1)).agrees
    assert not compare(of(2), of(1)).agrees


def test_rows_that_are_missing_deviate_unless_that_is_accepted(
    run: Path, published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(published / "suites.csv", "suite", lambda _: "Another · Suite")
    edit(published / "heat.csv", "scenario", lambda _: "stormy")
    assert main(["check", str(run), "--published", str(published)]) == 1
    printed = capsys.readouterr().out
    assert "suites, Another · Suite: not in the report." in printed
    assert "heat, ML-KEM / stormy: not in the report." in printed
    assert main(["check", str(run), "--published", str(published), "--partial"]) == 0


def test_a_table_of_which_nothing_is_there_is_one_deviation() -> None:
    found = compare({"phi": "suite,rekey_ms\na,1\n"}, {"phi": "suite,rekey_ms\nb,1\nc,1\n"})
    assert [one.text for one in found.deviations] == [
        "phi: the report has none of the 2 published rows."
    ]
    assert found.verdict.startswith("Nothing was compared")


def test_tables_that_are_missing_deviate_unless_that_is_accepted(
    run: Path, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(run / "report-tables" / "suites.csv", alone)
    command = ["check", str(alone), "--published", str(published)]
    assert main(command) == 1
    printed = capsys.readouterr().out
    assert "phi: the report has no such table." in printed
    assert printed.splitlines()[-1].startswith("The run deviates from the published tables: ")
    assert main([*command, "--partial"]) == 0
    assert "Not compared: phi: the report has no such table." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "column"),
    [("suites", "handshake_ms"), ("suites", "suite"), ("scenarios", "light")],
)
def test_columns_that_are_missing_deviate_unless_that_is_accepted(
    table: str,
    column: str,
    run: Path,
    published: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours = tmp_path / "ours"
    shutil.copytree(run / "report-tables", ours)
    rename(ours / f"{table}.csv", column, "other")
    command = ["check", str(ours), "--published", str(published)]
    assert main(command) == 1
    assert f"{table}: the report has no column {column}." in capsys.readouterr().out
    assert main([*command, "--partial"]) == 0


def test_columns_that_are_not_compared_may_be_missing(run: Path, published: Path) -> None:
    rename(published / "suites.csv", "rank", "former_rank")
    rename(published / "scenarios.csv", "light_low", "former_low")
    assert main(["check", str(run), "--published", str(published)]) == 0


def test_a_slower_machine_is_compared_by_its_speed(tmp_path: Path, published: Path) -> None:
    slower = make_run(tmp_path / "slower", FEW, repeat=2, slower=8.0)
    command = ["check", str(slower), "--published", str(published), "--partial"]
    assert main(command) == 1
    times = {"handshake_ms", "median_ms", "primitives_ms"}
    assert main([*command, "--out", str(tmp_path / "absolute.json")]) == 1
    assert main([*command, "--relative", "--out", str(tmp_path / "relative.json")]) == 1
    absolute, relative = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("absolute", "relative")
    )
    assert relative["scale"] == pytest.approx(8.0, rel=0.01)
    assert any(one["column"] in times for one in absolute["deviations"])
    assert not any(one["column"] in times for one in relative["deviations"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "'nowhere' doesn't exist"),
        (["{run}/run.json"], "is a file; name a folder"),
        (["{empty}"], "has neither run.json nor tables"),
        (["{run}", "--published", "{empty}"], "has neither run.json nor tables"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    assert exit_code(["check", *(word.format(run=run, empty=tmp_path) for word in words)]) == 2
    assert sentence in capsys.readouterr().err


def test_the_published_tables_can_be_compared_with_themselves() -> None:
    folder = SOURCE / "docs" / "benchmarks"
    tables = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.csv")}
    found = compare(tables, tables)
    assert found.agrees, found.verdict
    assert set(found.tables) >= {"suites", "phi", "regression", "primitives_kems"}
    assert found.values > 1500


def test_every_key_and_every_figure_of_the_report_has_a_rule(run: Path) -> None:
    for name, keys in KEYS.items():
        text = (run / "report-tables" / f"{name}.csv").read_text(encoding="utf-8")
        head = text.splitlines()[0].split(",")
        assert set(keys) <= set(head), name
    assert tolerance_of("source") is None


def test_the_data_card_states_the_tolerances_and_names_every_table_and_flight() -> None:
    card = (SOURCE / "docs" / "benchmarks" / "data-card.md").read_text(encoding="utf-8")
    for one in TOLERANCES:
        assert one.words() in card, one
    listed = card + (SOURCE / "docs" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for folder in (SOURCE / "src" / "pqc_policy" / "flights").iterdir():
        assert not folder.is_dir() or f"`{folder.name}`" in card, folder.name
    for table in (SOURCE / "docs" / "benchmarks").glob("*.csv"):
        stem = table.stem
        assert f"`{table.name}`" in listed or f"`…_{stem.rpartition('_')[2]}.csv`" in listed, stem
