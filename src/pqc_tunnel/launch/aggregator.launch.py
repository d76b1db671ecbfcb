# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Group /diagnostics on /diagnostics_agg, with the package diagnostic_aggregator."""

from __future__ import annotations

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from pqc_tunnel.launch_parts import argument, included, node, shipped, switch, value

AGGREGATOR = "diagnostic_aggregator"


def start_aggregator(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the aggregator; raise RuntimeError if it is requested and not installed."""
    wanted = value(context, "aggregator")
    if wanted == "false":
        return []
    try:
        get_package_share_directory(AGGREGATOR)
    except PackageNotFoundError:
        if wanted == "auto":
            return []
        raise RuntimeError(
            f"aggregator:=true needs the package {AGGREGATOR}, which is not installed here."
        ) from None
    files = [shipped("diagnostics.yaml")]
    return [node(context, AGGREGATOR, "aggregator_node", "/aggregator", files, name="analyzers")]


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        argument(
            "aggregator",
            "auto",
            "Start the aggregator; auto: if it is installed.",
            ["auto", "true", "false"],
        ),
        switch("respawn", "true", "Start it again a second after it ends."),
        argument("log_level", "info", "Log level of the aggregator."),
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the aggregator."""
    return LaunchDescription(
        [
            *declare_arguments(),
            included("arguments.launch.py"),
            OpaqueFunction(function=start_aggregator),
        ]
    )
