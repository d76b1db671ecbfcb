# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The suites that the tunnel itself uses, by its own parameters, and no policy goes below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.suites import DEFAULT_SUITE, LEVELS, Suite, find_suite

_START = find_suite(DEFAULT_SUITE)
# The tunnel's min_level of 0 stands for the level of its suite (docs/decisions/0014).
_OF_SUITE = 0


@dataclass(frozen=True)
class TunnelFloor:
    """The tunnel's limits on suites, and the suite of its first handshake."""

    min_level: int = _START.level if _START is not None else LEVELS[0]
    suites: frozenset[str] = frozenset()  # the only ones; empty: all of the level
    experimental: bool = False
    start: Suite | None = _START

    def allows(self, suite: Suite) -> bool:
        return (
            suite.level >= self.min_level
            and (not self.suites or suite.id in self.suites)
            and (self.experimental or not suite.experimental)
        )


def tunnel_floor(values: Mapping[str, Any]) -> TunnelFloor:
    """Return the floor that the tunnel's parameters set; raise ParameterFault for a bad one."""
    min_level = values.get("min_level", _OF_SUITE)
    if min_level not in (_OF_SUITE, *LEVELS):
        raise ParameterFault(f"The tunnel's min_level is {min_level!r}, but must be 0, 1, 3 or 5.")
    names = [name for name in values.get("allowed_suites", []) if name]
    start = str(values.get("suite", DEFAULT_SUITE))
    for name in (start, *names):
        if find_suite(name) is None:
            raise ParameterFault(f"The tunnel's parameters name {name!r}, which is no suite.")
    experimental = bool(values.get("allow_experimental", False))
    first = find_suite(start)
    level = first.level if min_level == _OF_SUITE and first is not None else min_level
    return TunnelFloor(level, frozenset(names), experimental, first)
