# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pqc_bench.harness.text import columns, conclusion


def test_columns_are_as_wide_as_their_widest_text() -> None:
    assert columns([("sort", "lost"), ("a", "1,000"), ("long one", "")]) == [
        "  sort        lost",
        "  a          1,000",
        "  long one",
    ]


def test_as_many_columns_as_asked_begin_in_line() -> None:
    assert columns([("a", "b", "c"), ("dd", "ee", "ff")], left=2) == [
        "  a    b     c",
        "  dd   ee   ff",
    ]


def test_no_rows_are_no_lines() -> None:
    assert columns([]) == []


def test_a_result_ends_with_where_it_was_measured_and_what_failed() -> None:
    result = {"network": "loopback", "machine": "2 cores"}
    assert conclusion(result, ["bad"]) == [
        "  network          all on the loopback interface: namespaces need root",
        "  machine          2 cores",
        "  failed: bad",
    ]
    assert conclusion({}, []) == []
