# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A stream beside data: what a link has left, the verdict, the text, a run over the real nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.stream.fetches import Link, key_bytes
from pqc_bench.stream.result import judge, lines
from test_rekey_storm import bench


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
    text = "\n".join(lines(result()))
    assert "7.00 s, 90 % of what the link has left" in text
    assert "21.0 ms quiet, +14.0 ms beside the stream" in text


def test_a_link_has_left_what_the_data_with_its_headers_does_not_take() -> None:
    link = Link(kbit_per_s=2000, delay_ms=20.0, loss_percent=0.0, rate=320, size=100)
    assert link.left_bytes_per_s == 250_000 - 320 * 153
    lossy = Link(kbit_per_s=2000, delay_ms=20.0, loss_percent=20.0, rate=320, size=100)
    assert lossy.left_bytes_per_s == pytest.approx(0.8 * link.left_bytes_per_s)


def test_the_key_is_that_of_the_largest_classic_mceliece_with_its_signature() -> None:
    assert key_bytes() == 1_357_824 + 4627


def test_a_key_is_fetched_over_a_link(tmp_path: Path) -> None:
    file = tmp_path / "stream.json"
    run = bench(
        *("stream", "--losses", "0", "--kbit", "8000", "--fetches", "1", "--quiet", "1"),
        *("--out", str(file)),
    )
    result = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    assert result, run.stdout + run.stderr
    (link,) = result["links"]
    (fetch,) = link["fetches"]
    assert fetch["bytes"] > result["key_bytes"]
    assert fetch["sent"] > 0
    assert 0.0 < fetch["share"] < 1.1
    assert run.returncode == (1 if result["faults"] else 0)
