# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the nodes that decide about the drone's cipher suite, and the one that reports them."""

from __future__ import annotations

from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Launch arguments that override the parameter file, by the node that has the parameter.
PARAMETER_ARGUMENTS = {
    "sensing": {"sys_root": str, "mirror_port": int, "mavros_namespace": str},
    "advisor": {},
    "policy": {"strategy": str},
}


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
            description="Parameter file of the three nodes; start from config/policy.yaml.",
        ),
        DeclareLaunchArgument(
            "strategy",
            default_value="",
            description="static, telemetry_aware, paper_2025, expert, rl or hybrid; "
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


def start_nodes(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the three nodes, configured by the arguments."""
    if "pqc_policy" not in get_packages_with_prefixes():
        raise RuntimeError("the policy needs the package pqc_policy, which is not installed here.")

    def value(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    use_sim_time = value("use_sim_time") == "true"
    file = LaunchConfiguration("policy_params_file")
    return [
        Node(
            package="pqc_policy",
            executable=f"{name}_node",
            exec_name=f"{name}_node",
            name=name,
            namespace=LaunchConfiguration("namespace"),
            parameters=[
                *([file] if value("policy_params_file") else []),
                {
                    "use_sim_time": use_sim_time,
                    **{
                        argument: ParameterValue(LaunchConfiguration(argument), value_type=kind)
                        for argument, kind in arguments.items()
                        if value(argument)
                    },
                },
            ],
            ros_arguments=[
                *("--log-level", LaunchConfiguration("log_level")),
                *("--enclave", f"/{name}"),
            ],
            respawn=value("respawn") == "true",
            respawn_delay=1.0,
            output="screen",
        )
        for name, arguments in PARAMETER_ARGUMENTS.items()
    ]


def start_messenger(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node that reports to the ground station and carries out its requests."""
    return [
        Node(
            package="pqc_policy",
            executable="drone_messenger_node",
            exec_name="drone_messenger_node",
            name="messenger",
            namespace=LaunchConfiguration("namespace"),
            ros_arguments=[
                *("--log-level", LaunchConfiguration("log_level")),
                *("--enclave", "/messenger"),
            ],
            respawn=LaunchConfiguration("respawn").perform(context) == "true",
            respawn_delay=1.0,
            output="screen",
        )
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
            OpaqueFunction(function=start_messenger),
        ]
    )
