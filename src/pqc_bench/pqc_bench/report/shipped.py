# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the shipped parameter file of the drone fixes; a recommendation keeps to it."""

from __future__ import annotations

from dataclasses import dataclass

from pqc_policy.policy.suites import Suite, find_suite
from pqc_sim.pair.parameters import shipped_parameters


@dataclass(frozen=True)
class Shipped:
    """The default suite, and the lowest level that a tunnel with these parameters uses."""

    suite: Suite
    min_level: int


def shipped() -> Shipped:
    """Return them from config/drone.yaml as it is installed."""
    parameters = shipped_parameters("drone")
    suite = find_suite(str(parameters["suite"]))
    assert suite is not None
    # 0 stands for the level of the suite (docs/decisions/0014).
    return Shipped(suite, int(parameters["min_level"]) or suite.level)
