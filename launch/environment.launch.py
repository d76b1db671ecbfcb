# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What holds for every process launched after this: its ROS graph, and when it ends.

The graph stays on this host unless the user chose otherwise; `config/local_graph.bash` does the
same for a shell, and docs/graph.md explains the variables. The processes end with the launch, also
when it is terminated or killed.
"""

from __future__ import annotations

import os
import shutil

from ament_index_python.packages import get_package_share_path
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction, SetEnvironmentVariable, SetLaunchConfiguration

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
# Jazzy has Fast DDS 2, which reads the second; Fast DDS 3 warns of it.
PROFILE = PROFILES[os.environ.get("ROS_DISTRO") == "jazzy"]
PREFIX = "launch-prefix"


def keep_graph_local(_: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return what sets the middleware's environment."""
    if os.environ.get(RANGE, "LOCALHOST") != "LOCALHOST":
        return []
    if any(os.environ.get(name) for name in PROFILES):
        return [SetEnvironmentVariable(RANGE, "LOCALHOST")]
    profile = get_package_share_path("pqc_tunnel") / "config" / "fastdds_local.xml"
    return [
        SetEnvironmentVariable(PROFILE, str(profile)),
        # With LOCALHOST, rmw_fastrtps adds a transport that is bound to every address.
        SetEnvironmentVariable(RANGE, "SYSTEM_DEFAULT"),
    ]


def end_with_launch(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return what makes the processes end with this one: launch leaves them behind on SIGTERM."""
    prefix = context.launch_configurations.get(PREFIX, "")
    if shutil.which("setpriv") is None or "--pdeathsig" in prefix:
        return []
    return [SetLaunchConfiguration(PREFIX, f"setpriv --pdeathsig TERM -- {prefix}".strip())]


def generate_launch_description() -> LaunchDescription:
    """Describe the environment of the processes launched after this."""
    return LaunchDescription(
        [OpaqueFunction(function=keep_graph_local), OpaqueFunction(function=end_with_launch)]
    )
