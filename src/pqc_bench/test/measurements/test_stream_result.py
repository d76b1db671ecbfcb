# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Streams beside data: what a link has left, the verdict, the text."""

from __future__ import annotations

from typing import Any

import pytest
from pqc_bench.stream import stream_text
from pqc_bench.stream.verdict import judge


def result(**changes: Any) -> dict[str, Any]:
    fetch = {"fetch_s": 7.0, "bytes": 1_450_000, "share": 0.9, "p99_ms": 35.0, "sent": 4480}
    link = {
        "loss_percent": 20.0,
        "left_bytes_per_s": 160_000,
        "quiet_p99_ms": 21.0,
        "fetches": [fetch],
        "share": 0.9,
        "p99_growth_ms": 14.0,
    }
    return {
        "key_bytes": 1_362_451,
        "kbit_per_s": 2000,
        "rate": 320,
        "size": 100,
        "links": [{**link, **changes}],
        "machine": "2 cores",
    }


def test_a_fast_stream_beside_fast_data_passes() -> None:
    assert judge(result(share=0.7, p99_growth_ms=25.0)) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"share": 0.69}, "at 20 % loss the stream took 69 % of what the link has left"),
        ({"p99_growth_ms": 25.1}, "delay grew by 25.1 ms, more than 25"),
    ],
)
def test_a_slow_stream_or_slow_data_is_a_fault(changes: dict[str, Any], sentence: str) -> None:
    (fault,) = judge(result(**changes))
    assert sentence in fault


def test_the_text_has_share_and_delay() -> None:
    text = "\n".join(stream_text.lines(result()))
    assert "7.00 s, 90 % of what the link has left" in text
    assert "21.0 ms quiet, +14.0 ms beside the stream" in text
