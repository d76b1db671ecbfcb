# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Group /diagnostics on /diagnostics_agg, with the package diagnostic_aggregator."""

from __future__ import annotations

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare


def start_aggregator(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the aggregator; raise RuntimeError if it is requested and not installed."""
    wanted = LaunchConfiguration("aggregator").perform(context)
    if wanted == "false":
        return []
    try:
        get_package_share_directory("diagnostic_aggregator")
    except PackageNotFoundError:
        if wanted == "auto":
            return []
        raise RuntimeError(
            "aggregator:=true needs the package diagnostic_aggregator, which is not installed here."
        ) from None
    groups = [FindPackageShare("pqc_tunnel"), "config", "diagnostics.yaml"]
    return [
        Node(
            package="diagnostic_aggregator",
            executable="aggregator_node",
            exec_name="aggregator_node",
            name="analyzers",
            parameters=[PathJoinSubstitution(groups)],
            ros_arguments=[
                *("--log-level", LaunchConfiguration("log_level")),
                *("--enclave", "/aggregator"),
            ],
            respawn=LaunchConfiguration("respawn").perform(context) == "true",
            respawn_delay=1.0,
            output="screen",
        )
    ]


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        DeclareLaunchArgument(
            "aggregator",
            default_value="auto",
            choices=["auto", "true", "false"],
            description="Start the aggregator; auto: if it is installed.",
        ),
        DeclareLaunchArgument(
            "respawn",
            default_value="true",
            choices=["true", "false"],
            description="Start it again a second after it ends.",
        ),
        DeclareLaunchArgument(
            "log_level", default_value="info", description="Log level of the aggregator."
        ),
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the aggregator."""
    return LaunchDescription(
        [
            *declare_arguments(),
            IncludeLaunchDescription(
                PathJoinSubstitution(
                    [FindPackageShare("pqc_tunnel"), "launch", "arguments.launch.py"]
                )
            ),
            OpaqueFunction(function=start_aggregator),
        ]
    )
