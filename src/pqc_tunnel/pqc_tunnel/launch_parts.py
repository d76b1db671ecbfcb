# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What launch files share: their arguments, nodes, and the files that they include."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchContext, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "pqc_tunnel"


def argument(
    name: str, default: Any, description: str, choices: list[str] | None = None
) -> DeclareLaunchArgument:
    """Return an argument of a launch file."""
    return DeclareLaunchArgument(
        name, default_value=default, description=description, choices=choices
    )


def switch(name: str, default: str, description: str) -> DeclareLaunchArgument:
    """Return an argument that is true or false."""
    return argument(name, default, description, ["true", "false"])


def shipped(file: str) -> PathJoinSubstitution:
    """Return a file of the folder config."""
    return PathJoinSubstitution([FindPackageShare(PACKAGE), "config", file])


def companions() -> list[DeclareLaunchArgument]:
    """Return the arguments of the recorder and of the aggregator beside an end."""
    return [
        switch(
            "record",
            "false",
            "Record the tunnel's topics and /diagnostics in a bag (needs rosbag2).",
        ),
        argument("record_dir", ".", "Folder in which the bag's folder is created."),
        argument(
            "aggregator",
            "auto",
            "Group /diagnostics on /diagnostics_agg with the package diagnostic_aggregator; "
            "auto: if it is installed.",
            ["auto", "true", "false"],
        ),
    ]


def sim_time() -> DeclareLaunchArgument:
    """Return the argument use_sim_time."""
    return switch("use_sim_time", "false", "Stamp messages with the time of /clock.")


def value(context: LaunchContext, name: str) -> str:
    """Return the value of an argument."""
    return LaunchConfiguration(name).perform(context)


def is_true(context: LaunchContext, name: str) -> bool:
    """Return whether an argument is true."""
    return value(context, name) == "true"


def node(
    context: LaunchContext,
    package: str,
    program: str,
    enclave: str,
    parameters: Iterable[Any] = (),
    **options: Any,
) -> Node:
    """Return a node that the arguments log_level and respawn are for."""
    return Node(
        package=package,
        executable=program,
        exec_name=program,  # not that of the prefix which environment.launch.py sets
        parameters=[*parameters],
        ros_arguments=["--log-level", value(context, "log_level"), "--enclave", enclave],
        respawn=is_true(context, "respawn"),
        respawn_delay=1.0,
        output="screen",
        **options,
    )


def tunnel_node(context: LaunchContext, role: str, parameters: Mapping[str, Any]) -> Node:
    """Return the tunnel of an end; `parameters` take precedence over those of params_file."""
    given = {"role": role, "use_sim_time": is_true(context, "use_sim_time"), **parameters}
    return node(
        context,
        PACKAGE,
        "tunnel_node",
        "/tunnel",
        [LaunchConfiguration("params_file"), given],
        name="tunnel",
        namespace=LaunchConfiguration("namespace"),
    )


def included(file: str, package: str = PACKAGE, **options: Any) -> IncludeLaunchDescription:
    """Return a launch file; its arguments have the values of those with the same names."""
    path = PathJoinSubstitution([FindPackageShare(package), "launch", file])
    return IncludeLaunchDescription(path, **options)


def recorder_if_requested() -> IncludeLaunchDescription:
    """Return the recorder, which starts if the argument record is true."""
    return included("record.launch.py", condition=IfCondition(LaunchConfiguration("record")))


def start_exposure(_: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the exposure check, if its package is installed."""
    if "pqc_exposure" not in get_packages_with_prefixes():
        return []
    return [included("exposure.launch.py", "pqc_exposure")]
