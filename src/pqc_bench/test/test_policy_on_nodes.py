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
from pqc_bench.bench_command import main
from pqc_bench.policy_evaluation.agreement import MOST_LOST, MOST_SECONDS, Flown, disagreements
from pqc_bench.policy_evaluation.sample import conditions, sample, shortened
from pqc_sim.closed_loop.distribution import HELD_OUT, draw
from pqc_sim.closed_loop.flight_plan import FlightPlan
from pqc_sim.flights.script import Leg, Script
from pqc_sim.physics.air import Air, both

SUITE, LIGHT = "cs-mlkem768-aesgcm-mldsa65", "cs-mlkem512-aesgcm-mldsa44"
CALM = Flown([], 2, 0, {"3": 150.0}, SUITE)
LIMIT_S = 400


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
        assert not {"jammer", "adversary", "crash"} & set(plan.trouble)
        assert plan.script.pack == draw(seed).script.pack


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
    assert main(["matrix", "--policy", "act", *words.split()]) == 2
    assert sentence in capsys.readouterr().err


def test_flights_need_a_policy_that_acts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matrix", "--flights", "3"]) == 2
    assert "--flights has no effect without --policy act" in capsys.readouterr().err


def test_a_short_flight_on_real_nodes_agrees_with_the_simulator(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pqc_bench.bench_command", "matrix", "--policy", "act"]
    command += ["--flights", "1", "--seconds", "15", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (flight,) = json.loads((tmp_path / "flights.json").read_text())["flights"]
    assert flight["disagreements"] == []
    assert flight["real"]["last_suite"] == flight["simulated"]["last_suite"]
