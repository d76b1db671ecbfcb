# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pqc_sim.datagrams.counting import FlowCount
from pqc_sim.demo.live_view import Layer
from pqc_sim.demo.verdict import CutOutcome, LinkOutcome, Outcome, as_json, as_text, judge
from test_counting import stream


def flow(*datagrams: bytes) -> dict[str, Any]:
    count = FlowCount()
    for datagram in datagrams:
        count.note(datagram)
    return count.as_dict()


DOWN, UP = tuple(stream(100, 1)), tuple(stream(10, 255))
FLOWN = {
    "armed": True,
    "armed_once": True,
    "highest_m": 20.1,
    "mission_current": 3,
    "mission_items": 8,
}
GROUNDED = {**FLOWN, "armed": False, "armed_once": False, "highest_m": 0.0}
GOOD = Outcome(
    seconds=20.0,
    suite="cs-mlkem768-aesgcm-mldsa65",
    epoch=1,
    handshake_ms=12.3456,
    rekeys=1,
    rekey_expected=True,
    vehicle={"sent": flow(*DOWN), "received": flow(*UP), "vehicle": FLOWN},
    tap={"sent": flow(*UP), "received": flow(*DOWN)},
    ground={"parameters": 95, "mission_items": 8, "fault": None},
    layers=(Layer("lattices", "structured", "ML-KEM-768", "ephemeral"),),
)


def test_a_good_flight_has_no_faults() -> None:
    assert judge(GOOD) == []


def test_the_summary_has_the_promised_fields() -> None:
    summary = as_json(GOOD, judge(GOOD))
    assert summary["ok"]
    assert summary["suite"] == "cs-mlkem768-aesgcm-mldsa65"
    assert (summary["epoch"], summary["rekeys"], summary["handshake_ms"]) == (1, 1, 12.346)
    mlkem = {"family": "lattices", "form": "structured", "kem": "ML-KEM-768", "key": "ephemeral"}
    assert summary["layers"] == [mlkem]
    down, up = summary["mavlink"]["drone_to_gcs"], summary["mavlink"]["gcs_to_drone"]
    assert (down["sent"], down["received"], down["lost"], down["corrupted"]) == (100, 100, 0, 0)
    assert (up["sent"], up["received"], up["lost"], up["corrupted"]) == (10, 10, 0, 0)
    assert down["lost_by_sequence"] == 0


def test_the_loss_that_the_ground_counts_is_beside_what_the_tunnel_lost() -> None:
    swapped = flow(*DOWN[:50], DOWN[51], DOWN[50], *DOWN[52:])
    outcome = replace(GOOD, tap={"sent": flow(*UP), "received": swapped})
    down = as_json(outcome, [])["mavlink"]["drone_to_gcs"]
    assert (down["lost"], down["lost_by_sequence"]) == (0, 256)
    text = "\n".join(as_text(outcome, []))
    assert "256 lost by the sequence numbers of MAVLink" in text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"tap": {"sent": flow(*UP), "received": flow(*DOWN[1:])}},
            "1 of 100 datagrams got lost from drone to ground",
        ),
        (
            {"tap": {"sent": flow(*UP), "received": flow(*UP[:1], *DOWN[1:])}},
            "1 datagrams were altered from drone to ground",
        ),
        (
            {"tap": {"sent": flow(*UP), "received": flow(DOWN[0], *DOWN)}},
            "1 datagrams came twice from drone to ground",
        ),
        (
            {"vehicle": {**GOOD.vehicle, "received": flow()}},
            "no MAVLink arrived from ground to drone",
        ),
        ({"rekeys": 0}, "the rekey midway didn't happen"),
        ({"ground": {"fault": "MAVProxy ended early"}}, "MAVProxy ended early"),
        ({"faults": ("tunnel_node failed: no keys",)}, "tunnel_node failed: no keys"),
        (
            {"vehicle": {**GOOD.vehicle, "kernel_drops": 3}},
            "the vehicle's own socket dropped 3 datagrams",
        ),
    ],
)
def test_every_failing_has_its_sentence(change: dict[str, Any], sentence: str) -> None:
    faults = judge(replace(GOOD, **change))
    assert faults == [sentence]
    assert not as_json(GOOD, faults)["ok"]
    assert any(sentence in line for line in as_text(GOOD, faults))


def link(**down: int) -> dict[str, Any]:
    return {"udp": {"drone_to_gcs": {"in": 120, **down}, "gcs_to_drone": {"in": 20, "lost": 0}}}


def test_losses_on_the_link_are_reported_and_are_no_fault() -> None:
    lossy = replace(
        GOOD,
        tap={"sent": flow(*UP), "received": flow(*DOWN[3:])},
        link="lte",
        link_counts=link(lost=2, queue_dropped=1, corrupted=0),
    )
    assert judge(lossy) == []
    assert as_json(lossy, [])["link"] == {
        "profile": "lte",
        "taken": {"drone_to_gcs": {"lost": 2, "queue_dropped": 1}, "gcs_to_drone": {}},
    }
    text = "\n".join(as_text(lossy, []))
    assert "link, drone to gcs: 3 of 120 taken (lost 2, queue dropped 1)" in text
    assert "100 sent, 97 received, 3 lost (3.0 %), 0 corrupted" in text
    assert "unaltered: the link took 2.7 % (3 datagrams), the tunnel 0." in text


def test_what_a_thin_link_left_out_is_apart_from_what_was_lost() -> None:
    shaped = replace(
        GOOD,
        tap={"sent": flow(*UP), "received": flow(*DOWN[30:])},
        links=(LinkOutcome("radio", "serial", "up", {}),),
        left_out={"drone_to_gcs": 26, "gcs_to_drone": 0},
    )
    assert judge(shaped) == []
    down = as_json(shaped, [])["mavlink"]["drone_to_gcs"]
    assert (down["lost"], down["left_out"]) == (30, 26)
    text = "\n".join(as_text(shaped, []))
    assert "100 sent, 70 received, 4 lost (4.0 %), 26 left out, 0 corrupted" in text
    assert "3.6 % (4 datagrams) were lost on the links; the tunnel left out 23.6 % (26 " in text


def test_what_waits_elsewhere_is_not_left_out_of_what_arrived() -> None:
    redundant = replace(
        GOOD, links=(LinkOutcome("radio", "serial", "up", {}),), left_out={"drone_to_gcs": 9}
    )
    assert as_json(redundant, [])["mavlink"]["drone_to_gcs"]["left_out"] == 0
    assert "whole and unaltered" in "\n".join(as_text(redundant, []))


def test_losses_beyond_those_on_the_link_are_a_fault() -> None:
    lossy = replace(
        GOOD,
        tap={"sent": flow(*UP), "received": flow(*DOWN[3:])},
        link="lte",
        link_counts=link(lost=2),
    )
    assert judge(lossy) == [
        "3 of 100 datagrams got lost from drone to ground, but the link took only 2"
    ]


def test_altered_datagrams_are_a_fault_on_any_link() -> None:
    lossy = replace(
        GOOD,
        tap={"sent": flow(*UP), "received": flow(*UP[:1], *DOWN[1:])},
        link="jammed",
        link_counts=link(lost=50),
    )
    assert judge(lossy) == ["1 datagrams were altered from drone to ground"]


def test_a_long_outage_is_not_taken_for_duplicates() -> None:
    many = tuple(stream(400, 1))
    lossy = replace(
        GOOD,
        vehicle={**GOOD.vehicle, "sent": flow(*many)},
        tap={"sent": flow(*UP), "received": flow(*many[:100], *many[250:])},
        link="flapping",
        link_counts=link(lost_in_outage=150),
    )
    assert judge(lossy) == []


def test_a_ground_program_may_give_up_over_a_bad_link() -> None:
    lossy = replace(GOOD, ground={"fault": "no answer"}, link="jammed", link_counts=link(lost=3))
    assert judge(lossy) == []
    assert any("gave up: no answer" in line for line in as_text(lossy, []))
    assert judge(replace(lossy, link_counts=link(lost=0))) == ["no answer"]


@pytest.mark.parametrize(
    ("copter", "step", "sentence"),
    [
        (
            GROUNDED,
            "downloading",
            "the vehicle never armed within 20 s: MAVProxy was still downloading the parameters",
        ),
        (
            {**GROUNDED, "armed_once": True},
            "taking off",
            "the vehicle armed but did not take off "
            "within 20 s: MAVProxy was still waiting for the take-off",
        ),
    ],
)
def test_a_vehicle_that_did_not_fly_is_a_fault(
    copter: dict[str, Any], step: str, sentence: str
) -> None:
    grounded = replace(
        GOOD,
        vehicle={**GOOD.vehicle, "vehicle": copter},
        ground={"step": step},
        link="telemetry-radio",
        link_counts=link(queue_dropped=72),
        tap={"sent": flow(*UP), "received": flow(*DOWN[72:])},
    )
    (fault,) = judge(grounded)
    assert fault == f"{sentence}; the link took 65.5 %"


def test_a_fault_of_the_ground_program_is_stated_once() -> None:
    ended = replace(
        GOOD, faults=("ground_station failed: no answer",), ground={"fault": "no answer"}
    )
    assert judge(ended) == ["ground_station failed: no answer"]


def test_a_flight_too_short_for_the_take_off_says_so() -> None:
    short = replace(GOOD, seconds=5.0, vehicle={**GOOD.vehicle, "vehicle": GROUNDED})
    assert judge(short) == []
    assert "The flight of 5 s was too short for the take-off." in "\n".join(as_text(short, []))


def test_the_text_says_how_far_the_vehicle_flew() -> None:
    text = "\n".join(as_text(GOOD, []))
    assert "flew up to 20 m, item 3 of 7 of the mission, and was still in the air when" in text
    landed = {**FLOWN, "armed": False, "mission_current": 8}
    text = "\n".join(as_text(replace(GOOD, vehicle={**GOOD.vehicle, "vehicle": landed}), []))
    assert "item 7 of 7 of the mission, and landed" in text


def test_the_emulator_losing_by_itself_is_a_fault() -> None:
    counts = link(kernel_drops=4)
    faults = judge(replace(GOOD, link="lte", link_counts=counts))
    assert faults == ["the link emulator's own sockets dropped 4 datagrams"]


def test_a_flight_too_short_for_a_rekey_needs_none() -> None:
    assert judge(replace(GOOD, rekeys=0, rekey_expected=False)) == []


def test_a_failed_start_names_the_cause_and_not_its_consequences() -> None:
    nothing = replace(GOOD, vehicle={}, tap={}, ground={}, rekey_expected=False)
    assert judge(replace(nothing, faults=("pqc identity failed",))) == ["pqc identity failed"]
    assert len(judge(nothing)) == 2
    for report in nothing.flows.values():
        assert (report.lost, report.corrupted) == (0, 0)


CUT = replace(GOOD, cut=CutOutcome(link="lte", parameters=95, carried=300))


def test_a_flight_that_goes_on_over_the_other_link_is_good() -> None:
    assert judge(CUT) == []
    assert as_json(CUT, [])["cut"] == {"link": "lte", "parameters": 95, "carried": 300}
    assert as_json(GOOD, [])["cut"] is None
    (line,) = (line for line in as_text(CUT, []) if line.startswith("  lte cut"))
    assert line.endswith("delivered 300 packets meanwhile; MAVProxy downloaded 95 parameters again")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"cut": CutOutcome("lte", None, 300)},
            "MAVProxy could not download the parameters while lte was cut",
        ),
        (
            {"cut": CutOutcome("lte", 94, 300)},
            "MAVProxy could not download the parameters while lte was cut",
        ),
        ({"cut": CutOutcome("lte", 95, 0)}, "no other link carried anything while lte was cut"),
        (
            {"ground": {**GOOD.ground, "links_lost": 2}},
            "MAVProxy lost its link to the vehicle (2 times)",
        ),
    ],
)
def test_what_fails_while_a_link_is_cut_is_a_fault(change: dict[str, Any], sentence: str) -> None:
    assert judge(replace(CUT, **change)) == [sentence]


@pytest.mark.parametrize(
    ("suite", "below"), [("cs-mlkem512-aesgcm-mldsa44", True), (GOOD.suite, False), (None, False)]
)
def test_a_flight_below_the_floor_of_the_shipped_parameters_says_so(
    suite: str | None, below: bool
) -> None:
    decision = {"t": 7.0, "action": "DOWN", "rule": "stress", "to": suite, "reason": "It is hot."}
    text = "\n".join(as_text(replace(GOOD, flight="hot", decisions=(decision,)), []))
    sentence = f"The policy chose {suite}, below level 3: the demo sets min_level to"
    assert (sentence in text) is below
    assert ("below level" in text) is below
