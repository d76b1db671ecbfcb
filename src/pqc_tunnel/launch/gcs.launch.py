# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground's end: the tunnel to one or several drones."""

from __future__ import annotations

from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        DeclareLaunchArgument(
            "namespace",
            default_value="gcs/pqc",
            description="Namespace of the tunnel node; not the drone's, as both may share a graph.",
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value=PathJoinSubstitution(
                [FindPackageShare("pqc_tunnel"), "config", "gcs.yaml"]
            ),
            description="Parameter file of the tunnel; start from config/gcs.yaml.",
        ),
        DeclareLaunchArgument(
            "identity_dir",
            default_value="",
            description="Folder with the ground station's keys; empty: as in params_file.",
        ),
        DeclareLaunchArgument(
            "respawn",
            default_value="true",
            choices=["true", "false"],
            description="Start a node again a second after it ends.",
        ),
        DeclareLaunchArgument(
            "record",
            default_value="false",
            choices=["true", "false"],
            description="Record the tunnel's topics and /diagnostics in a bag (needs rosbag2).",
        ),
        DeclareLaunchArgument(
            "record_dir",
            default_value=".",
            description="Folder in which the bag's folder is created.",
        ),
        DeclareLaunchArgument(
            "aggregator",
            default_value="auto",
            choices=["auto", "true", "false"],
            description="Group /diagnostics on /diagnostics_agg with the package "
            "diagnostic_aggregator; auto: if it is installed.",
        ),
        DeclareLaunchArgument(
            "log_level", default_value="info", description="Log level of the nodes."
        ),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            choices=["true", "false"],
            description="Stamp messages with the time of /clock.",
        ),
    ]


def start_tunnel(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the tunnel node, given the arguments' values."""
    overrides: dict[str, object] = {
        "role": "gcs",
        "use_sim_time": LaunchConfiguration("use_sim_time").perform(context) == "true",
    }
    identity_dir = LaunchConfiguration("identity_dir").perform(context)
    if identity_dir:
        overrides["identity_dir"] = ParameterValue(identity_dir, value_type=str)
    tunnel = Node(
        package="pqc_tunnel",
        executable="tunnel_node",
        exec_name="tunnel_node",  # not that of the prefix which environment.launch.py sets
        name="tunnel",
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), overrides],
        ros_arguments=[
            *("--log-level", LaunchConfiguration("log_level")),
            *("--enclave", "/tunnel"),
        ],
        respawn=LaunchConfiguration("respawn").perform(context) == "true",
        respawn_delay=1.0,
        output="screen",
    )
    return [tunnel]


def start_messenger(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node that publishes what drones report, if its package is installed."""
    if "pqc_policy" not in get_packages_with_prefixes():
        return []
    return [
        Node(
            package="pqc_policy",
            executable="ground_messenger_node",
            exec_name="ground_messenger_node",
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


def start_exposure(_: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the exposure check, if its package is installed."""
    if "pqc_exposure" not in get_packages_with_prefixes():
        return []
    file = [FindPackageShare("pqc_exposure"), "launch", "exposure.launch.py"]
    return [IncludeLaunchDescription(PathJoinSubstitution(file))]


def start_aggregator() -> IncludeLaunchDescription:
    """Return the aggregator of /diagnostics, started as the argument of its name says."""
    return IncludeLaunchDescription(
        PathJoinSubstitution([FindPackageShare("pqc_tunnel"), "launch", "aggregator.launch.py"])
    )


def record_bag() -> IncludeLaunchDescription:
    """Return the recorder, started only if requested."""
    return IncludeLaunchDescription(
        PathJoinSubstitution([FindPackageShare("pqc_tunnel"), "launch", "record.launch.py"]),
        condition=IfCondition(LaunchConfiguration("record")),
    )


def generate_launch_description() -> LaunchDescription:
    """Describe the ground's end."""
    return LaunchDescription(
        [
            *declare_arguments(),
            IncludeLaunchDescription(
                PathJoinSubstitution(
                    [FindPackageShare("pqc_tunnel"), "launch", "environment.launch.py"]
                )
            ),
            record_bag(),
            start_aggregator(),
            OpaqueFunction(function=start_tunnel),
            OpaqueFunction(function=start_messenger),
            OpaqueFunction(function=start_exposure),
        ]
    )
