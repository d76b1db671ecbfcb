# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which cells a run has, and in what order."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pqc_policy.policy.suites import SUITES, KemFamily, SignatureFamily, Suite

from pqc_bench.bench.fault import BenchFault
from pqc_bench.matrix.session import CLEAN, OFF, link_profile

PAPER = "paper"
EXTENDED = "extended"
ALL = "all"


@dataclass(frozen=True)
class Cell:
    """One launch: a suite in a scenario, with a load, over a link."""

    scenario: str
    load: str
    link: str
    suite: str
    seconds: float = 2.0
    link_seed: int = 1
    policy: str = OFF

    @property
    def id(self) -> str:
        """Its folder below cells/."""
        return f"{self.scenario}/{self.load}/{self.link_name}/{self.suite}"

    @property
    def link_name(self) -> str:
        """The link's name; of a profile given as a file, the file's."""
        return Path(self.link).stem


def set_of(suite: Suite) -> str:
    """Return the set that a suite belongs to: the seeds' 72 are "paper"."""
    beyond = (
        suite.family is KemFamily.FRODOKEM
        or suite.signature_family is SignatureFamily.SPHINCS_F
        or suite.aead == "asconaead128"
    )
    return EXTENDED if beyond else PAPER


def choose_suites(wanted: str) -> list[str]:
    """Return the ids of a set (paper, extended, all), or of all that patterns with * ? [] match.

    BenchFault if a pattern matches none.
    """
    if wanted == ALL:
        return [suite.id for suite in SUITES]
    if wanted in (PAPER, EXTENDED):
        return [suite.id for suite in SUITES if set_of(suite) == wanted]
    chosen: list[str] = []
    for pattern in wanted.split(","):
        found = [suite.id for suite in SUITES if fnmatch.fnmatchcase(suite.id, pattern)]
        if not found:
            raise BenchFault(f"there is no suite '{pattern}'")
        chosen += [suite for suite in found if suite not in chosen]
    return chosen


def choose(wanted: str, known: Sequence[str], what: str) -> list[str]:
    """Return the parts of a list separated by commas; BenchFault if one isn't known."""
    parts = [part for part in dict.fromkeys(wanted.split(",")) if part]
    for part in parts:
        if part not in known:
            raise BenchFault(f"there is no {what} '{part}': {', '.join(known)}")
    if not parts:
        raise BenchFault(f"--{what} names none")
    return parts


def choose_links(wanted: str) -> list[str]:
    """Return links separated by commas, a file by its whole path.

    BenchFault if one isn't there, or if two would go by one name.
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
            raise BenchFault(f"--link has two links that go by the name '{name}'")
    if not by_name:
        raise BenchFault("--link names none")
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
