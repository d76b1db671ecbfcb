# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
import dataclasses
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.cell.cell import Cell
from pqc_bench.cell.observed import Observed
from pqc_bench.cell.short_code import short_code
from pqc_bench.cell.suite_set import choose_suites, one_suite
from pqc_bench.harness.time_left import time_left
from pqc_bench.harness.usage import UsageFault, some_of
from pqc_bench.matrix import command as described
from pqc_bench.matrix import run as matrix
from pqc_bench.matrix.plan import choose_links, shuffled
from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.run_lock import run_lock
from pqc_bench.matrix.runner import Runner, run_pending
from pqc_bench.matrix.state_file import COMPLETED, FAILED, Entry, State
from pqc_policy.policy.suites import AEADS, SUITES, find_suite
from pqc_sim.processes.run_fault import RunFault

SUITE = "cs-mlkem768-aesgcm-mldsa65"
FEW = "cs-mlkem*-aesgcm-mldsa*"
SUITES_HERE = ["cs-a", "cs-b", "cs-c"]


def planned(suites: list[str], *scenarios: str, repeat: int = 1) -> list[Cell]:
    return RunFile(suites, [*scenarios], ["mavlink"], ["clean"], 2.0, repeat=repeat).planned()


def cells() -> list[Cell]:
    return planned(SUITES_HERE, "baseline", "light")


def done(cell: Cell) -> tuple[Entry, None]:
    return Entry(cell.id, COMPLETED, seconds=2.0), None


def test_the_paper_set_is_the_seeds_72_and_the_rest_is_extended() -> None:
    paper, extended = choose_suites("paper"), choose_suites("extended")
    assert len(paper) == 72
    assert set(paper) | set(extended) == set(choose_suites("all"))
    assert len(paper) + len(extended) == len(SUITES)
    assert "cs-classicmceliece460896-ascon128a-sphincs192s" in paper
    assert not [s for s in paper if "frodo" in s or s.endswith("f") or "asconaead" in s]


def test_the_suites_that_a_seed_measured_are_a_set() -> None:
    first, second = choose_suites("seed002"), choose_suites("seed003")
    assert (len(first), len(second)) == (30, 21)
    assert set(second) < set(first)
    # As seed 002 spells them, section 3.2.
    spelt = "cs-classicmceliece348864-{}-sphincs128fsha2,cs-mlkem1024-{}-sphincs256fsha2"
    for aead in ("aesgcm", "chacha20poly1305"):
        chosen = choose_suites(spelt.format(aead, aead))
        assert [find_suite(suite) is not None for suite in chosen] == [True, True]
        assert set(chosen) < set(first)
    assert choose_suites("seed003,seed002") == [*second, *(s for s in first if s not in second)]
    assert one_suite("cs-mlkem512-aesgcm-sphincs128fsha2") == "cs-mlkem512-aesgcm-sphincs128f"


def test_every_suite_has_a_short_code_of_its_own_made_as_in_the_papers() -> None:
    by_code = {short_code(suite): suite.id for suite in SUITES}
    assert len(by_code) == len(SUITES)
    # Seed 003, tables 1, 3 and 7.
    assert by_code["ML-768-AG-MD-65"] == "cs-mlkem768-aesgcm-mldsa65"
    assert by_code["FR-640A-AG-MD-44"] == "cs-frodokem640aes-aesgcm-mldsa44"
    assert by_code["MC-348-AG-SP-128f"] == "cs-classicmceliece348864-aesgcm-sphincs128f"
    assert by_code["MC-8192-AG-SP-256f"] == "cs-classicmceliece8192128-aesgcm-sphincs256f"
    assert by_code["HQC-128-AG-FA-512"] == "cs-hqc128-aesgcm-falcon512"
    assert by_code["ML-1024-CP-FA-1024"] == "cs-mlkem1024-chacha20poly1305-falcon1024"


def test_short_codes_and_patterns_of_them_choose_suites() -> None:
    assert choose_suites("ML-768-AG-MD-65") == [one_suite("ML-768-AG-MD-65")] == [SUITE]
    assert choose_suites("MC-*-AG-MD-65") == ["cs-classicmceliece460896-aesgcm-mldsa65"]
    with pytest.raises(UsageFault, match="did you mean 'ML-768-AG-MD-65'"):
        one_suite("ML-768-AG-MD-56")


def test_a_wrong_name_leads_to_no_experimental_suite() -> None:
    with pytest.raises(UsageFault, match=r"did you mean 'cs-(?!hqc)"):
        one_suite("cs-hqc128-aesgcm-mldsa4")


def test_patterns_choose_suites() -> None:
    assert choose_suites("cs-mlkem768-aesgcm-mldsa65") == ["cs-mlkem768-aesgcm-mldsa65"]
    assert len(choose_suites("cs-mlkem512-*-mldsa44,cs-mlkem512-aesgcm-mldsa44")) == len(AEADS)
    with pytest.raises(RunFault, match="there is no suite 'cs-rsa'"):
        choose_suites("cs-rsa")


def test_an_unknown_scenario_is_rejected() -> None:
    with pytest.raises(RunFault, match="there is no scenario 'medium'"):
        some_of(("baseline", "light"), "scenario")("light,medium")


def test_a_run_over_three_scenarios_has_three_cells_of_each_suite() -> None:
    suites = choose_suites("paper")
    all_cells = planned(suites, "baseline", "light", "heavy")
    assert len({cell.id for cell in all_cells}) == len(all_cells) == 3 * len(suites)


def test_a_link_given_as_a_file_has_the_files_name() -> None:
    assert Cell("baseline", "mavlink", "/some/where/far.yaml", "cs-a").id == (
        "baseline/mavlink/far/cs-a"
    )


def test_a_link_given_as_a_file_is_found_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "far.yaml").write_text("description: far\n")
    (tmp_path / "lte.yaml").write_text("description: ours\n")
    monkeypatch.chdir(tmp_path)
    assert choose_links("clean,far.yaml,lte") == ["clean", str(tmp_path / "far.yaml"), "lte"]
    assert choose_links("none,clean") == ["clean"]
    with pytest.raises(RunFault, match="with the name 'lte'"):
        choose_links("lte,lte.yaml")
    with pytest.raises(RunFault, match="names none"):
        choose_links(",")


def test_repetitions_come_after_each_other_and_have_folders_of_their_own() -> None:
    twice = planned(SUITES_HERE, "baseline", repeat=2)
    assert [cell.id.rpartition("/")[2] for cell in twice] == [
        *SUITES_HERE,
        *(f"{suite}@2" for suite in SUITES_HERE),
    ]
    assert [Entry(cell.id).suite for cell in twice] == SUITES_HERE * 2


def test_a_cell_runs_five_times_unless_another_number_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "Runner", Idle)
    for given, repeat in (((), 5), (("--repeat", "1"), 1)):
        out = tmp_path / f"run{repeat}"
        assert matrix.run(asked("--suites", FEW, "--no-speed", "--out", out, *given)) == 0
        assert read_run(out / "run.json").repeat == repeat


def test_each_repetition_has_all_cells_in_an_order_of_its_own() -> None:
    cells_twice = planned(choose_suites("paper"), "baseline", repeat=2)
    ran = shuffled(cells_twice, 7)
    suites = choose_suites("paper")
    count = len(suites)
    first, second = ([cell.suite for cell in of] for of in (ran[:count], ran[count:]))
    assert [cell.repetition for cell in ran] == [1] * count + [2] * count
    assert set(first) == set(second) == set(suites)
    assert len({tuple(order) for order in (first, second, suites)}) == 3
    assert ran == shuffled(cells_twice, 7) != shuffled(cells_twice, 8)


def test_the_order_is_drawn_for_each_run_and_kept_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "Runner", Idle)
    begin = ("--suites", "paper", "--no-speed", "--out")
    for name in "ab":
        assert matrix.run(asked(*begin, tmp_path / name)) == 0
    one, other = (read_run(tmp_path / name / "run.json") for name in "ab")
    assert one.order_seed != other.order_seed
    assert [cell.id for cell in one.cells()] != [cell.id for cell in other.cells()]
    before = (tmp_path / "a" / "state.json").read_bytes()
    assert matrix.run(asked("--resume", "--out", tmp_path / "a")) == 0
    assert (tmp_path / "a" / "state.json").read_bytes() == before
    again = ("--order-seed", one.order_seed)
    assert matrix.run(asked(*begin, tmp_path / "c", *again)) == 0
    assert read_run(tmp_path / "c" / "run.json").cells() == one.cells()


def test_a_full_disk_stops_a_run_with_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(Runner):
        def run(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(matrix, "Runner", Full)
    with pytest.raises(RunFault) as stopped:
        matrix.run(asked("--suites", SUITE, "--no-speed", "--out", tmp_path))
    assert str(stopped.value) == f"the run in '{tmp_path}' stopped: No space left on device"
    assert (tmp_path / "state.json").is_file()


def test_a_second_process_on_a_run_is_refused(tmp_path: Path) -> None:
    with run_lock(tmp_path), pytest.raises(RunFault) as refused, run_lock(tmp_path):
        pytest.fail("it went on")
    assert str(refused.value) == (
        f"process {os.getpid()} is running the matrix in '{tmp_path}': wait until it has ended"
    )
    with run_lock(tmp_path):
        pass


def test_a_run_stopped_before_its_first_state_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "Runner", Idle)
    assert matrix.run(asked("--suites", SUITE, "--no-speed", "--out", tmp_path)) == 0
    (tmp_path / "state.json").unlink()
    assert matrix.run(asked("--resume", "--out", tmp_path)) == 0
    assert (tmp_path / "state.json").is_file()


def test_only_confirming_changes_the_state(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    state = State.new(file, cells())
    before = file.read_bytes()
    assert len(state.pending()) == 6
    assert state.seconds_left() is None
    assert file.read_bytes() == before
    first = state.pending()[0]
    state.confirm_advance(Entry(first, COMPLETED, seconds=2.0))
    assert first not in state.pending()
    with pytest.raises(ValueError, match="completed already"):
        state.confirm_advance(Entry(first, FAILED, "again"))


def test_a_run_killed_in_a_cell_loses_only_that_cell(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    ran: list[str] = []

    def until_third(cell: Cell) -> tuple[Entry, None]:
        ran.append(cell.id)
        if len(ran) == 3:
            raise KeyboardInterrupt
        return done(cell)

    with pytest.raises(KeyboardInterrupt):
        run_pending(cells(), State.new(file, cells()), [until_third], lambda text: None)
    interrupted = ran[-1]
    resumed = State.resumed(file, cells(), retry=False)
    assert resumed.pending()[0] == interrupted
    assert resumed.count(COMPLETED) == 2
    run_pending(cells(), resumed, [done], lambda text: None)
    assert State.resumed(file, cells(), retry=False).count(COMPLETED) == 6


def test_a_failed_cell_is_recorded_and_stops_nothing(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    lines: list[str] = []

    def second_fails(cell: Cell) -> tuple[Entry, None]:
        if cell.suite == "cs-b":
            return Entry(cell.id, FAILED, "the tunnel of the drone has ended", 1.0), None
        return done(cell)

    run_pending(cells(), State.new(file, cells()), [second_fails], lines.append)
    state = State.resumed(file, cells(), retry=False)
    assert (state.count(COMPLETED), state.count(FAILED), state.pending()) == (4, 2, [])
    assert len(lines) == 6
    assert "FAILED: the tunnel of the drone has ended" in lines[1]
    retried = State.resumed(file, cells(), retry=True)
    assert [cell.rpartition("/")[2] for cell in retried.pending()] == ["cs-b", "cs-b"]


def test_disturbed_cells_are_run_again(tmp_path: Path) -> None:
    file = tmp_path / "state.json"

    def first_is_disturbed(cell: Cell) -> tuple[Entry, None]:
        flags = {"cs-a": ("disturbed",), "cs-b": ("scenario_missed",)}.get(cell.suite, ())
        return dataclasses.replace(done(cell)[0], flags=flags), None

    run_pending(cells(), State.new(file, cells()), [first_is_disturbed], lambda text: None)
    assert State.resumed(file, cells(), retry=False).pending() == []
    retried = State.resumed(file, cells(), retry=True)
    assert [cell.rpartition("/")[2] for cell in retried.pending()] == ["cs-a", "cs-a"]


def test_a_run_does_not_begin_over_another(tmp_path: Path) -> None:
    State.new(tmp_path / "state.json", cells())
    with pytest.raises(RunFault, match="--resume"):
        State.new(tmp_path / "state.json", cells())


def test_the_time_left_is_that_of_the_same_suites_before(tmp_path: Path) -> None:
    state = State.new(tmp_path / "state.json", cells())
    for cell, seconds in zip(state.pending()[:3], (2.0, 4.0, 9.0), strict=True):
        state.confirm_advance(Entry(cell, COMPLETED, seconds=seconds))
    assert state.seconds_left() == pytest.approx(15.0)
    assert time_left(15.0) == "about 15 s left"
    assert time_left(1200.0) == "about 20 min left"


def test_a_run_continues_with_its_options(tmp_path: Path) -> None:
    run = RunFile(
        SUITES_HERE, ["light"], ["blaster"], ["lte"], 1.5, scenario_commands={"light": "true"}
    )
    run.write(tmp_path / "run.json")
    assert read_run(tmp_path / "run.json") == run
    content = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**content, "format": 1}))
    with pytest.raises(RunFault, match="format 1"):
        read_run(tmp_path / "run.json")


def asked(*words: object) -> argparse.Namespace:
    """Return the run file of a command line."""
    parser = argparse.ArgumentParser()
    described.configure(parser)
    options = parser.parse_args([str(word) for word in words])
    described.check(options)
    return options


def test_a_detector_takes_the_place_of_stress_ng_or_of_another_program() -> None:
    both = ("--detector", "trees", "--detector", "transformer", "--scenario", "light,heavy")
    assert asked(*both).detector == [("light", "trees"), ("heavy", "transformer")]
    given = asked("--detector", "heavy=trees", "--scenario", "heavy").detector
    assert given == [("heavy", "trees")]


class Idle(Runner):
    """A runner that leaves every cell pending."""

    def run(self) -> None:
        pass


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--link", "lossy5"), "'lossy5' is no file"),
        (("--link", ","), "--link names none"),
        (("--scenario", ","), "',' names no scenario"),
        (("--detector", "light='open"), "isn't a command"),
        (("--detector", "light= "), "names no program"),
        (
            ("--detector", "windy=true"),
            "there is no scenario with a load 'windy': light, heavy, stand-in-light",
        ),
        (("--detector", "light"), "none of trees, transformer"),
        (("--detector", "trees"), "no effect without --scenario light"),
        (("--detector", "transformer", "--scenario", "light"), "without --scenario heavy"),
        (("--seconds", "0.1"), "holds no rekey"),
    ],
)
def test_a_mistake_leaves_no_run_behind(
    tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(RunFault, match=sentence):
        matrix.run(asked("--out", tmp_path / "run", *words))
    assert not (tmp_path / "run").exists()


def test_a_resumed_run_rejects_other_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "Runner", Idle)
    begin = ("--suites", SUITE, "--seconds", "1", "--no-speed", "--out", tmp_path)
    assert matrix.run(asked(*begin)) == 0
    begun = read_run(tmp_path / "run.json")
    go_on = ("--resume", "--no-speed", "--out", tmp_path)
    assert matrix.run(asked(*go_on)) == 0
    assert matrix.run(asked(*go_on, "--suites", SUITE, "--seconds", "1.0")) == 0
    for words in (
        ("--suites", "paper"),
        ("--seconds", "2"),
        ("--scenario", "light"),
        ("--link-seed", "7"),
        ("--repeat", "2"),
        ("--order-seed", "2"),
        ("--detector", "light=true"),
    ):
        with pytest.raises(RunFault, match=f"{words[0]} differs from that of the run"):
            matrix.run(asked(*go_on, *words))
    assert read_run(tmp_path / "run.json") == begun
    with pytest.raises(RunFault, match="continue it with --resume"):
        matrix.run(asked(*begin))


def test_a_cell_that_fails_twice_records_both_reasons(tmp_path: Path) -> None:
    class Failing:
        def run(self, cell: Cell, *_: Any) -> Observed:
            seen = Observed(cell.scenario, cell.load, cell.link, cell.suite, cell.seconds)
            seen.failure = "the tunnel of the drone has ended"
            return seen

    run = RunFile(["cs-unheard-of"], ["baseline"], ["mavlink"], ["clean"], 1.0)
    state = State.new(tmp_path / "state.json", run.cells())
    runner = Runner(tmp_path, run, state, lambda text: None)
    entry, metrics = runner._one(Failing(), run.cells()[0])
    assert (entry.status, metrics) == (FAILED, None)
    assert entry.reason == "the tunnel of the drone has ended; cs-unheard-of"
