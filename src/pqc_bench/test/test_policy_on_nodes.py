# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`bench matrix --policy act`: its sample, its bounds, and one short flight on real nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from exit_code import exit_code
from pqc_bench.policy_evaluation.agreement import MOST_LOST, MOST_SECONDS, Flown, disagreements
from pqc_bench.policy_evaluation.computer_files import ComputerFiles, Moment
from pqc_bench.policy_evaluation.real_flight import node_parameters, simulate
from pqc_bench.policy_evaluation.sample import conditions, sample, shortened
from pqc_learning.closed_loop.distribution import HELD_OUT, draw
from pqc_learning.closed_loop.flight_plan import FlightPlan, PreparedFlight
from pqc_policy.sensing.computer.computer_load import Load, Throttled, read_load
from pqc_policy.sensing.computer.thermal_zones import processor_now
from pqc_sim.flights.script import Leg, Script, Silence
from pqc_sim.physics.air import Air, both

SUITE, LIGHT = "cs-mlkem768-aesgcm-mldsa65", "cs-mlkem512-aesgcm-mldsa44"
CALM = Flown([], 2, 0, {"3": 150.0}, SUITE)
LIMIT_S = 400
BUSY = 1_000_015  # its computer is busy from 26 s on


def test_equal_flights_agree_and_so_do_those_within_the_bounds() -> None:
    assert disagreements(CALM, CALM) == []
    near = Flown([], 3, 1, {"3": 150.0 - MOST_SECONDS}, SUITE, MOST_LOST)
    assert disagreements(CALM, near) == []


@pytest.mark.parametrize(
    ("real", "words"),
    [
        (replace(CALM, switches=[LIGHT]), "The nodes changed to"),
        (replace(CALM, last_suite=LIGHT), "The nodes ended with"),
        (replace(CALM, done=4), "The nodes made 4 rekeys, the simulator 2."),
        (replace(CALM, failed=2), "2 rekeys of the nodes failed, 0 simulated."),
        (replace(CALM, seconds_at_level={"1": 150.0}), "The nodes were at level 1"),
        (replace(CALM, lost_beyond_link=MOST_LOST + 1), "The nodes lost 6 datagrams"),
    ],
)
def test_each_bound_that_is_exceeded_is_one_sentence(real: Flown, words: str) -> None:
    assert disagreements(CALM, real)[0].startswith(words)


def test_the_sample_is_of_held_out_flights_that_the_emulator_can_fly() -> None:
    chosen = list(sample(3, 100.0))
    assert len(chosen) == 3
    for seed, plan in chosen:
        assert seed >= HELD_OUT
        assert plan.script.seconds == pytest.approx(100.0)
        assert plan.rate_bytes_s is None
        troubles = {"jammer", "fades", "slow_link", "adversary", "crash"}
        assert not troubles & set(plan.trouble)
        assert plan.script.pack == draw(seed).script.pack


def test_sensors_fail_in_the_sample_but_neither_link_nor_advisor() -> None:
    silences = [one for _, plan in sample(30, 100.0) for one in plan.script.silences]
    topics = {topic for silence in silences for topic in silence.topics}
    assert topics == {"thermal", "battery"}


def test_the_nodes_read_the_load_that_the_simulator_gives_its_policy(tmp_path: Path) -> None:
    plan = shortened(draw(BUSY), 60.0)
    _, moments = simulate(PreparedFlight(plan), "static")
    # The plan's own load, and what rekeys add.
    assert moments[20].load == pytest.approx(plan.script.busy.at(20.0), abs=0.01)
    assert moments[50].load > 0.95
    files = ComputerFiles(tmp_path)
    files.show(moments[0])
    _, ticks = read_load(files.proc, files.sys, None)
    for moment in moments:
        files.show(moment)
        load, ticks = read_load(files.proc, files.sys, ticks)
        assert load == Load(load=pytest.approx(moment.load, abs=1e-3), throttled=Throttled.NO)


def test_the_nodes_read_heat_and_that_it_limits_the_computer(tmp_path: Path) -> None:
    files = ComputerFiles(tmp_path)
    files.show(Moment(84.5, 0.3, throttled=True))
    zone = processor_now(files.sys)
    assert zone.temperature_c == pytest.approx(84.5, abs=0.01)
    assert read_load(files.proc, files.sys, None)[0].throttled is Throttled.YES


def test_while_the_temperature_is_silent_the_nodes_read_the_load_alone(tmp_path: Path) -> None:
    silence = Silence(("thermal",), 10.0, 20.0)
    script = Script("test", "", ((30.0, Leg.CRUISE),), silences=(silence,))
    _, moments = simulate(PreparedFlight(FlightPlan(script)), "static")
    files = ComputerFiles(tmp_path)
    for second, moment in enumerate(moments):
        files.show(moment)
        assert (processor_now(files.sys) is None) == (10 <= second < 20)
    _, ticks = read_load(files.proc, files.sys, None)
    files.show(moments[10])
    assert read_load(files.proc, files.sys, ticks)[0].load == pytest.approx(
        moments[10].load, abs=1e-3
    )


def test_the_sensing_node_reads_the_computer_of_the_flight(tmp_path: Path) -> None:
    files = ComputerFiles(tmp_path)
    parameters = node_parameters("expert", files)
    assert parameters["/pqc/sensing"]["ros__parameters"]["proc_root"] == str(files.proc)
    assert parameters["/pqc/sensing"]["ros__parameters"]["sys_root"] == str(files.sys)
    assert parameters["/pqc/policy"]["ros__parameters"]["strategy"] == "expert"


def test_a_shortened_flight_keeps_the_order_of_its_legs() -> None:
    legs = ((30.0, Leg.PARKED), (20.0, Leg.CLIMB), (100.0, Leg.CRUISE))
    plan = FlightPlan(Script("test", "", legs))
    assert shortened(plan, 60.0).script.mission == (*legs[:2], (10.0, Leg.CRUISE))


def test_the_link_gets_the_air_of_the_flight_from_its_start_on() -> None:
    air = Air(loss=0.01, delay_s=0.02, jitter_s=0.01, out_every_s=15.0, out_s=0.4)
    outage = both(30.0, 34.0, Air(loss=1.0))
    plan = FlightPlan(Script("test", "", ((100.0, Leg.CRUISE),), air=air, spells=(outage,)))
    fields = conditions(plan, 40.0)
    assert fields["delay_ms"] == 20.0
    assert fields["outages"] == [
        {"start_ms": 54_600, "length_ms": 400, "every_ms": 15_000},
        {"start_ms": 70_000, "length_ms": 4_000},
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--suites paper", "--suites has no effect with --policy act"),
        ("--retry", "--retry has no effect with --policy act"),
    ],
)
def test_what_cells_alone_have_is_rejected(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["matrix", "--policy", "act", *words.split()]) == 2
    assert sentence in capsys.readouterr().err


def test_flights_need_a_policy_that_acts(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["matrix", "--flights", "3"]) == 2
    assert "--flights has no effect without --policy act" in capsys.readouterr().err


def test_a_short_flight_on_real_nodes_agrees_with_the_simulator(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pqc_bench.bench_command", "matrix", "--policy", "act"]
    command += ["--flights", "1", "--seconds", "15", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (flight,) = json.loads((tmp_path / "flights.json").read_text())["flights"]
    assert flight["disagreements"] == []
    assert flight["real"]["last_suite"] == flight["simulated"]["last_suite"]
