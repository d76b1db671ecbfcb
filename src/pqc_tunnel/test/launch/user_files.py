# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Starting as a user does: launch files, changed parameter files, middleware profiles."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_path
from launch.actions import ExecuteProcess


def launch_end(end: str, *arguments: str) -> ExecuteProcess:
    """Return `ros2 launch` of one end."""
    return ExecuteProcess(
        cmd=["ros2", "launch", "pqc_tunnel", f"{end}.launch.py", *arguments],
        output="screen",
        sigterm_timeout="60",  # its processes may take long to end
        sigkill_timeout="20",
    )


def parameter_file(folder: Path, name: str, changes: dict[str, Any]) -> Path:
    """Return a copy of a file of config/, changed, in a folder."""
    original = get_package_share_path("pqc_tunnel") / "config" / name
    content = yaml.safe_load(original.read_text())
    # Its control sockets are those of this machine.
    content["/**/tunnel"]["ros__parameters"].update({"control_name": "", **changes})
    copy = folder / name
    copy.write_text(yaml.safe_dump(content))
    return copy


def without_packages(folder: Path, *names: str) -> str:
    """Return a value of AMENT_PREFIX_PATH without some packages: links, made in a folder."""
    index = Path("share", "ament_index", "resource_index", "packages")
    copies = []
    for number, prefix in enumerate(os.environ["AMENT_PREFIX_PATH"].split(os.pathsep)):
        copies.append(folder / str(number))
        (copies[-1] / index).mkdir(parents=True)
        for place in (*reversed(index.parents), index):
            for path in Path(prefix, place).glob("*"):
                link = copies[-1] / place / path.name
                if not link.exists() and not (place == index and path.name in names):
                    link.symlink_to(path)
    return os.pathsep.join(map(str, copies))


# Leaves the transports of Fast DDS at their defaults.
OPEN_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  <participant profile_name="open" is_default_profile="true"><rtps/></participant>
</profiles></dds>
"""


def profile_variable() -> str:
    """Return the name of the variable in which this Fast DDS looks for its profile."""
    version = "RTPS" if os.environ.get("ROS_DISTRO") == "jazzy" else "DDS"
    return f"FAST{version}_DEFAULT_PROFILES_FILE"


def open_graph(folder: Path) -> dict[str, str]:
    """Return the environment of a graph that stays on this host by its discovery range alone."""
    profile = folder / "open.xml"
    profile.write_text(OPEN_PROFILE)
    return {profile_variable(): str(profile), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


def closed_graph() -> dict[str, str]:
    """Return the environment of a graph that the shipped profile keeps on this host."""
    profile = get_package_share_path("pqc_tunnel") / "config" / "fastdds_local.xml"
    return {profile_variable(): str(profile), "ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"}
