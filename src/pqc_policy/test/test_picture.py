# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the picture of a flight: its tracks, the moments it explains, and what it shows."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from flight import LIGHTEST, MCELIECE5, MLKEM768, MLKEM1024, Flight, policy_with, take_off
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Failure, Verdict
from pqc_policy.replay.flight_story import routine, story
from pqc_policy.replay.tracks import Lane, Mark, lanes

MLKEM768_SHORT = MLKEM768.removeprefix("cs-")


def tracks(flight: Flight) -> dict[str, Lane]:
    """Return the tracks of a flight by their names."""
    decisions = flight.decisions
    return {lane.name: lane for lane in lanes(decisions, [flight.policy] * len(decisions))}


def texts(lane: Lane) -> list[str]:
    return [span.text for span in lane.spans]


def moments(decisions: Sequence[Decision]) -> list[str]:
    return [moment.text for moment in story(decisions)]


def seconds(lane: Lane) -> float:
    return sum(span.end_s - span.begin_s for span in lane.spans)


def test_armed_advisor_and_strategy_have_a_span_for_every_state() -> None:
    flight = take_off(armed=False, advisor=Verdict.CLEAR)
    flight.fly(5)
    flight.fly(5, armed=True, advisor=Verdict.ATTACK)
    flight.fly(5, absent=frozenset({"armed", "advisor"}))
    flight.policy = policy_with(strategy="static")
    flight.fly(5)
    lanes = tracks(flight)
    assert texts(lanes["armed"]) == ["disarmed", "armed"]
    assert texts(lanes["advisor"]) == ["clear", "attack"]
    assert texts(lanes["strategy"]) == ["telemetry_aware", "static"]


def test_an_advisor_that_was_never_received_is_noted() -> None:
    assert tracks(take_off())["advisor"].note == "no verdict received"


@pytest.mark.parametrize("name", ["link", "battery", "thermal", "armed", "session"])
def test_a_missing_input_and_a_stale_one_are_named_in_a_track(name: str) -> None:
    lane = f"missing: {'temperature' if name == 'thermal' else name}"
    missing, stale = take_off(), take_off()
    missing.fly(7, absent=frozenset({name}))
    stale.fly(7, ages_s={name: 2.5})
    assert seconds(tracks(missing)[lane]) == seconds(tracks(stale)[lane]) == 7.0
    assert tracks(take_off())["missing"].note == "nothing"


def test_an_input_that_is_not_required_is_marked_as_such() -> None:
    flight = take_off(policy_with(required_inputs=("session",)))
    flight.fly(5, temperature_c=float("nan"))
    assert texts(tracks(flight)["missing: temperature"]) == ["not required"]


def test_each_rule_that_decided_has_a_track_and_only_those() -> None:
    flight = take_off(suite=MLKEM1024)
    flight.fly(8, c_per_min=9.0)
    rules = {name for name in tracks(flight) if name.startswith("rule ")}
    assert rules == {"rule nominal", "rule stress", "rule cooldown"}


def test_a_rekey_asked_done_failed_and_held_is_in_four_tracks() -> None:
    flight = take_off(suite=MLKEM1024, refused=frozenset({MLKEM768}))
    flight.fly(7, c_per_min=9.0)
    flight.fly(5, refused=frozenset(), c_per_min=9.0)
    flight.fly(4, c_per_min=0.0, rekeying=True, temperature_c=90.0)
    lanes = tracks(flight)
    assert [mark for _, mark in lanes["rekey asked"].marks] == [Mark.ASKED] * 2
    assert [mark for _, mark in lanes["rekey failed"].marks] == [Mark.FAILED]
    assert [mark for _, mark in lanes["rekey done"].marks] == [Mark.DONE]
    assert [mark for _, mark in lanes["held: under way"].marks] == [Mark.HELD]
    assert "rekey held" not in lanes


def test_the_reasons_name_changes_failures_holds_strategies_and_new_sessions() -> None:
    flight = take_off(suite=MLKEM1024)
    flight.fly(6, c_per_min=9.0)
    flight.fly(9, c_per_min=0.0, absent=frozenset({"thermal"}))
    flight.fly(2, absent=frozenset(), failure=Failure(1, LIGHTEST, "it timed out."))
    flight.fly(2, epoch=77)
    flight.policy = policy_with(strategy="static")
    flight.fly(2)
    down, hold, failed, session, strategy = moments(flight.decisions)
    assert down.startswith("DOWN by stress: mlkem1024-aesgcm-mldsa87 → " + MLKEM768_SHORT)
    assert "The temperature rises by 9.0 °C/min" in down
    assert (
        hold
        == "HOLD by safety for 4 s: No temperature has been received. Meanwhile upgrade can't act."
    )
    assert failed == f"The rekey to {LIGHTEST.removeprefix('cs-')} failed: it timed out."
    assert session == "A new session: one end has restarted."
    assert strategy == "Strategy static."


def test_routine_rekeys_are_counted_and_repeated_holds_are_one_moment() -> None:
    flight = take_off()
    flight.fly(1500)
    (held,) = moments(flight.decisions)
    assert held.startswith("HOLD by rekey for ") and held.endswith(" This repeats 3 ×.")
    assert routine(flight.decisions).startswith("Besides, ")
    assert routine(take_off().decisions) == ""


@pytest.mark.parametrize(("width", "length_s"), [(400, 30), (1280, 30), (400, 600), (1280, 300)])
def test_the_picture_has_the_requested_width(tmp_path: Path, width: int, length_s: int) -> None:
    draw = pytest.importorskip("pqc_policy.replay.picture").draw
    flight = take_off(suite=MLKEM1024)
    flight.fly(length_s)
    file = tmp_path / "picture.png"
    draw(flight.decisions, lambda _: flight.policy, "a flight", file, width)
    assert abs(struct.unpack(">I", file.read_bytes()[16:20])[0] - width) <= 1


def test_the_picture_shows_rates_thresholds_legend_and_reasons(tmp_path: Path) -> None:
    draw = pytest.importorskip("pqc_policy.replay.picture").draw
    policy = policy_with("raspberry_pi_4", strategy="expert")
    flight = take_off(policy, suite=MCELIECE5, charge=0.1)
    flight.fly(40)
    file = tmp_path / "picture.svg"
    changed = replace(flight.policy.config, stress_c_per_min=7.0)
    draw(flight.decisions, lambda _: policy_with(**vars(changed)), "a flight", file, 1280)
    text = file.read_text("utf-8")
    for label in (
        "Rate of the temperature, °C/min",
        "stress above 7",
        "Rate of the voltage, mV/min",
        "stress below -500",
        "low below 30, critical below 15",
        "rekeys: ▷ asked  □ held  ● done  ✖ failed",
        "rule battery",
        "missing",
        "DOWN by battery",
    ):
        assert label in text, label
