# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Asks for a ratchet with a one-time key of the anchor, until one succeeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_AGAIN_S = 1.0


class OneTimeRatchet:
    """One request at a time; another one a second after a refusal."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        """Take what asks for a rekey with fields of its request and returns the future answer."""
        self._ask = ask
        self._answer: Any = None
        self._asked_s = -_AGAIN_S
        self.took_s: float | None = None  # of the one that succeeded
        self.refused = ""  # why the newest one did not

    def work(self, now_s: float) -> None:
        """Take an answer that has come, and ask if that is due; a monotonic time in s."""
        if self._answer is not None and self._answer.done():
            answer, self._answer = self._answer.result(), None
            if answer.success:
                self.took_s = round(now_s - self._asked_s, 2)
            self.refused = "" if answer.success else answer.message
        waits = self._answer is not None or self.took_s is not None
        if not waits and now_s >= self._asked_s + _AGAIN_S:
            self._asked_s = now_s
            self._answer = self._ask(ratchet=True, one_time_key=True)
