# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The list of mutants that may survive, each with the reason.

An entry names a mutant by file, function and text, so that it stays valid when lines move.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.mutants.schemata import Mutant
from pqc_bench.mutants.trial import Verdict

_Key = tuple[str, str, str, str]


class Survivors:
    def __init__(self, reasons: dict[_Key, str]) -> None:
        self._reasons = reasons

    @classmethod
    def read(cls, file: Path) -> Survivors:
        """Read a file: lists of mutants, each under its reason."""
        reasons: dict[_Key, str] = {}
        for group in yaml.safe_load(file.read_text(encoding="utf-8")) or []:
            for entry in group["mutants"]:
                parts = [part.strip() for part in entry.split(" | ")]
                if len(parts) != 4:
                    raise RunFault(
                        f"{file.name}: '{entry}' isn't 'file | function | original | mutant'"
                    )
                reasons[tuple(parts)] = group["reason"]
        return cls(reasons)

    def reason(self, mutant: Mutant) -> str | None:
        """Why it may survive; None if it may not."""
        return self._reasons.get(mutant.key())

    def outdated(self, verdicts: list[Verdict]) -> Iterator[str]:
        """Entries of mutants that tests kill, however often the text occurs there."""
        alive = {verdict.mutant.key() for verdict in verdicts if verdict.result != "killed"}
        for key in sorted({verdict.mutant.key() for verdict in verdicts} - alive):
            if key in self._reasons:
                yield " | ".join(key)
