# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The content of one message about the battery, from any source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatteryReading:
    """Values of one message; None: unknown."""

    voltage_v: float
    current_a: float | None = None  # drawn
    temperature_c: float | None = None
