# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pqc_policy.nodes.call_log import BURST, EACH_S, CallLog


def test_a_thousand_calls_a_second_get_a_line_every_ten_seconds_with_their_number() -> None:
    log = CallLog()
    lines = [line for n in range(60_000) if (line := log.line("Refused.", 100.0 + n / 1000))]
    assert len(lines) == BURST + 60.0 // EACH_S - 1
    assert lines[0] == "Refused."
    assert lines[-1] == "Refused. (9999 calls before it have no line.)"


def test_a_call_now_and_then_always_gets_its_line() -> None:
    log = CallLog()
    for n in range(100):
        assert log.line(f"Call {n}.", n * EACH_S) == f"Call {n}."
