# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of all nodes of a cell, with nothing left to defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from pqc_policy.policy.suites import find_suite
from pqc_sim.pair.parameters import (
    DRONE,
    drone_parameters,
    gcs_parameters,
    shipped_parameters,
)
from pqc_sim.pair.ports import Ports
from pqc_sim.pair.tunnel_launch import NAMESPACES
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.cell import ADVISE, OFF, POLICIES

NODES = {end: f"/{namespace}/tunnel" for end, namespace in NAMESPACES.items()}
PARAMETERS_FILE = "parameters.yaml"
# The nodes of the policy beside the drone's tunnel.
_DECIDING = ("policy", "sensing", "advisor")


def session_parameters(
    suite: str, ports: Ports, keys: Path, *, emulated_link: bool, policy: str = OFF
) -> dict[str, Any]:
    """Return the content of one parameter file for all nodes, with nothing left to defaults."""
    known = find_suite(suite)
    if known is None:
        raise RunFault(f"there is no suite '{suite}'")
    # Level 1 and HQC have to be allowed at both ends.
    both = {"min_level": 1, "allow_experimental": known.experimental}
    drone = {
        **drone_parameters(ports, keys / DRONE, emulated_link=emulated_link),
        "suite": suite,
        **both,
    }
    gcs = {**gcs_parameters(ports, keys / "gcs"), **both}
    return {
        NODES["drone"]: {"ros__parameters": {**shipped_parameters("drone"), **drone}},
        NODES["gcs"]: {"ros__parameters": {**shipped_parameters("gcs"), **gcs}},
        **policy_parameters(policy),
    }


def policy_parameters(policy: str) -> dict[str, Any]:
    """Return the parameters of the policy's nodes; empty without a policy."""
    if policy == OFF:
        return {}
    if policy != ADVISE:
        raise RunFault(f"there is no policy '{policy}': {', '.join(POLICIES)}")
    file = Path(get_package_share_directory("pqc_tunnel")) / "config" / "policy.yaml"
    shipped = yaml.safe_load(file.read_text(encoding="utf-8"))
    nodes = {f"/pqc/{name}": shipped[f"/**/{name}"]["ros__parameters"] for name in _DECIDING}
    nodes["/pqc/policy"]["advise_only"] = True
    # The tunnels of a cell have no mirror; its port may belong to another cell or a drone.
    nodes["/pqc/sensing"]["mirror_port"] = 0
    return {name: {"ros__parameters": parameters} for name, parameters in nodes.items()}


def write_parameters(path: Path, parameters: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(parameters, sort_keys=False), encoding="utf-8")
