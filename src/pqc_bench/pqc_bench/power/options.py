# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the power of a run's computer comes from."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from pathlib import Path

from pqc_sim.pair.programs import tool_program

NONE, METER = "none", "meter"
_AUTO = "auto"


@dataclass(frozen=True)
class PowerOptions:
    """`source` is auto, none, meter, or options of pqc_power_capture."""

    source: str = _AUTO

    @property
    def meter(self) -> bool:
        """Whether an external meter records, whose file is imported after the run."""
        return self.source == METER

    def command(self, sys_root: Path) -> list[str]:
        """Return the program that captures, with its options; empty if none does."""
        if self.source in (NONE, METER):
            return []
        given = [] if self.source == _AUTO else shlex.split(self.source)
        return [str(tool_program("pqc_power_capture")), "--sys-root", str(sys_root), *given]


def power_source(text: str) -> str:
    """Return a value of --power; argparse's error if it is none."""
    if text not in (_AUTO, NONE, METER) and not text.startswith("--"):
        raise argparse.ArgumentTypeError(
            f"'{text}' is none of {_AUTO}, {NONE}, {METER}, and no option of pqc_power_capture"
        )
    try:
        shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' has an open quotation mark") from error
    return text
