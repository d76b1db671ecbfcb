# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pqc_bench.rekey import storm_text
from pqc_bench.rekey.arithmetic import bytes_of, exchange_bytes
from pqc_bench.rekey.result import (
    Rekey,
    Step,
    Traffic,
    own_gap_ms,
    suite_records,
    together,
    totals_record,
)
from pqc_bench.rekey.verdict import judge

SUITE = "cs-mlkem768-aesgcm-mldsa65"
REKEY = Rekey(
    suite=SUITE,
    succeeded=True,
    rolled_back=False,
    message="",
    handshake_ms=4.0,
    fetch_ms=11.0,
    commit_ms=16.0,
    keygen_ms=2.0,
    sign_ms=8.0,
    verify_ms=1.0,
    encapsulate_ms=0.5,
    decapsulate_ms=0.5,
    pooled=False,
    ahead=False,
    round_trip_ms=0.5,
    bytes=1444,
    fetch_bytes=5000,
)
FAILED = replace(
    REKEY, succeeded=False, rolled_back=True, message="it could not be", commit_ms=None
)
MEMORY = {"first": 38_000, "last": 39_000, "most": 40_000, "prekeys": 0, "beside": 40_000}
QUIET = Traffic(seconds=0.5, sent=320, longest_gap_ms=4.0, own_gap_ms=4.0)


def step(rekey: Rekey = REKEY, **changes: Any) -> Step:
    return Step(rekey, replace(QUIET, **changes), QUIET)


def result(*steps: Step, loss_percent: float = 0.0, **totals: Any) -> dict[str, Any]:
    suites = suite_records(steps)
    return {
        "suites": suites,
        "unavailable": [],
        "totals": {
            **totals_record(
                suites,
                together(one.meanwhile for one in steps),
                together(one.before for one in steps),
            ),
            "loss_percent": loss_percent,
            "drops": {"drone": {"replay": 0}, "gcs": {"replay": 0}},
            "ahead_only": False,
            "resident_kib": {end: dict(MEMORY) for end in ("drone", "gcs")},
            "in_step": True,
            **totals,
        },
    }


def test_a_record_has_what_is_asked_of_every_suite() -> None:
    (record,) = suite_records([step()])
    assert {
        "suite",
        "lost",
        "duplicated",
        "corrupted",
        "longest_gap_ms",
        "steady_gap_ms",
        "handshake_ms",
        "fetch_ms",
        "rolled_back",
        "commit_ms",
        "primitives_ms",
        "pooled",
        "ahead",
        "within_budget",
    } <= record.keys()


def test_counts_of_a_suite_add_up_gaps_are_the_longest_and_times_their_medians() -> None:
    steps = [
        step(replace(REKEY, handshake_ms=ms), lost=1, longest_gap_ms=gap)
        for ms, gap in ((1.0, 3.0), (9.0, 30.0), (2.0, 5.0))
    ]
    (record,) = suite_records(steps)
    assert (record["rekeys"], record["lost"]) == (3, 3)
    assert (record["longest_gap_ms"], record["steady_gap_ms"]) == (30.0, 4.0)
    assert record["handshake_ms"] == 2.0


def test_suites_come_in_the_order_of_their_first_rekeys() -> None:
    other = replace(REKEY, suite="cs-other")
    records = suite_records([step(), step(other), step()])
    assert [(record["suite"], record["rekeys"]) for record in records] == [
        (SUITE, 2),
        ("cs-other", 1),
    ]


def test_keys_that_lay_ready_need_not_be_made_in_a_rekey() -> None:
    assert REKEY.primitives_ms == 12.0
    assert replace(REKEY, pooled=True).primitives_ms == 2.0
    # The report of the ends counts, even on a slow machine or with a quick pool.
    assert replace(REKEY, pooled=True, fetch_ms=90.0).primitives_ms == 2.0
    assert replace(REKEY, fetch_ms=0.1).primitives_ms == 12.0


@pytest.mark.parametrize(("commit_ms", "within"), [(23.0, True), (23.1, False)])
def test_the_budget_is_one_and_a_half_times_the_primitives_and_five_milliseconds(
    commit_ms: float, within: bool
) -> None:
    (record,) = suite_records([step(replace(REKEY, commit_ms=commit_ms))])
    assert record["within_budget"] is within


def test_a_suite_that_was_never_reached_has_no_times() -> None:
    (record,) = suite_records([step(FAILED)])
    assert (record["rekeys"], record["failed"], record["rolled_back"]) == (0, 1, 1)
    assert record["commit_ms"] is None
    assert record["within_budget"] is False
    assert record["message"] == "it could not be"


def test_a_clean_storm_is_good() -> None:
    assert judge(result(step(), step())) == []


def test_a_lost_datagram_is_a_fault() -> None:
    assert judge(result(step(lost=1))) == ["1 of 320 datagrams sent during rekeys got lost"]


def test_a_lossy_link_may_lose_what_it_says_give_or_take_chance() -> None:
    assert judge(result(step(sent=10_000, lost=560), loss_percent=5.0)) == []
    (fault,) = judge(result(step(sent=10_000, lost=600), loss_percent=5.0))
    assert fault.endswith("got lost, and the link loses 5 %")


def test_an_altered_datagram_is_a_fault() -> None:
    assert judge(result(step(corrupted=2))) == ["2 datagrams were altered"]


def test_a_rekey_rolled_back_is_a_fault_with_its_reason() -> None:
    faults = judge(result(step(), step(FAILED)))
    assert f"1 of the rekeys to {SUITE} failed: it could not be" in faults
    assert "1 rekeys were rolled back" in faults


def test_over_a_lossy_link_a_rekey_may_give_up_but_not_every_one_to_a_suite() -> None:
    gave_up = step(replace(FAILED, rolled_back=False))
    assert judge(result(step(), gave_up, loss_percent=20.0)) == []
    assert judge(result(step(), gave_up)) != []
    assert judge(result(gave_up, loss_percent=20.0)) != []


def test_a_gap_may_be_three_times_the_longest_of_steady_traffic() -> None:
    assert judge(result(step(own_gap_ms=12.0))) == []
    (fault,) = judge(result(step(own_gap_ms=12.1)))
    assert "more than 3 times" in fault


def test_bytes_of_a_new_session_are_not_compared_with_those_of_a_rekey() -> None:
    few = replace(REKEY, bytes=56)
    assert len(judge(result(step(few)))) == 1
    assert judge(result(step(replace(few, new_session=True)))) == []


def test_a_pause_of_the_generator_is_no_gap_of_the_tunnel() -> None:
    assert own_gap_ms(56.5, 56.3) == pytest.approx(0.2)
    assert own_gap_ms(23.5, 3.2) == 23.5
    assert own_gap_ms(70.0, 56.3) == 70.0
    assert own_gap_ms(6.0, 3.2) == 6.0


def test_gaps_are_not_compared_with_those_of_much_less_steady_traffic() -> None:
    assert judge(result(step(own_gap_ms=50.0, seconds=10.0))) == []


def test_what_the_ends_dropped_is_a_fault_even_if_it_is_no_traffic() -> None:
    dropped = {"drone": {"replay": 0, "unknown": 0}, "gcs": {"replay": 0, "unknown": 3}}
    assert judge(result(step(), drops=dropped)) == ["the gcs dropped datagrams: unknown 3"]


def test_ends_that_disagree_are_a_fault() -> None:
    (fault,) = judge(result(step(), in_step=False))
    assert "differ in session" in fault


def test_a_suite_that_is_not_there_is_a_fault() -> None:
    missing = {**result(step()), "unavailable": [{"suite": "cs-x", "reason": "no such library"}]}
    assert judge(missing) == ["the suite cs-x can't be used: no such library"]


def test_a_line_of_the_table_fits_under_its_heading_and_tells_failures() -> None:
    assert len(storm_text.line(1, 72, step()).split()) == 10
    assert "rolled back: it could not be" in storm_text.line(2, 72, step(FAILED))
    assert storm_text.line(1, 72, step(replace(REKEY, pooled=True))).endswith("pooled")
    assert storm_text.line(1, 72, step(replace(REKEY, ahead=True))).endswith("ahead")


def test_a_rekey_with_its_prekey_is_prompt_within_a_round_trip_its_cryptography_and_2_ms() -> None:
    ahead = replace(REKEY, ahead=True, handshake_ms=3.4)
    assert ahead.prompt
    assert not replace(ahead, handshake_ms=3.6).prompt
    assert replace(ahead, handshake_ms=3.6, round_trip_ms=1.0).prompt
    assert not replace(ahead, ahead=False).prompt
    totals = result(step(ahead), step(replace(ahead, handshake_ms=9.0)), step())["totals"]
    assert (totals["ahead_rekeys"], totals["prompt_rekeys"]) == (2, 1)


def test_95_of_100_rekeys_with_their_prekey_at_the_drone_must_be_prompt() -> None:
    prompt = step(replace(REKEY, ahead=True, handshake_ms=1.0))
    slow = step(replace(REKEY, ahead=True, handshake_ms=90.0))
    assert judge(result(*[prompt] * 95, *[slow] * 5)) == []
    (fault,) = judge(result(*[prompt] * 94, *[slow] * 6))
    assert fault.startswith("only 94 of 100 rekeys with their prekey at the drone took at most")
    # A datagram that is lost is sent again only after a while.
    assert judge(result(prompt, slow, loss_percent=5.0)) == []


def test_a_storm_of_prekeys_must_find_them_at_the_drone() -> None:
    ahead = step(replace(REKEY, ahead=True, handshake_ms=1.0))
    assert judge(result(ahead, ahead_only=True)) == []
    (fault,) = judge(result(ahead, step(), ahead_only=True))
    assert fault == "only 1 of 2 rekeys had their prekey at the drone"


@pytest.mark.parametrize(
    ("ciphertext", "on_the_air"),
    # As test_thin_link of pqc_tunnel counts them: ML-KEM, FrodoKEM, Classic McEliece.
    [(768, 1090), (1088, 1444), (1568, 1924), (9720, 10466), (96, 418)],
)
def test_the_arithmetic_is_that_of_the_protocol(ciphertext: int, on_the_air: int) -> None:
    assert exchange_bytes(ciphertext) == on_the_air
    assert bytes_of(SUITE) == 1444


@pytest.mark.parametrize(("on_the_air", "within"), [(1300, True), (1588, True), (1589, False)])
def test_the_bytes_of_each_rekey_are_within_a_tenth_of_the_arithmetic(
    on_the_air: int, within: bool
) -> None:
    stepped = step(replace(REKEY, bytes=on_the_air))
    assert result(step(), stepped)["totals"]["in_bytes"] == 1 + within
    faults = judge(result(step(), stepped))
    assert bool(faults) is not within
    if faults:
        assert faults[0].startswith(f"1 of 2 rekeys to {SUITE} differ from the 1444 bytes")
    assert judge(result(stepped, loss_percent=20.0)) == []


def test_a_record_counts_its_new_sessions() -> None:
    (record,) = suite_records([step(), step(replace(REKEY, new_session=True)), step()])
    assert (record["rekeys"], record["new_sessions"]) == (3, 1)


def test_a_record_has_the_bytes_of_rekeys_and_of_their_prekeys() -> None:
    steps = [step(replace(REKEY, bytes=1400 + n, fetch_bytes=5000 * (n % 2))) for n in range(3)]
    (record,) = suite_records(steps)
    assert (record["fewest_bytes"], record["bytes"], record["most_bytes"]) == (1400, 1401, 1402)
    assert (record["arithmetic_bytes"], record["fetch_bytes"]) == (1444, 5000)


def test_memory_is_limited_prekeys_apart() -> None:
    used = {**MEMORY, "most": 45_000, "beside": 45_000}
    both = {"drone": MEMORY, "gcs": used}
    (fault,) = judge(result(step(), resident_kib=both))
    assert fault.startswith("the gcs used 43.9 MiB beside prekeys")
    stocked = {**used, "prekeys": 4096, "beside": 40_904}
    assert judge(result(step(), resident_kib={**both, "gcs": stocked})) == []


def test_the_summary_tells_bytes_and_prompt_rekeys() -> None:
    whole = result(
        step(),
        wall_s=1.0,
        rate=320,
        generator={"slips": 0, "skipped": 0, "latest_ms": 0.0},
        machine="2 cores",
    )
    text = "\n".join(storm_text.summary(whole))
    assert f"1 of 1 rekeys within 10 % of the arithmetic: 1,444 bytes for {SUITE} (1,444)" in text
    assert "0 of 0 rekeys took at most a round trip, their cryptography and 2 ms" in text
