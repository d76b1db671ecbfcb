# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which suites the tunnel itself uses, by its own parameters: the policy can't go below that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.suites import LEVELS, Suite, find_suite

# The tunnel's own defaults (config/drone.yaml).
_MIN_LEVEL = 3
_SUITE = "cs-mlkem768-aesgcm-mldsa65"
_START = find_suite(_SUITE)


@dataclass(frozen=True)
class TunnelFloor:
    """The tunnel's limits on suites, and the suite of its first handshake."""

    min_level: int = _MIN_LEVEL
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
    min_level = values.get("min_level", _MIN_LEVEL)
    if min_level not in LEVELS:
        raise ParameterFault(f"The tunnel's min_level is {min_level!r}, but must be 1, 3 or 5.")
    names = [name for name in values.get("allowed_suites", []) if name]
    start = str(values.get("suite", _SUITE))
    for name in (start, *names):
        if find_suite(name) is None:
            raise ParameterFault(f"The tunnel's parameters name {name!r}, which is no suite.")
    experimental = bool(values.get("allow_experimental", False))
    return TunnelFloor(min_level, frozenset(names), experimental, find_suite(start))
