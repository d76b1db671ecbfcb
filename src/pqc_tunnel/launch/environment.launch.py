# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of every process launched after this: its ROS graph, and when it ends.

It checks the arguments of the launch file that includes it, too.

The graph stays on this host unless the user chose otherwise; `config/local_graph.bash` does the
same for a shell, and docs/graph.md explains the variables. The processes end with the launch, even
if it is terminated or killed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from functools import partial

from ament_index_python.packages import get_package_share_path
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from pqc_tunnel.launch_parts import included

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
# For each middleware: the variables in which a user chooses a configuration.
FAST_DDS = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
CYCLONE_DDS = ("CYCLONEDDS_URI",)
ZENOH = ("ZENOH_CONFIG_OVERRIDE", "ZENOH_SESSION_CONFIG_URI", "ZENOH_ROUTER_CONFIG_URI")
ZENOH_OVERRIDE = (
    'listen/endpoints={router:["tcp/127.0.0.1:7447"],peer:["tcp/127.0.0.1:0"]};'
    'connect/endpoints={peer:["tcp/127.0.0.1:7447"]};scouting/multicast/enabled=false'
)
PREFIX = "launch-prefix"
PARAMETER_FILES = ("params_file", "policy_params_file")  # launch arguments
MISCONFIGURED = 2  # exit code of our nodes
LAST_PORT = 65535
NODES_BESIDE_THE_TUNNEL = {
    "advisor_node",
    "drone_messenger_node",
    "drone_nodes",
    "exposure_node",
    "ground_messenger_node",
    "policy_node",
    "sensing_node",
}


def local_graph(given: Mapping[str, str], config: str) -> dict[str, str]:
    """Return the variables to set where `given` is the environment and `config` our folder."""
    if given.get(RANGE, "LOCALHOST") != "LOCALHOST":
        return {}
    # For every middleware, because the user may change it later in the same shell.
    variables = {}
    if not any(given.get(name) for name in FAST_DDS):
        # Jazzy has Fast DDS 2, which reads the second; Fast DDS 3 warns of it.
        name = FAST_DDS[given.get("ROS_DISTRO") == "jazzy"]
        variables[name] = f"{config}/fastdds_local.xml"
    if not any(given.get(name) for name in CYCLONE_DDS):
        variables["CYCLONEDDS_URI"] = f"file://{config}/cyclonedds_local.xml"
    if not any(given.get(name) for name in ZENOH):
        variables["ZENOH_CONFIG_OVERRIDE"] = ZENOH_OVERRIDE
    # With LOCALHOST, rmw_fastrtps adds a transport that is bound to every address.
    dds = ("rmw_fastrtps_cpp", *FAST_DDS), ("rmw_cyclonedds_cpp", *CYCLONE_DDS)
    middleware = given.get("RMW_IMPLEMENTATION") or "rmw_fastrtps_cpp"
    closed = any(middleware == name and variables.keys() & ours for name, *ours in dds)
    return {**variables, RANGE: "SYSTEM_DEFAULT" if closed else "LOCALHOST"}


def require_parameter_files(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Raise RuntimeError for a parameter file that can't be read: nodes would take defaults."""
    for argument in PARAMETER_FILES:
        name = context.launch_configurations.get(argument, "")
        if name and not os.access(name, os.R_OK):
            raise RuntimeError(f"{argument}: the file {name} can't be read.")
    return []


def keep_graph_local(_: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return what sets the middleware's environment."""
    config = get_package_share_path("pqc_tunnel") / "config"
    variables = local_graph(os.environ, str(config))
    return [SetEnvironmentVariable(name, value) for name, value in variables.items()]


def end_with_launch(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return what makes the processes end with this one: launch leaves them behind on SIGTERM."""
    prefix = context.launch_configurations.get(PREFIX, "")
    if shutil.which("setpriv") is None or "--pdeathsig" in prefix:
        return []
    return [SetLaunchConfiguration(PREFIX, f"setpriv --pdeathsig TERM -- {prefix}".strip())]


def require_port(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Raise RuntimeError if the launch argument mirror_port is given and no port."""
    port = context.launch_configurations.get("mirror_port", "")
    if port and not (port.isdecimal() and int(port) <= LAST_PORT):
        raise RuntimeError(
            f"mirror_port is '{port}', but must be a UDP port from 0 to {LAST_PORT}."
        )
    return []


def fail_if_misconfigured(ended_before: set[str], event: ProcessExited, _: LaunchContext) -> None:
    """End the launch if a node rejects its parameters or keys: a restart would fail, too.

    Another node than the tunnel that did run and fails as it starts again does not end it.
    """
    # A process's name is its exec_name and a number.
    name = event.process_name.rpartition("-")[0]
    if event.returncode == MISCONFIGURED and name == "tunnel_node":
        raise RuntimeError("the tunnel can't start with its parameters and keys.")
    if event.returncode == MISCONFIGURED and name in NODES_BESIDE_THE_TUNNEL - ended_before:
        raise RuntimeError(f"{name} can't start with its parameters.")
    ended_before.add(name)


def generate_launch_description() -> LaunchDescription:
    """Describe the environment of the processes launched after this."""
    return LaunchDescription(
        [
            included("arguments.launch.py"),
            OpaqueFunction(function=require_parameter_files),
            OpaqueFunction(function=require_port),
            OpaqueFunction(function=keep_graph_local),
            OpaqueFunction(function=end_with_launch),
            RegisterEventHandler(OnProcessExit(on_exit=partial(fail_if_misconfigured, set()))),
        ]
    )
