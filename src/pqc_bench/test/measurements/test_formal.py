# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pqc_bench.formal.expectations import read_expectations
from pqc_bench.formal.spin import require_spin, run_spin
from pqc_sim.processes.run_fault import RunFault

MODELS = Path(__file__).parents[4] / "formal"


def test_every_search_of_spin_ends_as_expected(tmp_path: Path) -> None:
    require_spin()
    runs = read_expectations(MODELS).spin
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda run: run_spin(run, MODELS, tmp_path), runs))
    assert [one.verdict for one in outcomes] == [run.expected for run in runs]
    assert not any(one.difference for one in outcomes)


def test_one_run_is_chosen_by_its_name_and_another_name_is_rejected() -> None:
    expected = read_expectations(MODELS)
    (first, *_) = expected.verifpal
    chosen = expected.only(None, first.name)
    assert (chosen.spin, chosen.verifpal) == ([], [first])
    assert expected.only("spin", None).verifpal == []
    with pytest.raises(RunFault, match=f"there is no run 'sesion'; did you mean '{first.name}'"):
        expected.only(None, "sesion")
    with pytest.raises(RunFault, match=f"there is no run of spin '{first.name}'"):
        expected.only("spin", first.name)


def test_names_are_unique_and_models_exist() -> None:
    expected = read_expectations(MODELS)
    runs = [*expected.spin, *expected.verifpal]
    assert len({run.name for run in runs}) == len(runs) >= 20
    for run in runs:
        assert (MODELS / run.model).is_file(), run.name


def test_every_model_holds_as_it_is_and_has_a_negative_control() -> None:
    expected = read_expectations(MODELS)
    verdicts = {run.model: set[bool]() for run in (*expected.spin, *expected.verifpal)}
    for run in expected.spin:
        verdicts[run.model].add(run.expected == "holds")
    for one in expected.verifpal:
        verdicts[one.model].add(not one.broken)
    assert verdicts.pop("verifpal/paper.vp.in") == {False}
    assert all(found == {True, False} for found in verdicts.values()), verdicts


def test_no_model_is_left_out() -> None:
    expected = read_expectations(MODELS)
    named = {run.model for run in (*expected.spin, *expected.verifpal)}
    there = [*MODELS.glob("spin/*.pml"), *MODELS.glob("verifpal/*.vp.in")]
    assert named == {model.relative_to(MODELS).as_posix() for model in there}


def test_a_model_that_spin_rejects_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "expected.toml").write_text(
        'verifpal = []\n[[spin]]\nname = "x"\nmodel = "x.pml"\nquestion = "?"\nexpected = "holds"\n'
    )
    (tmp_path / "x.pml").write_text("active proctype p() { nonsense }\n")
    [run] = read_expectations(tmp_path).spin
    with pytest.raises(RunFault, match="spin rejects x"):
        run_spin(run, tmp_path, tmp_path / "scratch")


def test_a_missing_table_is_reported_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "expected.toml").write_text("spin = []\n")
    with pytest.raises(RunFault, match=r"expected\.toml can't be used"):
        read_expectations(tmp_path)
