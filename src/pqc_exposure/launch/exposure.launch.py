# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The exposure check beside a tunnel; drone.launch.py and gcs.launch.py include it."""

from __future__ import annotations

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from pqc_tunnel.launch_parts import argument, is_true, node, sim_time, switch, value


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        argument("namespace", "pqc", "Namespace of the tunnel node."),
        argument(
            "params_file",
            "",
            "Parameter file of the tunnel: its ports and exposure.allow count; empty: the ports of "
            "the shipped files.",
        ),
        switch("respawn", "true", "Start the node again a second after it ends."),
        argument("log_level", "info", "Log level of the node."),
        sim_time(),
    ]


def start_node(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the node, configured by the arguments."""
    files = filter(None, [value(context, "params_file")])
    return [
        node(
            context,
            "pqc_exposure",
            "exposure_node",
            "/exposure",
            [*files, {"use_sim_time": is_true(context, "use_sim_time")}],
            name="exposure",
            namespace=LaunchConfiguration("namespace"),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the node."""
    return LaunchDescription([*declare_arguments(), OpaqueFunction(function=start_node)])
