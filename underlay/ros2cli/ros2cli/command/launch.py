# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 launch."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ..cli import CommandError
from ..packages import share_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ros2 launch`."""
    parser.add_argument(
        "-s", "--show-args", "--show-arguments", action="store_true", help="print the arguments"
    )
    parser.add_argument("package_name", help="package with the launch file, or path of the file")
    parser.add_argument("launch_file_name", nargs="?", help="name of the launch file")
    parser.add_argument("launch_arguments", nargs="*", help="<name>:=<value> (the last one wins)")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int | None:
    """Run or describe the launch file."""
    path, given = _find(args)
    # This import is slow; other commands do not need it.
    from launch import LaunchContext, LaunchDescription, LaunchDescriptionSource, LaunchService
    from launch.actions import IncludeLaunchDescription

    source = LaunchDescriptionSource(location=str(path))
    if args.show_args:
        print(describe_arguments(source.get_launch_description(LaunchContext())))
        return None
    include = IncludeLaunchDescription(source, launch_arguments=parse_launch_arguments(given))
    service = LaunchService(noninteractive=not sys.stdin.isatty())
    service.include_launch_description(LaunchDescription([include]))
    return service.run()


def _find(args: argparse.Namespace) -> tuple[Path, list[str]]:
    given = list(args.launch_arguments)
    if os.path.isfile(args.package_name):
        if args.launch_file_name is not None:
            given.insert(0, args.launch_file_name)
        return Path(args.package_name), given
    if args.launch_file_name is None:
        raise CommandError(f"there is no launch file '{args.package_name}'")
    return share_file(args.package_name, args.launch_file_name), given


def parse_launch_arguments(arguments: list[str]) -> list[tuple[str, str]]:
    """Return (name, value) pairs; CommandError for anything but '<name>:=<value>'."""
    values: dict[str, str] = {}
    for argument in arguments:
        name, separator, value = argument.partition(":=")
        if not name or not separator or not value:
            raise CommandError(
                f"malformed launch argument '{argument}', expected format '<name>:=<value>'"
            )
        values[name] = value
    return list(values.items())


def describe_arguments(description) -> str:
    """Return the declared arguments with description and default."""
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    arguments = description.declared_arguments()
    for argument, conditional, _ in arguments:
        mark = "*" if conditional else ""
        lines += ["", f"    '{argument.name}':{mark}", f"        {argument.description}"]
        if argument.default_value is not None:
            lines.append(f"        (default: {argument.default_value.describe()})")
    if not arguments:
        lines += ["", "  No arguments."]
    if any(conditional for _, conditional, _ in arguments):
        lines += ["", "* argument(s) which are only used if specific conditions occur"]
    return "\n".join(lines)
