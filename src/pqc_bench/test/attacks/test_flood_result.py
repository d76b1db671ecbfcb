# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The verdict on a flood, and the comparison of sent junk with counted drops."""

from __future__ import annotations

from typing import Any

import pytest
from pqc_bench.flood.result import judge, lines
from pqc_bench.flood.strangers import reconcile

AT = {"machine": "2 cores", "network": "namespaces"}
HELLO_REASONS = ("unknown_drone", "repeated", "discarded", "answered")
KINDS = {
    "random": 10,
    "truncated": 10,
    "unknown": 10,
    "hello": 10,
    "old": 10,
    "forged": 10,
    "recorded": 0,
}
DROPS = {
    "malformed": 20,
    "unknown": 10,
    "unknown_drone": 9,
    "repeated": 0,
    "discarded": 1,
    "answered": 0,
    "seq_old": 10,
    "replay": 0,
    "auth_fail": 10,
    "decrypt_fail": 0,
}


def phase(**changes: Any) -> dict[str, Any]:
    traffic = {
        "sent": 10_000,
        "lost": 0,
        "loss_percent": 0.0,
        "corrupted": 0,
        "longest_gap_ms": 5.0,
    }
    memory = {"first": 38_000, "warm": 38_150, "last": 38_100, "most": 38_200}
    whole: dict[str, Any] = {
        "name": "junk at the gcs",
        "target": "gcs",
        "sources": 64,
        "spoofed": False,
        "traffic": {"quiet": traffic, "flood": dict(traffic)},
        "resident_kib": {"drone": memory, "gcs": dict(memory)},
        "cpu_percent": {end: {"quiet": 2.0, "flood": 30.0} for end in ("drone", "gcs")},
        "counters": reconcile(KINDS, DROPS, 0),
        "flood": {"seconds": 2.0, "sent": 60, "wanted": 60, "answers": 0, "kinds": KINDS},
        "rekeys_ms": {"quiet": [1.0, 2.0, 3.0], "flood": [2.0, 3.0, 4.0]},
        "sessions_ms": {"quiet": [20.0, 30.0, 40.0], "flood": [50.0, 60.0, 90.0]},
        "failures": [],
    }
    for path, value in changes.items():
        *folders, name = path.split("__")
        part = whole
        for folder in folders:
            part = part[folder]
        part[name] = value
    return whole


def faults(**changes: Any) -> list[str]:
    return judge({"phases": [phase(**changes)]})


def test_a_flood_without_effect_passes() -> None:
    assert faults() == []


def test_no_datagram_of_the_traffic_may_be_lost() -> None:
    (fault,) = faults(traffic__flood__lost=1, traffic__flood__loss_percent=0.01)
    assert fault == "junk at the gcs: 1 of 10000 datagrams got lost (0.01 %)"


def test_growing_memory_is_a_fault() -> None:
    grown = {"first": 38_000, "warm": 39_000, "last": 41_000, "most": 41_048}
    assert faults(resident_kib__gcs=grown) == []
    (fault,) = faults(resident_kib__gcs={**grown, "most": 41_049})
    assert "the gcs grew by 2.0 MiB" in fault


def test_sent_junk_is_compared_with_the_drops_by_reason() -> None:
    *rows, total = reconcile(KINDS, DROPS, 0)
    assert [(row["sent"], row["counted"]) for row in rows] == [
        (20, 20),
        (10, 10),
        (10, 10),
        (10, 10),
        (10, 10),
    ]
    assert (total["sent"], total["counted"], total["unexplained"]) == (60, 60, 0)


def test_all_junk_must_be_counted() -> None:
    assert faults(counters=reconcile(KINDS, {**DROPS, "auth_fail": 9, "unknown": 11}, 0)) == []
    many = {name: 1000 * count for name, count in KINDS.items()}
    drops = {name: 1000 * count for name, count in DROPS.items()}
    (fault,) = faults(counters=reconcile(many, {**drops, "auth_fail": 9_000}, 0))
    assert "of 60000 junk datagrams 59000 were counted" in fault


def test_drops_of_the_system_explain_missing_counts() -> None:
    many = {name: 1000 if n else 0 for name, n in KINDS.items()}
    drops = {
        **DROPS,
        "malformed": 2000,
        "unknown": 700,
        "unknown_drone": 1000,
        "seq_old": 900,
        "auth_fail": 800,
    }
    assert faults(counters=reconcile(many, drops, 600)) == []
    (fault,) = faults(counters=reconcile(many, drops, 100))
    assert "the system dropped 100" in fault


def test_a_hello_at_the_drone_is_malformed() -> None:
    drops = {name: count for name, count in DROPS.items() if name not in HELLO_REASONS}
    rows = reconcile(KINDS, {**drops, "malformed": 30}, 0)
    assert rows[0] == {"reasons": ["malformed"], "sent": 30, "counted": 30}
    assert rows[-1]["unexplained"] == 0


def test_a_stranger_who_gets_an_answer_is_a_fault() -> None:
    (fault,) = faults(flood__answers=1)
    assert "strangers got 1 answers" in fault
    assert faults(flood__answers=1, flood__kinds={**KINDS, "recorded": 1}) == []


def test_a_flood_below_its_rate_is_a_fault() -> None:
    (fault,) = faults(flood__sent=40)
    assert "only 40 of 60 datagrams could be sent" in fault


def test_a_rekey_that_fails_meanwhile_is_a_fault() -> None:
    (fault,) = faults(failures=["a rekey failed: no keys"])
    assert fault == "junk at the gcs: a rekey failed: no keys"


def test_rekeys_and_sessions_may_take_three_times_as_long() -> None:
    (fault,) = faults(sessions_ms={"quiet": [20.0, 30.0, 40.0], "flood": [91.0]})
    assert "new sessions took 91.0 ms, 30.0 ms without the flood" in fault
    assert faults(rekeys_ms={"quiet": [1.0], "flood": [3.0]}) == []
    (fault,) = faults(rekeys_ms={"quiet": [1.0], "flood": [3.1]})
    assert "rekeys took 3.1 ms" in fault
    (fault,) = faults(rekeys_ms={"quiet": [1.0], "flood": []})
    assert "no rekeys were measured" in fault


def test_answers_to_recorded_hellos_with_the_drones_address_go_to_the_drone() -> None:
    kinds = {**dict.fromkeys(KINDS, 0), "hello": 1000, "recorded": 1000}
    drops = {**dict.fromkeys(DROPS, 0), "unknown_drone": 980, "discarded": 100}
    assert reconcile(kinds, drops, 0)[-1]["unexplained"] == 920
    assert reconcile(kinds, drops, 0, answers_seen=False)[-1]["unexplained"] == 0
    fewer = {**drops, "unknown_drone": 500}
    assert reconcile(kinds, fewer, 0, answers_seen=False)[-1]["unexplained"] == 400
    more = {**drops, "unknown_drone": 3000}
    assert reconcile(kinds, more, 0, answers_seen=False)[-1]["unexplained"] == -1100


@pytest.mark.parametrize(
    ("changes", "sources"),
    [
        ({}, "from 64 addresses"),
        ({"sources": 1}, "from 1 address"),
        ({"spoofed": True}, "with the address and port of the drone"),
    ],
)
def test_the_heading_tells_where_the_junk_comes_from(changes: dict[str, Any], sources: str) -> None:
    text = lines({"phases": [phase(**changes)], **AT})
    assert text[1] == f"  Junk at the gcs for 2 s, {sources}"


def test_the_table_shows_every_phase() -> None:
    result = {"phases": [phase(), phase(name="junk at the drone")], **AT}
    text = "\n".join(lines(result))
    assert "Junk at the gcs" in text
    assert "Junk at the drone" in text
