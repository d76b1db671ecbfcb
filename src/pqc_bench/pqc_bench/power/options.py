# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the power of a run's computer comes from."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from pqc_sim.pair.programs import tool_program

from pqc_bench.power.capture import PROGRAM
from pqc_bench.power.source import AUTO, METER, NONE


@dataclass(frozen=True)
class PowerOptions:
    """`source` is auto, none, meter, or options of pqc_power_capture."""

    source: str = AUTO

    @property
    def meter(self) -> bool:
        """Whether an external meter records, whose file is imported after the run."""
        return self.source == METER

    def command(self, sys_root: Path) -> list[str]:
        """Return the program that captures, with its options; empty if none does."""
        words = self.words(str(sys_root))
        return [str(tool_program(PROGRAM)), *words] if words else []

    def words(self, sys_root: str) -> list[str]:
        """Return the options of the program that captures; empty if none does."""
        if self.source in (NONE, METER):
            return []
        return ["--sys-root", sys_root, *([] if self.source == AUTO else shlex.split(self.source))]
