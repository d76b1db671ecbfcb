# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a test bed, the program that goes to its ends, and what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from pqc_bench.harness.usage import UsageFault
from pqc_bench.matrix import runner
from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.runner import Runner
from pqc_bench.matrix.state_file import State
from pqc_bench.testbed import preflight
from pqc_bench.testbed.bed_cell import BedRun
from pqc_bench.testbed.bed_file import kept_beds, read_beds, write_beds
from pqc_bench.testbed.far_end import FarEnd, program_files
from pqc_sim.processes.run_fault import RunFault

BED = "drone: {host: pi@drone, address: 192.0.2.1}\ngcs: {address: 192.0.2.2}\n"


def test_a_pair_needs_two_addresses_and_has_usual_ports(tmp_path: Path) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(BED, encoding="utf-8")
    (bed,) = read_beds(file)
    assert (bed.name, bed.drone.host, bed.gcs.host) == ("bench", "pi@drone", "local")
    assert (bed.drone.port, bed.gcs.port) == (46011, 46012)
    assert bed.drone.plaintext == "127.0.0.1:14590"


def test_both_ends_may_be_this_machine() -> None:
    (bed,) = read_beds(Path("local"))
    ends = [FarEnd(bed, end, "run") for end in ("drone", "gcs")]
    assert [end.place.host for end in ends] == ["local", "local"]
    assert [end.place.address for end in ends] == ["127.0.0.1", "127.0.0.1"]
    assert (Path(bed.drone.programs) / "pqc_tunneld").exists()
    assert len({end._cell for end in ends}) == 2


def test_several_pairs_share_a_run_and_are_kept_for_resuming_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(BED, encoding="utf-8")
    both = tmp_path / "both.yaml"
    both.write_text("testbeds: [a.yaml, b.yaml]\n", encoding="utf-8")
    beds = read_beds(both)
    assert [bed.name for bed in beds] == ["a", "b"]
    write_beds(tmp_path / "kept.json", beds)
    assert kept_beds(tmp_path / "kept.json") == beds


def test_a_resumed_run_may_end_what_the_killed_one_left_running(tmp_path: Path) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(BED, encoding="utf-8")
    run = RunFile(["cs-a"], ["baseline"], ["mavlink"], ["clean"], 2.0, testbeds=["bench"])
    run.write(tmp_path / "run.json")
    state = State.new(tmp_path / "state.json", run.cells())
    names = {
        Runner(tmp_path, one, state, lambda _: None, beds=read_beds(file))._beds[0].name
        for one in (run, read_run(tmp_path / "run.json"))
    }
    assert len(names) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("drone: {address: 192.0.2.1}\n", "gcs needs at least its address"),
        (BED.replace("host", "hots"), "did you mean 'host'"),
        (BED + "patience_s: soon\n", "patience_s is a time in s"),
        (BED.replace("192.0.2.2", "ground"), "isn't a numeric address"),
        (BED.replace("192.0.2.2", "192.0.2.2, port: '1'"), "gcs.port is '1'"),
        ("testbeds: []\n", "a list of files"),
        ("[1]\n", "isn't the description of a test bed"),
    ],
)
def test_a_mistake_in_the_file_is_a_sentence(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageFault, match=said):
        read_beds(file)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the program at an end."""
    folder = tmp_path_factory.mktemp("copied")
    for name, content in program_files()[0].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def test_the_program_at_an_end_needs_the_standard_library_only(copied: Path) -> None:
    modules = "pqc_bench.testbed.end_program, pqc_bench.load.__main__, pqc_bench.testbed.half_load"
    run_alone(
        f"import {modules}\n"
        "from pqc_bench.testbed.half_load import *\n"
        "from pqc_bench.cell.outside import OutsideEnd\n"
        "VehicleHalf(320).due(10**9); ground = OutsideEnd(); ground.begin(0); ground.due(10**9)\n"
        "assert not [one for one in sys.path if one.endswith('-packages')]\n",
        copied,
    )


def test_a_detector_at_an_end_needs_numpy_beside_it(copied: Path, tmp_path: Path) -> None:
    program = (
        "from pqc_bench.testbed.end_program import detector\n"
        "print([detector(name) for name in ('trees', 'transformer', 'nowhere')])\n"
    )
    assert run_alone(program, copied) == "['no numpy', 'no numpy', 'no numpy']\n"
    installed = Path(numpy.__file__).parent
    for folder in installed.parent.glob("numpy*"):
        (tmp_path / folder.name).symlink_to(folder)
    told = run_alone(program, copied, tmp_path)
    assert told == "['', '', 'There is no detector nowhere.']\n"


def run_alone(program: str, *folders: Path) -> str:
    """Run it without the packages of this machine, but for those in the folders."""
    path = [str(folder) for folder in folders]
    words = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {path}\n{program}"]
    return subprocess.run(words, check=True, timeout=120, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("trouble", "mend"),
    [("no numpy", "'apt install python3-numpy' at the drone"), ("Its file is cut.", "Its file")],
)
def test_a_detector_that_an_end_lacks_is_a_fault_with_its_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str, mend: str
) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(BED, encoding="utf-8")
    run = BedRun(read_beds(file)[0], "run")
    monkeypatch.setattr(preflight, "_facts", lambda *_: {})
    monkeypatch.setattr(preflight, "_compared", lambda *_, **__: [])
    monkeypatch.setattr(preflight, "_ping", lambda *_: preflight.Row("ping", ("1 ms", "")))
    monkeypatch.setattr(run.ends["drone"], "detector_trouble", lambda name: trouble)
    options = {"fix_clock": False, "stressed": False}
    assert preflight.preflight(run, 0, **options)[1]
    lines, well = preflight.preflight(run, 0, **options, detectors=["trees"])
    assert not well
    assert f"FAULT: {mend}" in lines[-1]


def test_what_scenarios_need_at_an_end_is_asked_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(BED, encoding="utf-8")
    asked: list[tuple[bool, list[str]]] = []

    def note(*_: Any, stressed: bool, detectors: list[str], **__: Any) -> tuple[list[str], bool]:
        asked.append((stressed, detectors))
        return [], True

    monkeypatch.setattr(runner, "preflight", note)
    for scenarios, given in (
        (["baseline", "light", "heavy"], {}),
        (["stand-in-heavy"], {}),
        (["stand-in-light", "light"], {"stand-in-light": "trees", "light": "sh"}),
    ):
        run = RunFile(["cs-a"], scenarios, ["mavlink"], ["clean"], 2.0, scenario_commands=given)
        state = State.new(tmp_path / f"{scenarios[0]}.json", run.cells())
        Runner(tmp_path, run, state, lambda _: None, beds=read_beds(file)).check_ends()
    assert asked == [(False, ["trees", "transformer"]), (True, []), (False, ["trees"])]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"booted": "another"}, "the computer of the drone has restarted"),
        ({"fault": "the tunnel has ended"}, "at the drone: the tunnel has ended"),
        ({"gone": True}, "the program at the drone has ended: Killed"),
    ],
)
def test_what_ends_a_cell_at_one_end_is_its_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: dict[str, Any], said: str
) -> None:
    file = tmp_path / "bench.yaml"
    file.write_text(BED, encoding="utf-8")
    end = FarEnd(read_beds(file)[0], "drone", "run")
    end._boot = "this"
    usual = {"phase": "listening", "fault": "", "booted": "this", "gone": False}
    monkeypatch.setattr(end, "_state", lambda *_: {**usual, **state})
    monkeypatch.setattr(end, "_said", lambda: "Killed")
    with pytest.raises(RunFault, match=said):
        end.wait("ended", 1.0)
