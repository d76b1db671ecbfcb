# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The cells of a run and their order."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from pathlib import Path

from pqc_policy.policy.suites import SUITES
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.cell import CLEAN, OFF, Cell, link_profile
from pqc_bench.cell.suite_set import EXTENDED, PAPER, set_of

ALL = "all"


def choose_suites(wanted: str) -> list[str]:
    """Return the ids of a set (paper, extended, all), or of all that patterns with * ? [] match.

    RunFault if a pattern matches none.
    """
    if wanted == ALL:
        return [suite.id for suite in SUITES]
    if wanted in (PAPER, EXTENDED):
        return [suite.id for suite in SUITES if set_of(suite) == wanted]
    chosen: list[str] = []
    for pattern in wanted.split(","):
        found = [suite.id for suite in SUITES if fnmatch.fnmatchcase(suite.id, pattern)]
        if not found:
            raise RunFault(f"there is no suite '{pattern}'")
        chosen += [suite for suite in found if suite not in chosen]
    return chosen


def choose(wanted: str, known: Sequence[str], option: str) -> list[str]:
    """Return the parts of a list separated by commas; RunFault if one isn't known."""
    parts = [part for part in dict.fromkeys(wanted.split(",")) if part]
    for part in parts:
        if part not in known:
            raise RunFault(f"there is no {option} '{part}': {', '.join(known)}")
    if not parts:
        raise RunFault(f"--{option} names none")
    return parts


def choose_links(wanted: str) -> list[str]:
    """Return links separated by commas, a file by its whole path.

    RunFault if one doesn't exist, or if two have the same name.
    """
    by_name: dict[str, str] = {}
    for part in dict.fromkeys(filter(None, wanted.split(","))):
        profile = link_profile(part)
        if profile is None:
            link = CLEAN  # "none" is another word for it
        else:
            link = str(profile.absolute()) if profile == Path(part) else part
        name = Path(link).stem
        if by_name.setdefault(name, link) != link or (name == CLEAN) != (profile is None):
            raise RunFault(f"--link has two links with the name '{name}'")
    if not by_name:
        raise RunFault("--link names none")
    return list(by_name.values())


def plan(
    suites: Sequence[str],
    scenarios: Sequence[str],
    loads: Sequence[str],
    links: Sequence[str],
    seconds: float,
    link_seed: int = 1,
    policy: str = OFF,
) -> list[Cell]:
    """Return all cells: suite by suite within a link, within a load, within a scenario."""
    return [
        Cell(scenario, load, link, suite, seconds, link_seed, policy)
        for scenario in scenarios
        for load in loads
        for link in links
        for suite in suites
    ]
