# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The exposure check beside a tunnel; drone.launch.py and gcs.launch.py include it."""

from __future__ import annotations

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        DeclareLaunchArgument(
            "namespace", default_value="pqc", description="Namespace of the tunnel node."
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value="",
            description="Parameter file of the tunnel: its ports and exposure.allow count; empty: "
            "the ports of the shipped files.",
        ),
        DeclareLaunchArgument(
            "respawn",
            default_value="true",
            choices=["true", "false"],
            description="Start the node again a second after it ends.",
        ),
        DeclareLaunchArgument(
            "log_level", default_value="info", description="Log level of the node."
        ),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            choices=["true", "false"],
            description="Stamp messages with the time of /clock.",
        ),
    ]


def start_node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node, configured by the arguments."""
    file = LaunchConfiguration("params_file").perform(context)
    use_sim_time = LaunchConfiguration("use_sim_time").perform(context) == "true"
    return [
        Node(
            package="pqc_exposure",
            executable="exposure_node",
            exec_name="exposure_node",
            name="exposure",
            namespace=LaunchConfiguration("namespace"),
            parameters=[*filter(None, [file]), {"use_sim_time": use_sim_time}],
            ros_arguments=[
                *("--log-level", LaunchConfiguration("log_level")),
                *("--enclave", "/exposure"),
            ],
            respawn=LaunchConfiguration("respawn").perform(context) == "true",
            respawn_delay=1.0,
            output="screen",
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the node."""
    return LaunchDescription([*declare_arguments(), OpaqueFunction(function=start_node)])
