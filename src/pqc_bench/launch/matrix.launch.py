# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark matrix as a launch: the same as `bench matrix`, with its options as arguments.

An empty argument means the default of `bench matrix`, or with resume:=true the value of the run.
"""

from __future__ import annotations

import argparse

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage
from pqc_bench.matrix.command import configure

# An option that may be repeated, with an argument for each scenario that it may name.
DETECTOR = "detector"
LOADED = ("light", "heavy")


def options() -> list[argparse.Action]:
    """Return the options of `bench matrix`, but for the detectors."""
    parser = argparse.ArgumentParser(add_help=False)
    configure(parser)
    return [action for action in parser._actions if action.dest != DETECTOR]


def declared(option: argparse.Action) -> DeclareLaunchArgument:
    """Return the argument that stands for an option; a switch is true or false."""
    if option.nargs == 0:
        values = {"default_value": "false", "choices": ["true", "false"]}
    else:
        values = {"default_value": ""}
    return DeclareLaunchArgument(option.dest, description=str(option.help), **values)


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the runner, given the arguments' values."""

    def value(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    command = [ExecutableInPackage(package="pqc_bench", executable="bench"), "matrix"]
    for option in options():
        given = value(option.dest)
        if option.nargs == 0:
            command += option.option_strings if given == "true" else []
        elif given:
            command += [option.option_strings[0], given]
    for scenario in LOADED:
        if program := value(f"{scenario}_{DETECTOR}"):
            command += [f"--{DETECTOR}", f"{scenario}={program}"]
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
            *map(declared, options()),
            *(
                DeclareLaunchArgument(
                    f"{scenario}_{DETECTOR}",
                    default_value="",
                    description=f"The program of the scenario {scenario}; empty: stress-ng.",
                )
                for scenario in LOADED
            ),
            OpaqueFunction(function=start),
        ]
    )
