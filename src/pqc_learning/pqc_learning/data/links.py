# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The links that flights are recorded on, after the profiles of the link emulator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Link:
    """The usual conditions of a link, drawn from these ranges for each flight."""

    name: str
    delay_s: tuple[float, float]
    jitter_s: tuple[float, float]
    loss: tuple[float, float]  # share of single datagrams lost
    burst_every_s: tuple[float, float]  # 0: none
    burst_s: float
    burst_loss: float
    rate: tuple[float, float]  # datagrams/s that it carries
    copies: float = 0.0  # largest share
    altered: float = 0.0
    overtaking: float = 0.0
    handover_every_s: float = 0.0  # 0: none
    thin: bool = False  # both directions share little airtime

    def rates(self, rng: np.random.Generator) -> tuple[float, float]:
        """Draw the datagrams/s of both directions, up first; a ground station mostly sends less."""
        low, high = self.rate
        up = low * (high / low) ** rng.random()
        return up, max(up * rng.uniform(0.1, 1.1), 0.5 * low)


LINKS = (
    Link("wifi", (0.001, 0.006), (0.0005, 0.004), (0.0, 0.004), (0.0, 0.0), 0.0, 0.0, (20, 4000)),
    Link(
        "wifi-edge",
        (0.002, 0.01),
        (0.005, 0.025),
        (0.005, 0.015),
        (0.5, 4.0),
        0.08,
        0.8,
        (20, 1500),
        copies=0.005,
        altered=0.0005,
        overtaking=0.01,
    ),
    Link("lte", (0.03, 0.06), (0.005, 0.02), (0.001, 0.005), (3.0, 12.0), 0.08, 0.9, (20, 2000)),
    Link(
        "lte-handover",
        (0.03, 0.06),
        (0.005, 0.02),
        (0.001, 0.005),
        (3.0, 12.0),
        0.08,
        0.9,
        (20, 2000),
        handover_every_s=18.0,
    ),
    Link(
        "sik-57600",
        (0.015, 0.03),
        (0.008, 0.02),
        (0.005, 0.02),
        (4.0, 20.0),
        0.2,
        1.0,
        (8, 40),
        thin=True,
    ),
    Link(
        "sik-250000",
        (0.006, 0.015),
        (0.004, 0.01),
        (0.005, 0.015),
        (0.0, 0.0),
        0.0,
        0.0,
        (20, 140),
        thin=True,
    ),
    Link(
        "telemetry-radio",
        (0.02, 0.03),
        (0.005, 0.015),
        (0.002, 0.01),
        (0.0, 0.0),
        0.0,
        0.0,
        (8, 50),
        altered=0.001,
        thin=True,
    ),
    Link(
        "satellite",
        (0.27, 0.3),
        (0.004, 0.012),
        (0.0, 0.004),
        (0.0, 0.0),
        0.0,
        0.0,
        (15, 400),
        overtaking=0.0005,
    ),
)
