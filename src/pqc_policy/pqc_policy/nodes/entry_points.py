# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of the nodes: SIGINT ends them quietly, also while their modules are imported."""

from __future__ import annotations

import sys
from importlib import import_module

from pqc_policy.nodes.process.interruption import exit_on_sigint

_USAGE = """usage: ros2 run pqc_policy {} [--ros-args -p NAME:=VALUE | --params-file FILE …]

docs/policy.md describes the node, docs/parameters.md its parameters. The launch files
policy.launch.py, drone.launch.py and gcs.launch.py of pqc_tunnel start it with the others."""


def advisor_node() -> int:
    """Run `advisor_node` until it is stopped."""
    return _main("pqc_policy.nodes.advisor_node")


def drone_messenger_node() -> int:
    """Run `drone_messenger_node` until it is stopped."""
    return _main("pqc_policy.nodes.messengers.drone_messenger_node")


def ground_messenger_node() -> int:
    """Run `ground_messenger_node` until it is stopped."""
    return _main("pqc_policy.nodes.messengers.ground_messenger_node")


def policy_node() -> int:
    """Run `policy_node` until it is stopped."""
    return _main("pqc_policy.nodes.policy_node")


def sensing_node() -> int:
    """Run `sensing_node` until it is stopped."""
    return _main("pqc_policy.nodes.sensing_node")


def _main(module: str) -> int:
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(_USAGE.format(module.rpartition(".")[2]))
        return 0
    exit_on_sigint()
    code: int = import_module(module).main()
    return code
