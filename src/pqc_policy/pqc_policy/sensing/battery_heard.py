# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One message about the battery, from whatever source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatteryHeard:
    """What a message says; None: it does not say."""

    voltage_v: float
    current_a: float | None  # drawn
    temperature_c: float | None
