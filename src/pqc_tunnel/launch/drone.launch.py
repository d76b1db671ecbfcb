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
from launch.actions import LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue
from pqc_tunnel.launch_parts import (
    argument,
    companions,
    included,
    is_true,
    node,
    recorder_if_requested,
    shipped,
    sim_time,
    start_exposure,
    switch,
    tunnel_node,
    value,
)

# Where GeographicLib looks for the geoid of MAVROS, beside what its environment variables name.
GEOID = "egm96-5.pgm"
GEOGRAPHICLIB_FOLDERS = ("/usr/share/GeographicLib", "/usr/local/share/GeographicLib")
# Launch arguments that, if given, override the parameter file.
PARAMETER_ARGUMENTS = {"identity_dir": str, "gcs_address": str, "suite": str, "mirror_port": int}


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        argument("namespace", "pqc", "Namespace of the tunnel node."),
        argument(
            "params_file",
            shipped("drone.yaml"),
            "Parameter file of the tunnel; start from config/drone.yaml.",
        ),
        argument("identity_dir", "", "Folder with the drone's keys; empty: as in params_file."),
        argument(
            "gcs_address",
            "",
            "Host name or address of the ground station; empty: as in params_file.",
        ),
        argument("suite", "", "Id of the suite of the first handshake; empty: as in params_file."),
        switch(
            "policy",
            "true",
            "Start sensing, advisor and policy too, which change suites in flight (if pqc_policy "
            "is installed).",
        ),
        argument(
            "policy_params_file",
            shipped("policy.yaml"),
            "Parameter file of sensing, advisor and policy.",
        ),
        argument(
            "strategy",
            "",
            "static, layered, telemetry_aware, paper_2025, expert, rl or hybrid; empty: as in "
            "policy_params_file.",
        ),
        argument(
            "mirror_port",
            "",
            "UDP port of the tunnel's mirror, which sensing reads while MAVROS is silent; empty: "
            "as in params_file and policy_params_file.",
        ),
        switch(
            "mavros", "false", "Start MAVROS too, with its ground-station side behind the tunnel."
        ),
        argument(
            "fcu_url", "/dev/ttyACM0:57600", "URL at which MAVROS connects to the autopilot."
        ),
        argument(
            "gcs_url",
            "udp://127.0.0.1:14555@127.0.0.1:14590",
            "MAVROS's URL for the ground, udp://BOUND@REMOTE: REMOTE is the tunnel's "
            "plaintext_port. Without BOUND it accepts MAVLink from the whole network.",
        ),
        argument(
            "tgt_system", "1", "MAVLink system id of the vehicle (SYSID_THISMAV, MAV_SYS_ID)."
        ),
        argument("tgt_component", "1", "MAVLink component id of the autopilot."),
        argument(
            "autopilot", "apm", "Which of MAVROS's own configurations to use.", ["apm", "px4"]
        ),
        switch("respawn", "true", "Start a node again a second after it ends, MAVROS too."),
        *companions(),
        argument("log_level", "info", "Log level of the nodes, MAVROS too."),
        sim_time(),
    ]


def start_tunnel(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the tunnel node, given the arguments' values."""
    overrides: dict[str, object] = {
        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
        for name, kind in PARAMETER_ARGUMENTS.items()
        if value(context, name)
    }
    if policy_flies(context):
        overrides["expect_policy"] = True
    return [tunnel_node(context, "drone", overrides)]


def policy_flies(context: LaunchContext) -> bool:
    """Return whether the policy is wanted and installed."""
    return is_true(context, "policy") and "pqc_policy" in get_packages_with_prefixes()


def start_policy(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes that choose the suite; their launch arguments have the same names."""
    if policy_flies(context):
        return [included("policy.launch.py")]
    if is_true(context, "policy"):
        return [LogInfo(msg="No policy flies along: the package pqc_policy is not installed here.")]
    return []


def start_mavros(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return MAVROS; raise RuntimeError if it is not installed."""
    if not is_true(context, "mavros"):
        return []
    try:
        share = get_package_share_directory("mavros")
    except PackageNotFoundError:
        raise RuntimeError(
            "mavros:=true needs the package mavros, which is not installed here."
        ) from None
    autopilot = value(context, "autopilot")
    parameters = {
        "fcu_url": LaunchConfiguration("fcu_url"),
        "gcs_url": LaunchConfiguration("gcs_url"),
        "tgt_system": integer("tgt_system"),
        "tgt_component": integer("tgt_component"),
        "fcu_protocol": "v2.0",
    }
    files = [f"{share}/launch/{autopilot}_{kind}.yaml" for kind in ("pluginlists", "config")]
    return [
        *warn_of_missing_geoid(),
        node(
            context,
            "mavros",
            "mavros_node",
            "/mavros",
            [*files, parameters],
            namespace="mavros",
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


def generate_launch_description() -> LaunchDescription:
    """Describe the drone's end."""
    return LaunchDescription(
        [
            *declare_arguments(),
            included("environment.launch.py"),
            recorder_if_requested(),
            included("aggregator.launch.py"),
            OpaqueFunction(function=start_mavros),
            OpaqueFunction(function=start_tunnel),
            OpaqueFunction(function=start_policy),
            OpaqueFunction(function=start_exposure),
        ]
    )
