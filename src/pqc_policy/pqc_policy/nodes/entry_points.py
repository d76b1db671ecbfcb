# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of the nodes: SIGINT ends them quietly, also while their modules are imported."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module

from pqc_policy.nodes.process.interruption import exit_on_sigint
from pqc_policy.nodes.process.left_out import leave_out

_USAGE = """usage: ros2 run pqc_policy {} [--ros-args -p NAME:=VALUE | --params-file FILE …]

docs/policy.md describes the nodes, docs/parameters.md their parameters. The launch files
policy.launch.py, drone.launch.py and gcs.launch.py of pqc_tunnel start them."""
_ADVISOR = "advisor_node", "AdvisorNode"
_DRONE_MESSENGER = "messengers.drone_messenger_node", "DroneMessenger"
_GROUND_MESSENGER = "messengers.ground_messenger_node", "GroundMessenger"
_POLICY = "policy_node", "PolicyNode"
_SENSING = "sensing_node", "SensingNode"


def _run(program: str, *nodes: tuple[str, str]) -> int:
    """Run nodes, given by module and class, in this process until it is stopped."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(_USAGE.format(program))
        return 0
    exit_on_sigint()
    leave_out()
    classes = [getattr(import_module(f"pqc_policy.nodes.{module}"), name) for module, name in nodes]
    code: int = import_module("pqc_policy.nodes.run_node").run(*classes)
    return code


advisor_node = partial(_run, "advisor_node", _ADVISOR)
drone_messenger_node = partial(_run, "drone_messenger_node", _DRONE_MESSENGER)
ground_messenger_node = partial(_run, "ground_messenger_node", _GROUND_MESSENGER)
policy_node = partial(_run, "policy_node", _POLICY)
sensing_node = partial(_run, "sensing_node", _SENSING)
# One process for all that a drone has beside its tunnel (decision 0084).
drone_nodes = partial(_run, "drone_nodes", _SENSING, _ADVISOR, _POLICY, _DRONE_MESSENGER)
