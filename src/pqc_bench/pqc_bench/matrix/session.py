# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a session's launch file needs: both nodes' parameters, the programs beside them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from pqc_policy.policy.suites import find_suite

from pqc_bench.bench.fault import BenchFault
from pqc_bench.bench.link import link_profile as installed_profile
from pqc_bench.bench.pair_parameters import (
    Ports,
    drone_parameters,
    gcs_parameters,
    shipped_parameters,
)

NODES = {"drone": "/pqc/tunnel", "gcs": "/gcs/pqc/tunnel"}
# What decides beside the drone's tunnel; a policy that only advises publishes and rekeys nothing.
DECIDING = ("policy", "sensing", "advisor")
OFF = "off"
ADVISE = "advise"
POLICIES = (OFF, ADVISE)
DECISIONS = "/pqc/decision"
PARAMETERS_FILE = "parameters.yaml"
# Where the scenario's program tells what it reached (load/__init__.py).
SCENARIO_FILE = "scenario.json"
BASELINE = "baseline"
SCENARIOS = (BASELINE, "light", "heavy")
_STAND_IN = "pqc_bench.load"
CLEAN = "clean"
RATES = {"mavlink": 320, "blaster": 3906}
BLASTER_SIZE = 256


def session_parameters(
    suite: str, ports: Ports, keys: Path, *, gated: bool, policy: str = OFF
) -> dict[str, Any]:
    """Return the content of one parameter file for all nodes, with nothing left to defaults."""
    known = find_suite(suite)
    if known is None:
        raise BenchFault(f"there is no suite '{suite}'")
    # Level 1 and HQC have to be allowed at both ends.
    both = {"min_level": 1, "allow_experimental": known.experimental}
    drone = {**drone_parameters(ports, keys, gated=gated), "suite": suite, **both}
    gcs = {**gcs_parameters(ports, keys), **both}
    return {
        NODES["drone"]: {"ros__parameters": {**shipped_parameters("drone"), **drone}},
        NODES["gcs"]: {"ros__parameters": {**shipped_parameters("gcs"), **gcs}},
        **policy_parameters(policy),
    }


def policy_parameters(policy: str) -> dict[str, Any]:
    """Return the parameters of what decides; empty if nobody does."""
    if policy == OFF:
        return {}
    if policy != ADVISE:
        raise BenchFault(f"there is no policy '{policy}': {', '.join(POLICIES)}")
    file = Path(get_package_share_directory("pqc_tunnel")) / "config" / "policy.yaml"
    shipped = yaml.safe_load(file.read_text(encoding="utf-8"))
    nodes = {f"/pqc/{name}": shipped[f"/**/{name}"]["ros__parameters"] for name in DECIDING}
    nodes["/pqc/policy"]["advise_only"] = True
    return {name: {"ros__parameters": parameters} for name, parameters in nodes.items()}


def write_parameters(path: Path, parameters: dict[str, Any]) -> None:
    """Write a parameter file."""
    path.write_text(yaml.safe_dump(parameters, sort_keys=False), encoding="utf-8")


def scenario_command(scenario: str, given: str = "") -> list[str]:
    """Return the program that makes a scenario, `given` if somebody wants another; empty: none."""
    if given:
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise BenchFault(f"'{given}' isn't a command: {error}") from error
        if not words:
            raise BenchFault(f"the command of the scenario {scenario} names no program")
        return words
    if scenario == BASELINE:
        return []
    if scenario not in SCENARIOS:
        raise BenchFault(f"there is no scenario '{scenario}': {', '.join(SCENARIOS)}")
    return [sys.executable, "-m", _STAND_IN, scenario]


def scenario_text(scenario: str, given: str = "") -> str:
    """Return the same as text for a person, without this machine's paths; empty: none."""
    if given or scenario == BASELINE:
        return given
    return f"python3 -m {_STAND_IN} {scenario}"


def link_profile(link: str) -> Path | None:
    """Return the profile of an emulated link, by its name or as a file; None if there is none.

    A clean one needs no emulator, which would only take from the machine that is measured.
    """
    return None if link == CLEAN else installed_profile(link)
