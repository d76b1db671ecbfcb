# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Record a namespace of the tunnel's topics and /diagnostics in a bag."""

from __future__ import annotations

import os
import tempfile

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from pqc_tunnel.launch_parts import argument, included, value

LEAST_FREE_BYTES = 16 << 20  # so that a bag can be completed, too


def check_folder(folder: str) -> None:
    """Raise RuntimeError if no bag can be written below a folder."""
    fault = ""
    try:
        with tempfile.NamedTemporaryFile(prefix=".record-", dir=folder):
            disk = os.statvfs(folder)
    except OSError as error:
        fault = error.strerror or str(error)
    else:
        # Some file systems don't report their size.
        free = disk.f_bavail * disk.f_frsize
        if disk.f_blocks and free < LEAST_FREE_BYTES:
            fault = f"only {free >> 10} KiB are free"
    if fault:
        raise RuntimeError(f"record_dir: no bag can be written in '{folder}': {fault}.")


def start_recorder(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the recorder, with time to complete the bag after SIGINT."""
    try:
        get_package_prefix("ros2bag")
    except PackageNotFoundError:
        raise RuntimeError(
            "record:=true needs the package rosbag2, which is not installed here."
        ) from None
    check_folder(value(context, "record_dir"))
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
            additional_env={"ROS_SECURITY_ENCLAVE_OVERRIDE": "/recorder"},
            sigterm_timeout="30",
            output="screen",
        )
    ]


def declare_arguments() -> list[LaunchDescriptionEntity]:
    """Return the arguments of this launch file."""
    return [
        argument("namespace", "pqc", "Namespace of the topics, without '/'."),
        argument("record_dir", ".", "Folder in which the bag's folder is created."),
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe the recorder."""
    return LaunchDescription(
        [
            *declare_arguments(),
            included("arguments.launch.py"),
            OpaqueFunction(function=start_recorder),
        ]
    )
