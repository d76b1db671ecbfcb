# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark matrix as a launch: the same as `bench matrix`, with its options as arguments."""

from __future__ import annotations

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage

ARGUMENTS = (
    ("suites", "paper", "Suites: paper (72), extended, all, or patterns separated by commas."),
    ("scenario", "baseline", "Scenarios separated by commas: baseline, light, heavy."),
    ("load", "mavlink", "Loads separated by commas: mavlink, blaster."),
    ("link", "clean", "Links separated by commas: clean, or profiles of config/links."),
    ("seconds", "2", "Seconds of traffic in each cell."),
    ("policy", "off", "Who decides over the suite: off (nobody) or advise (for the record)."),
    ("out", "", "Folder of the run; empty: a new one with the date in its name."),
)
SWITCHES = (
    ("resume", "Go on with the run in the folder out."),
    ("retry", "With resume: run failed cells once more, too."),
    ("no_speed", "Don't time the primitives first."),
)


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the runner, given the arguments' values."""
    command = [ExecutableInPackage(package="pqc_bench", executable="bench"), "matrix"]
    for name, _, _ in ARGUMENTS:
        value = LaunchConfiguration(name).perform(context)
        command += [f"--{name}", value] if value else []
    for name, _ in SWITCHES:
        if LaunchConfiguration(name).perform(context) == "true":
            command.append(f"--{name.replace('_', '-')}")
    done = Shutdown(reason="the matrix is done")
    # It finishes the cell under way, which a slow signature may make long.
    return [
        ExecuteProcess(
            cmd=command, name="matrix", output="screen", sigterm_timeout="60", on_exit=done
        )
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe a run of the matrix."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            *(
                DeclareLaunchArgument(
                    name, default_value="false", choices=["true", "false"], description=description
                )
                for name, description in SWITCHES
            ),
            OpaqueFunction(function=start),
        ]
    )
