# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suites the tunnel itself uses, by its own parameters: the policy can't go below that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.suites import LEVELS, Suite, find_suite

# The tunnel's own defaults (config/drone.yaml). The level of 0 is that of the suite.
_MIN_LEVEL = 0
_SUITE = "cs-mlkem768-aesgcm-mldsa65"
_START = find_suite(_SUITE)
_LEVEL_OF_START = _START.level if _START else LEVELS[0]


@dataclass(frozen=True)
class TunnelFloor:
    """The tunnel's limits on suites, and the suite of its first handshake."""

    min_level: int = _LEVEL_OF_START
    suites: frozenset[str] = frozenset()  # the only ones; empty: all of the level
    experimental: bool = False
    start: Suite | None = _START

    def allows(self, suite: Suite) -> bool:
        """Return whether the tunnel uses a suite."""
        return (
            suite.level >= self.min_level
            and (not self.suites or suite.id in self.suites)
            and (self.experimental or not suite.experimental)
        )


def tunnel_floor(values: Mapping[str, Any]) -> TunnelFloor:
    """Return the floor that the tunnel's parameters set; raise ParameterFault for a bad one."""
    names = [name for name in values.get("allowed_suites", []) if name]
    start = find_suite(str(values.get("suite", _SUITE)))
    for name in (values.get("suite", _SUITE), *names):
        if find_suite(str(name)) is None:
            raise ParameterFault(f"The tunnel's parameters name {name!r}, which is no suite.")
    min_level = values.get("min_level", _MIN_LEVEL)
    if min_level == 0 and start is not None:
        min_level = start.level
    if min_level not in LEVELS:
        raise ParameterFault(f"The tunnel's min_level is {min_level!r}, but must be 0, 1, 3 or 5.")
    experimental = bool(values.get("allow_experimental", False))
    return TunnelFloor(min_level, frozenset(names), experimental, start)
