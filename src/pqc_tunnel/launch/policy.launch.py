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
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

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
        DeclareLaunchArgument(
            "namespace", default_value="pqc", description="Namespace of the tunnel and these nodes."
        ),
        DeclareLaunchArgument(
            "policy_params_file",
            default_value=PathJoinSubstitution(
                [FindPackageShare("pqc_tunnel"), "config", "policy.yaml"]
            ),
            description="Parameter file of the nodes; start from config/policy.yaml.",
        ),
        DeclareLaunchArgument(
            "processes",
            default_value="auto",
            choices=["auto", "one", "each"],
            description="One process for all of these nodes, or one for each; auto: one, unless "
            "SROS 2 secures the graph.",
        ),
        DeclareLaunchArgument(
            "strategy",
            default_value="",
            description="static, layered, telemetry_aware, paper_2025, expert, rl or hybrid; "
            "empty: as in policy_params_file.",
        ),
        DeclareLaunchArgument(
            "mavros_namespace",
            default_value="",
            description="Namespace of MAVROS's topics; empty: as in policy_params_file.",
        ),
        DeclareLaunchArgument(
            "mirror_port",
            default_value="",
            description="UDP port of the tunnel's mirror, used while MAVROS is silent; "
            "empty: as in policy_params_file.",
        ),
        DeclareLaunchArgument(
            "sys_root",
            default_value="",
            description="Folder with temperatures and power sensors as in /sys; "
            "empty: as in policy_params_file.",
        ),
        DeclareLaunchArgument(
            "respawn",
            default_value="true",
            choices=["true", "false"],
            description="Restart a node one second after it has ended.",
        ),
        DeclareLaunchArgument(
            "log_level", default_value="info", description="Log level of the nodes."
        ),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            choices=["true", "false"],
            description="Take the time from /clock.",
        ),
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
        node: {
            argument: kind(value)
            for argument, kind in arguments.items()
            if (value := LaunchConfiguration(argument).perform(context))
        }
        for node, arguments in PARAMETER_ARGUMENTS.items()
    }
    sections = {
        f"/**/{node}": {"ros__parameters": values} for node, values in given.items() if values
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

    def value(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    files = [value("policy_params_file"), overrides(context)]
    one = in_one_process(value("processes"), os.environ)
    return [
        Node(
            package="pqc_policy",
            executable=program,
            exec_name=program,
            name=name,
            namespace=LaunchConfiguration("namespace"),
            parameters=[
                *(file for file in files if file),
                {"use_sim_time": value("use_sim_time") == "true"},
            ],
            ros_arguments=["--log-level", value("log_level"), "--enclave", f"/{name or 'policy'}"],
            respawn=value("respawn") == "true",
            respawn_delay=1.0,
            output="screen",
        )
        for program, name in (ONE_PROGRAM if one else PROGRAMS).items()
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the nodes."""
    return LaunchDescription(
        [
            *declare_arguments(),
            IncludeLaunchDescription(
                PathJoinSubstitution(
                    [FindPackageShare("pqc_tunnel"), "launch", "environment.launch.py"]
                )
            ),
            OpaqueFunction(function=start_nodes),
        ]
    )
