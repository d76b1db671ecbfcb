# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The suites of a storm and their order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pqc_sim.processes.run_fault import RunFault

_PARAMETERS = re.compile(r"\d+[a-z]*$")


@dataclass(frozen=True)
class Suite:
    """A suite by its id, cs-KEM-AEAD-SIGNATURE."""

    id: str
    level: int = 0

    @property
    def families(self) -> tuple[str, str, str]:
        _, kem, aead, signature = self.id.split("-")
        return _PARAMETERS.sub("", kem), aead, _PARAMETERS.sub("", signature)


def infos_of(suites: Sequence[str], infos: Iterable[Any]) -> list[Any]:
    """Return the SuiteInfo of suites by their ids."""
    known = {info.id: info for info in infos}
    for suite in suites:
        if suite not in known:
            raise RunFault(f"the tunnel doesn't know the suite '{suite}'")
    return [known[suite] for suite in suites]


def across_families(suites: Collection[Suite]) -> list[Suite]:
    """Order suites so that each differs from the one before in as much as possible."""
    left = list(suites)
    ordered: list[Suite] = []
    while left:
        before = ordered[-1] if ordered else None
        following = max(left, key=lambda suite: _difference(suite, before))
        left.remove(following)
        ordered.append(following)
    return ordered


def _difference(suite: Suite, before: Suite | None) -> tuple[int, bool]:
    if before is None:
        return 0, False
    differing = sum(a != b for a, b in zip(suite.families, before.families, strict=True))
    return differing, suite.level != before.level
