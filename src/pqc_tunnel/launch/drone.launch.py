# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's end: the tunnel, the policy that chooses its suite and, if requested, MAVROS."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_share_directory,
    get_packages_with_prefixes,
)
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
)
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

# Where GeographicLib looks for the geoid of MAVROS, beside what its environment variables name.
GEOID = "egm96-5.pgm"
GEOGRAPHICLIB_FOLDERS = ("/usr/share/GeographicLib", "/usr/local/share/GeographicLib")
# Launch arguments that, if given, override the parameter file.
PARAMETER_ARGUMENTS = {"identity_dir": str, "gcs_address": str, "suite": str, "mirror_port": int}


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        DeclareLaunchArgument(
            "namespace", default_value="pqc", description="Namespace of the tunnel node."
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value=PathJoinSubstitution(
                [FindPackageShare("pqc_tunnel"), "config", "drone.yaml"]
            ),
            description="Parameter file of the tunnel; start from config/drone.yaml.",
        ),
        DeclareLaunchArgument(
            "identity_dir",
            default_value="",
            description="Folder with the drone's keys; empty: as in params_file.",
        ),
        DeclareLaunchArgument(
            "gcs_address",
            default_value="",
            description="Host name or address of the ground station; empty: as in params_file.",
        ),
        DeclareLaunchArgument(
            "suite",
            default_value="",
            description="Id of the suite of the first handshake; empty: as in params_file.",
        ),
        DeclareLaunchArgument(
            "policy",
            default_value="true",
            choices=["true", "false"],
            description="Start sensing, advisor and policy too, which change suites in flight "
            "(if pqc_policy is installed).",
        ),
        DeclareLaunchArgument(
            "policy_params_file",
            default_value=PathJoinSubstitution(
                [FindPackageShare("pqc_tunnel"), "config", "policy.yaml"]
            ),
            description="Parameter file of sensing, advisor and policy.",
        ),
        DeclareLaunchArgument(
            "strategy",
            default_value="",
            description="static, layered, telemetry_aware, paper_2025, expert, rl or hybrid; "
            "empty: as in policy_params_file.",
        ),
        DeclareLaunchArgument(
            "mirror_port",
            default_value="",
            description="UDP port of the tunnel's mirror, which sensing reads while MAVROS is "
            "silent; empty: as in params_file and policy_params_file.",
        ),
        DeclareLaunchArgument(
            "mavros",
            default_value="false",
            choices=["true", "false"],
            description="Start MAVROS too, with its ground-station side behind the tunnel.",
        ),
        DeclareLaunchArgument(
            "fcu_url",
            default_value="/dev/ttyACM0:57600",
            description="URL at which MAVROS connects to the autopilot.",
        ),
        DeclareLaunchArgument(
            "gcs_url",
            default_value="udp://127.0.0.1:14555@127.0.0.1:14590",
            description="MAVROS's URL for the ground, udp://BOUND@REMOTE: REMOTE is the tunnel's "
            "plaintext_port. Without BOUND it accepts MAVLink from the whole network.",
        ),
        DeclareLaunchArgument(
            "tgt_system",
            default_value="1",
            description="MAVLink system id of the vehicle (SYSID_THISMAV, MAV_SYS_ID).",
        ),
        DeclareLaunchArgument(
            "tgt_component",
            default_value="1",
            description="MAVLink component id of the autopilot.",
        ),
        DeclareLaunchArgument(
            "autopilot",
            default_value="apm",
            choices=["apm", "px4"],
            description="Which of MAVROS's own configurations to use.",
        ),
        DeclareLaunchArgument(
            "respawn",
            default_value="true",
            choices=["true", "false"],
            description="Start a node again a second after it ends, MAVROS too.",
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
            "log_level", default_value="info", description="Log level of the nodes, MAVROS too."
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
    overrides = {
        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
        for name, kind in PARAMETER_ARGUMENTS.items()
        if LaunchConfiguration(name).perform(context)
    }
    use_sim_time = LaunchConfiguration("use_sim_time").perform(context) == "true"
    if policy_flies(context):
        overrides["expect_policy"] = True
    tunnel = Node(
        package="pqc_tunnel",
        executable="tunnel_node",
        exec_name="tunnel_node",  # not that of the prefix which environment.launch.py sets
        name="tunnel",
        namespace=LaunchConfiguration("namespace"),
        parameters=[
            LaunchConfiguration("params_file"),
            {"role": "drone", "use_sim_time": use_sim_time, **overrides},
        ],
        ros_arguments=[
            *("--log-level", LaunchConfiguration("log_level")),
            *("--enclave", "/tunnel"),
        ],
        respawn=LaunchConfiguration("respawn").perform(context) == "true",
        respawn_delay=1.0,
        output="screen",
    )
    return [tunnel]


def policy_flies(context: LaunchContext) -> bool:
    """Return whether the policy is wanted and installed."""
    wanted = LaunchConfiguration("policy").perform(context) == "true"
    return wanted and "pqc_policy" in get_packages_with_prefixes()


def start_policy(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes that choose the suite; their launch arguments have the same names."""
    if policy_flies(context):
        return [
            IncludeLaunchDescription(
                PathJoinSubstitution([FindPackageShare("pqc_tunnel"), "launch", "policy.launch.py"])
            )
        ]
    if LaunchConfiguration("policy").perform(context) == "true":
        return [LogInfo(msg="No policy flies along: the package pqc_policy is not installed here.")]
    return []


def start_exposure(_: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the exposure check, if its package is installed."""
    if "pqc_exposure" not in get_packages_with_prefixes():
        return []
    file = [FindPackageShare("pqc_exposure"), "launch", "exposure.launch.py"]
    return [IncludeLaunchDescription(PathJoinSubstitution(file))]


def start_mavros(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return MAVROS; raise RuntimeError if it is not installed."""
    if LaunchConfiguration("mavros").perform(context) != "true":
        return []
    try:
        share = get_package_share_directory("mavros")
    except PackageNotFoundError:
        raise RuntimeError(
            "mavros:=true needs the package mavros, which is not installed here."
        ) from None
    autopilot = LaunchConfiguration("autopilot").perform(context)
    return [
        *warn_of_missing_geoid(),
        Node(
            package="mavros",
            executable="mavros_node",
            exec_name="mavros_node",
            namespace="mavros",
            parameters=[
                f"{share}/launch/{autopilot}_pluginlists.yaml",
                f"{share}/launch/{autopilot}_config.yaml",
                {
                    "fcu_url": LaunchConfiguration("fcu_url"),
                    "gcs_url": LaunchConfiguration("gcs_url"),
                    "tgt_system": integer("tgt_system"),
                    "tgt_component": integer("tgt_component"),
                    "fcu_protocol": "v2.0",
                },
            ],
            ros_arguments=[
                *("--log-level", LaunchConfiguration("log_level")),
                *("--enclave", "/mavros"),
            ],
            respawn=LaunchConfiguration("respawn").perform(context) == "true",
            respawn_delay=1.0,
            output="screen",
        ),
    ]


def integer(argument: str) -> ParameterValue:
    """Return the whole number that a launch argument holds."""
    return ParameterValue(LaunchConfiguration(argument), value_type=int)


def warn_of_missing_geoid() -> list[LaunchDescriptionEntity]:
    """Return a warning if the geoid is missing, without which MAVROS aborts."""
    data = os.environ.get("GEOGRAPHICLIB_DATA")
    folders = [
        os.environ.get("GEOGRAPHICLIB_GEOID_PATH"),
        *(f"{folder}/geoids" for folder in (data, *GEOGRAPHICLIB_FOLDERS) if folder),
    ]
    if any(folder and Path(folder, GEOID).exists() for folder in folders):
        return []
    return [
        LogInfo(
            msg=f"MAVROS needs the geoid {GEOID} and aborts without it: run "
            "'ros2 run mavros install_geographiclib_datasets.sh' as root."
        )
    ]


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
    """Describe the drone's end."""
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
            OpaqueFunction(function=start_mavros),
            OpaqueFunction(function=start_tunnel),
            OpaqueFunction(function=start_policy),
            OpaqueFunction(function=start_exposure),
        ]
    )
