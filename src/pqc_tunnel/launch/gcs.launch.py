# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The ground's end: the tunnel to one or several drones."""

from __future__ import annotations

from ament_index_python.packages import get_packages_with_prefixes
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue
from pqc_tunnel.launch_parts import (
    argument,
    companions,
    included,
    node,
    recorder_if_requested,
    shipped,
    sim_time,
    start_exposure,
    switch,
    tunnel_node,
    value,
)


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        argument(
            "namespace",
            "gcs/pqc",
            "Namespace of the tunnel node; not the drone's, as both may share a graph.",
        ),
        argument(
            "params_file",
            shipped("gcs.yaml"),
            "Parameter file of the tunnel; start from config/gcs.yaml.",
        ),
        argument(
            "identity_dir", "", "Folder with the ground station's keys; empty: as in params_file."
        ),
        switch("respawn", "true", "Start a node again a second after it ends."),
        *companions(),
        argument("log_level", "info", "Log level of the nodes."),
        sim_time(),
    ]


def start_tunnel(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the tunnel node, given the arguments' values."""
    overrides: dict[str, object] = {}
    if identity_dir := value(context, "identity_dir"):
        overrides["identity_dir"] = ParameterValue(identity_dir, value_type=str)
    return [tunnel_node(context, "gcs", overrides)]


def start_messenger(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node that publishes what drones report, if its package is installed."""
    if "pqc_policy" not in get_packages_with_prefixes():
        return []
    return [
        node(
            context,
            "pqc_policy",
            "ground_messenger_node",
            "/messenger",
            name="messenger",
            namespace=LaunchConfiguration("namespace"),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the ground's end."""
    return LaunchDescription(
        [
            *declare_arguments(),
            included("environment.launch.py"),
            recorder_if_requested(),
            included("aggregator.launch.py"),
            OpaqueFunction(function=start_tunnel),
            OpaqueFunction(function=start_messenger),
            OpaqueFunction(function=start_exposure),
        ]
    )
