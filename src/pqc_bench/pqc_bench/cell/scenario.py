# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a cell: the program, if any, that uses CPU and memory beside the tunnel.

light and heavy run the detectors of this project, trees and transformer. The papers' scenarios of
these names are stand-ins: stress-ng with the CPU share and the memory that they give for their own
detectors, which nobody has published. Any other program can take a scenario's place.
"""

from __future__ import annotations

import shlex
import sys

from pqc_sim.processes.run_fault import RunFault

BASELINE = "baseline"
# The scenario of each detector, unless another one is given for it.
DETECTORS = {"trees": "light", "transformer": "heavy"}
# The scenario of the papers that stress-ng stands in for, by ours.
STAND_INS = {f"stand-in-{paper}": paper for paper in DETECTORS.values()}
SCENARIOS = (BASELINE, *DETECTORS.values(), *STAND_INS)
# The report of the scenario's program on its use of the machine (load/__init__.py).
SCENARIO_FILE = "scenario.json"
STRESS = "pqc_bench.load"
DETECTOR = "pqc_bench.load.detector"
_USUAL = {scenario: detector for detector, scenario in DETECTORS.items()}


def scenario_command(scenario: str, given: str = "") -> list[str]:
    """Return the command of a scenario; an empty list for none.

    `given` is one of DETECTORS, or a command; empty: what the scenario usually runs.
    """
    given = given or _USUAL.get(scenario, "")
    if given in DETECTORS:
        return [sys.executable, "-m", DETECTOR, given]
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
    return [sys.executable, "-m", STRESS, STAND_INS[scenario]]


def detector_of(scenario: str, given: str = "") -> str:
    """Return the detector that a scenario runs; empty for none."""
    name = given or _USUAL.get(scenario, "")
    return name if name in DETECTORS else ""


def scenario_text(scenario: str, given: str = "") -> str:
    """Return the command as text, without paths of this machine; empty for none."""
    given = given or _USUAL.get(scenario, "")
    if given in DETECTORS:
        return f"python3 -m {DETECTOR} {given}"
    if given or scenario == BASELINE:
        return given
    return f"python3 -m {STRESS} {STAND_INS[scenario]}"
