# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The verdict on a flood by a member of the fleet."""

from __future__ import annotations

from typing import Any

import pytest
from pqc_bench.flood import member
from pqc_bench.flood.hostile_drone import SORTS
from pqc_reference.session.epoch_keys import Kind
from pqc_reference.wire.control import decode

AT = {"machine": "a machine", "network": "loopback"}


def one(**changes: Any) -> dict[str, Any]:
    return {
        "frames": 40_000,
        "seconds": 8,
        "sent": 3500,
        "lost": 0,
        "rekeys_ms": [0.6, 0.7, 0.8],
        "resident_kib": 11_000,
        **changes,
    }


def result(**changes: Any) -> dict[str, Any]:
    return {
        "sorts": {"quiet": one(frames=0), "bundles": one(**changes)},
        "machine": "",
        "network": "",
    }


def test_passes_if_the_other_drone_loses_nothing_and_rekeys_promptly() -> None:
    assert member.judge(result()) == []
    text = "\n".join(member.lines(result()))
    assert "bundles" in text
    assert "5,000" in text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lost": 3}, "lost 3 of 3500"),
        ({"rekeys_ms": [2800.0] * 3}, "rekeys of the other drone took"),
        ({"rekeys_ms": [0.6]}, "rekeys of the other drone took"),
        ({"resident_kib": 90_000}, "grew to 87 MiB"),
    ],
)
def test_says_what_the_other_drone_or_the_ground_station_suffered(
    changes: dict[str, Any], words: str
) -> None:
    (fault,) = member.judge(result(**changes))
    assert words in fault


def test_every_sort_is_of_frames_that_the_ground_station_reads() -> None:
    for name, sort in SORTS.items():
        for n in (0, 1, 70_000):
            kind, payload = sort(n)
            known = kind is not Kind.CONTROL or decode(payload) is not None
            assert known != (name == "unknown control"), name
