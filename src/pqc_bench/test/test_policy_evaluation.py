# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`bench policy`: its arguments, its file, its intervals, and the tables of its page."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.bench_command import main
from pqc_bench.harness.comparison_options import replace_marked
from pqc_bench.policy import run as policy
from pqc_bench.policy.command import BASELINE_NAMES, HELD_OUT, TABLES, names
from pqc_learning.closed_loop import contestants as contestants_module
from pqc_learning.closed_loop import distribution
from pqc_learning.closed_loop.contestants import contestants

COMPARED = "static_default,telemetry_aware"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("policy") / "policy.json"
    assert main(_words(out, jobs=1)) == 0
    return out


def _words(out: Path, jobs: int) -> list[str]:
    small = ["--flights", "3", "--seed", "5", "--strategies", COMPARED]
    return ["policy", *small, "--jobs", str(jobs), "--out", str(out)]


@pytest.fixture(scope="module")
def result(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))


def test_the_file_has_every_figure_of_each_strategy(result: dict[str, Any]) -> None:
    assert set(result["strategies"]) == set(COMPARED.split(","))
    own = result["strategies"]["telemetry_aware"]
    assert own["flights"] == 3
    assert {"lost_to_rekeys", "delayed", "air_bytes", "energy_j"} <= set(own)
    assert set(own["exposed"]) == {"A1", "A2", "A3", "A4"}
    assert own["window_s"]["largest"] >= own["window_s"]["mean"] > 0.0
    assert {"wanted", "done", "failed"} <= set(own["rekeys"])
    assert {"seen", "met"} <= set(own["emergencies"])
    assert sum(own["seconds_at_level"].values()) == pytest.approx(result["flown_s"], abs=10.0)


def test_the_top_is_this_tunnel_as_shipped_and_costs_hold_the_others(
    result: dict[str, Any],
) -> None:
    assert set(result["costs"]) == {"tunnel", "tunnel_floor_1", "seeds"}
    assert result["strategies"] == result["costs"]["tunnel"]["strategies"]
    assert result["pairs"] == result["costs"]["tunnel"]["pairs"]
    assert result["costs"]["seeds"]["rekeys_stop_the_data"] is True
    seeds, ours = (
        result["costs"][name]["strategies"]["static_default"] for name in ("seeds", "tunnel")
    )
    assert seeds["lost_to_rekeys"] > 100 * max(ours["lost_to_rekeys"], 1)


def test_pairs_have_intervals_around_their_means(result: dict[str, Any]) -> None:
    for costs in result["costs"].values():
        (pair,) = costs["pairs"].values()
        for measure in pair.values():
            assert measure["low"] <= measure["mean"] + 1e-9
            assert measure["mean"] <= measure["high"] + 1e-9


def test_the_same_flights_and_seed_give_the_same_file_in_any_number_of_processes(
    file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "policy.json"
    assert main(_words(other, jobs=2)) == 0
    assert other.read_bytes() == file.read_bytes()


def test_an_interrupt_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(policy, "fly_all", interrupted)
    assert main(_words(tmp_path / "policy.json", jobs=1)) == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--flights 1", "'1' isn't a number of flights from 2 to 1000000"),
        ("--seed x", "'x' isn't a seed from 0 to 1000000000"),
        ("--jobs 0", "'0' isn't a number of processes from 1 to 256"),
        ("--strategies expertt", "there is no strategy 'expertt'; did you mean 'expert'?"),
        ("--strategies ,", "--strategies names none"),
        ("--out .", "'.' is a folder; name a file in it"),
        ("--tables page.md", "'page.md' has no place for tables"),
    ],
)
def test_bad_input_is_one_sentence(
    words: str,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["policy", *words.split()])
    except SystemExit as end:
        code = end.code
    assert code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert sentence in line


def test_every_strategy_of_the_policy_can_be_compared() -> None:
    assert names() == tuple(contestants())
    assert names()[:5] == BASELINE_NAMES == contestants_module.BASELINE_NAMES
    assert HELD_OUT == distribution.HELD_OUT


def test_tables_replace_what_is_between_the_marks_of_a_page(
    file: Path, tmp_path: Path, result: dict[str, Any]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n<!-- tables -->\nold\n<!-- end of tables -->\n\nAfter.\n")
    replace_marked(page, TABLES, policy.tables(result))
    text = page.read_text()
    assert text.startswith("Before.\n\n<!-- tables -->\n\n**Verdict**")
    assert text.endswith("<!-- end of tables -->\n\nAfter.\n")
    assert "old" not in text and "| telemetry_aware |" in text
    assert "\n**tunnel**: " in text
    assert "\nBy circumstance: read after a theft (share) less static_default" in text


def test_the_text_has_the_share_of_emergencies_met_with_its_interval(
    result: dict[str, Any],
) -> None:
    lines = policy.tables(result)
    met = {"seen": 10, "met": 8, "share_interval": [0.490162, 0.943318]}
    result = copy.deepcopy(result)
    result["costs"]["tunnel"]["strategies"]["static_default"]["emergencies"] = met
    changed = [line for line in policy.tables(result) if line not in lines]
    assert len(changed) == 1
    assert "| 8 of 10 (49 to 94.3 %) |" in changed[0]
