# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The choices of an agent; each is a relative step, so that no agent names a suite."""

from __future__ import annotations

from enum import StrEnum


class Choice(StrEnum):
    """The first is chosen where no other is worth more."""

    HOLD = "hold"
    RATCHET = "ratchet"
    REKEY = "rekey"
    DOWN = "down"
    UP = "up"
