# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a cell: the program, if any, that uses CPU and memory beside the tunnel.

A scenario runs stress-ng with the CPU share and memory of a detector that the papers have flown, a
detector of this project in its place, or any other program.
"""

from __future__ import annotations

import shlex
import sys

from pqc_sim.processes.run_fault import RunFault

BASELINE = "baseline"
SCENARIOS = (BASELINE, "light", "heavy")
# The report of the scenario's program on its use of the machine (load/__init__.py).
SCENARIO_FILE = "scenario.json"
STRESS = "pqc_bench.load"
_DETECTOR = "pqc_bench.load.detector"
# The scenario in which a detector takes the place of stress-ng, unless another one is given.
DETECTORS = {"trees": "light", "transformer": "heavy"}


def scenario_command(scenario: str, given: str = "") -> list[str]:
    """Return the command of a scenario; an empty list for none.

    `given` is one of DETECTORS, or a command in place of stress-ng; empty: stress-ng.
    """
    if given in DETECTORS:
        return [sys.executable, "-m", _DETECTOR, given]
    if given:
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise RunFault(f"'{given}' isn't a command: {error}") from error
        if not words:
            raise RunFault(f"the command of the scenario {scenario} names no program")
        return words
    if scenario == BASELINE:
        return []
    if scenario not in SCENARIOS:
        raise RunFault(f"there is no scenario '{scenario}': {', '.join(SCENARIOS)}")
    return [sys.executable, "-m", STRESS, scenario]


def scenario_text(scenario: str, given: str = "") -> str:
    """Return the command as text, without paths of this machine; empty for none."""
    if given in DETECTORS:
        return f"python3 -m {_DETECTOR} {given}"
    if given or scenario == BASELINE:
        return given
    return f"python3 -m {STRESS} {scenario}"
