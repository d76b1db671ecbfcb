# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark matrix as a launch: the same as `bench matrix`, with its options as arguments.

An empty argument means the default of `bench matrix`, or with resume:=true the value of the run.
"""

from __future__ import annotations

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage

ARGUMENTS = (
    ("suites", "paper (72, the default), extended, all, or patterns separated by commas."),
    ("scenario", "Scenarios separated by commas: baseline (the default), light, heavy."),
    ("load", "Loads separated by commas: mavlink (the default), blaster."),
    ("link", "Links separated by commas: clean (the default), installed profiles, or files."),
    ("link_seed", "Seed of emulated links (1)."),
    ("seconds", "Seconds of traffic in each cell (2)."),
    ("repeat", "Cells of each suite and condition (1)."),
    ("order_seed", "Seed of the order of the cells (a new one, kept in run.json)."),
    ("policy", "Policy: off (the default), advise (only recorded), act (flights on real nodes)."),
    ("flights", "With policy:=act: how many flights (2)."),
    ("strategy", "With policy:=act: the policy's strategy (telemetry_aware)."),
    ("out", "Folder of the run; empty: a new one with the date in its name."),
    ("sys_root", "Folder with temperatures and power as in /sys, which is the default."),
)
DETECTORS = ("light", "heavy")
SWITCHES = (
    ("resume", "Continue the run in the folder out."),
    ("retry", "With resume: run failed cells again, too."),
    ("no_speed", "Don't time the primitives first."),
)


def option(name: str) -> str:
    """Return the option of `bench matrix` that an argument stands for."""
    return f"--{name.replace('_', '-')}"


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the runner, given the arguments' values."""
    command = [ExecutableInPackage(package="pqc_bench", executable="bench"), "matrix"]
    for name, _ in ARGUMENTS:
        value = LaunchConfiguration(name).perform(context)
        command += [option(name), value] if value else []
    for scenario in DETECTORS:
        program = LaunchConfiguration(f"{scenario}_detector").perform(context)
        command += ["--detector", f"{scenario}={program}"] if program else []
    for name, _ in SWITCHES:
        if LaunchConfiguration(name).perform(context) == "true":
            command.append(option(name))
    done = Shutdown(reason="the matrix is done")
    # After an interrupt the runner abandons the current cell and waits for its launch to end.
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
                DeclareLaunchArgument(name, default_value="", description=description)
                for name, description in ARGUMENTS
            ),
            *(
                DeclareLaunchArgument(
                    f"{scenario}_detector",
                    default_value="",
                    description=f"The program of the scenario {scenario}; empty: stress-ng.",
                )
                for scenario in DETECTORS
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
