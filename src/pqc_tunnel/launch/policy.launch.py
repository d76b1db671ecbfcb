# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the nodes that decide about the drone's cipher suite, and the one that reports them."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

import yaml
from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from pqc_tunnel.launch_parts import argument, included, is_true, node, shipped, switch, value

# Launch arguments that override the parameter file, by the node that has the parameter.
PARAMETER_ARGUMENTS = {
    "sensing": {"sys_root": str, "mirror_port": int, "mavros_namespace": str},
    "policy": {"strategy": str},
}
# The programs, with the name of the node of each.
PROGRAMS = {
    "sensing_node": "sensing",
    "advisor_node": "advisor",
    "policy_node": "policy",
    "drone_messenger_node": "messenger",
}
ONE_PROGRAM = {"drone_nodes": None}  # has all of them, with the same names


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        argument("namespace", "pqc", "Namespace of the tunnel and these nodes."),
        argument(
            "policy_params_file",
            shipped("policy.yaml"),
            "Parameter file of the nodes; start from config/policy.yaml.",
        ),
        argument(
            "processes",
            "auto",
            "One process for all of these nodes, or one for each; auto: one, unless SROS 2 secures "
            "the graph.",
            ["auto", "one", "each"],
        ),
        argument(
            "strategy",
            "",
            "static, layered, telemetry_aware, paper_2025, expert, rl or hybrid; empty: as in "
            "policy_params_file.",
        ),
        argument(
            "mavros_namespace",
            "",
            "Namespace of MAVROS's topics; empty: as in policy_params_file.",
        ),
        argument(
            "mirror_port",
            "",
            "UDP port of the tunnel's mirror, used while MAVROS is silent; empty: as in "
            "policy_params_file.",
        ),
        argument(
            "sys_root",
            "",
            "Folder with temperatures and power sensors as in /sys; empty: as in "
            "policy_params_file.",
        ),
        switch("respawn", "true", "Restart a node one second after it has ended."),
        argument("log_level", "info", "Log level of the nodes."),
        switch("use_sim_time", "false", "Take the time from /clock."),
    ]


def in_one_process(processes: str, environment: Mapping[str, str]) -> bool:
    """Return whether the nodes share a process, and with it an enclave of SROS 2."""
    secured = environment.get("ROS_SECURITY_ENABLE") == "true"
    return processes == "one" or (processes == "auto" and not secured)


def overrides(context: LaunchContext) -> str:
    """Write the parameters that the arguments set into a file; return its name.

    A parameter of the command line could not name one node of several.
    """
    given = {
        of: {
            name: kind(text)
            for name, kind in arguments.items()
            if (text := value(context, name))
        }
        for of, arguments in PARAMETER_ARGUMENTS.items()
    }
    sections = {
        f"/**/{of}": {"ros__parameters": values} for of, values in given.items() if values
    }
    # Nodes are respawned with it. The name is that which launch_ros gives such a file.
    with NamedTemporaryFile("w", prefix="launch_params_", delete=False) as file:
        yaml.safe_dump(sections, file)
    atexit.register(partial(Path(file.name).unlink, missing_ok=True))
    return file.name


def start_nodes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes in one process or in one for each, configured by the arguments."""
    if "pqc_policy" not in get_packages_with_prefixes():
        raise RuntimeError("the policy needs the package pqc_policy, which is not installed here.")

    files = [value(context, "policy_params_file"), overrides(context)]
    parameters = [*filter(None, files), {"use_sim_time": is_true(context, "use_sim_time")}]
    one = in_one_process(value(context, "processes"), os.environ)
    return [
        node(
            context,
            "pqc_policy",
            program,
            f"/{name or 'policy'}",
            parameters,
            name=name,
            namespace=LaunchConfiguration("namespace"),
        )
        for program, name in (ONE_PROGRAM if one else PROGRAMS).items()
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the nodes."""
    return LaunchDescription(
        [
            *declare_arguments(),
            included("environment.launch.py"),
            OpaqueFunction(function=start_nodes),
        ]
    )
