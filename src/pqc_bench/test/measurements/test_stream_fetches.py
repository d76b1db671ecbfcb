# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A link leaves room for a stream: the arithmetic, and a short run over the real nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pqc_bench.stream.fetches import Link, key_bytes
from test_rekey_storm import bench


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
