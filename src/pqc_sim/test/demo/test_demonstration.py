# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The course of a demonstration, without its programs."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

from pqc_sim.demo.demonstration import Demonstration, Plan

from pqc_msgs.srv import Rekey


class AnsweredMeanwhile(Demonstration):
    """A demonstration whose rekey is answered while it waits for that."""

    def _turn(self, *, now: bool = False) -> None:
        self._on_rekeyed(Rekey.Response(success=True, suite="a-suite"))


def test_a_rekey_that_is_answered_at_the_end_of_the_flight_ends_the_wait() -> None:
    notes: list[str] = []
    view: Any = SimpleNamespace(note=notes.append)
    launched: Any = SimpleNamespace(running=True, signal=lambda *_: True)
    terminal: Any = SimpleNamespace()
    demonstration = AnsweredMeanwhile(Plan(1.0), launched, view, terminal)
    demonstration._rekey_asked_s = time.monotonic()
    demonstration._settle_rekey()
    assert notes == ["rekey to a-suite took 0.0 ms"]
