# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Record a namespace of the tunnel's topics and /diagnostics in a bag."""

from __future__ import annotations

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration


def start_recorder(_: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the recorder, with time to complete the bag after SIGINT."""
    try:
        get_package_prefix("ros2bag")
    except PackageNotFoundError:
        raise RuntimeError(
            "record:=true needs the package rosbag2, which is not installed here."
        ) from None
    return [
        ExecuteProcess(
            cmd=[
                "ros2",
                "bag",
                "record",
                "--regex",
                ["^/", LaunchConfiguration("namespace"), "/.*|^/diagnostics$"],
            ],
            name="record",
            cwd=LaunchConfiguration("record_dir"),
            sigterm_timeout="30",
            output="screen",
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the recorder."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "namespace",
                default_value="pqc",
                description="Namespace of the topics, without '/'.",
            ),
            DeclareLaunchArgument(
                "record_dir",
                default_value=".",
                description="Folder in which the bag's folder is created.",
            ),
            OpaqueFunction(function=start_recorder),
        ]
    )
