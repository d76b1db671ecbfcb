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
        "-n",
        "--noninteractive",
        action="store_true",
        default=not sys.stdin.isatty(),
        help="run without a terminal",
    )
    parser.add_argument("-d", "--debug", action="store_true", help="more verbose output")
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "-p", "--print", "--print-description", action="store_true", help="print the description"
    )
    group.add_argument(
        "-s", "--show-args", "--show-arguments", action="store_true", help="print the arguments"
    )
    parser.add_argument(
        "-a",
        "--show-all-subprocesses-output",
        action="store_true",
        help="print the output of all processes",
    )
    parser.add_argument("--launch-prefix", help="command to put before all executables")
    parser.add_argument("--launch-prefix-filter", help="regular expression for those meant")
    parser.add_argument("package_name", help="package with the launch file, or path of the file")
    parser.add_argument("launch_file_name", nargs="?", help="name of the launch file")
    parser.add_argument("launch_arguments", nargs="*", help="<name>:=<value> (the last one wins)")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int | None:
    """Run, print or describe the launch file."""
    path, given = _find(args)
    if args.launch_prefix_filter is not None and args.launch_prefix is None:
        raise CommandError(
            "--launch-prefix must be specified if --launch-prefix-filter is provided"
        )
    for option in ("launch_prefix", "launch_prefix_filter"):
        if getattr(args, option) is not None:
            given.append(f"{option.replace('_', '-')}:={getattr(args, option)}")
    if args.show_all_subprocesses_output:
        os.environ["OVERRIDE_LAUNCH_PROCESS_OUTPUT"] = "both"

    import launch
    from launch.launch_description_sources import AnyLaunchDescriptionSource

    source = AnyLaunchDescriptionSource(str(path))
    if args.print or args.show_args:
        description = source.get_launch_description(launch.LaunchContext())
        if args.show_args:
            print(describe_arguments(description))
        else:
            print(launch.LaunchIntrospector().format_launch_description(description))
        return None
    arguments = parse_launch_arguments(given)
    include = launch.actions.IncludeLaunchDescription(source, launch_arguments=arguments)
    service = launch.LaunchService(argv=given, noninteractive=args.noninteractive, debug=args.debug)
    service.include_launch_description(launch.LaunchDescription([include]))
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
    """Return the declared arguments with meaning and default."""
    lines = ["Arguments (pass arguments as '<name>:=<value>'):"]
    arguments = description.get_launch_arguments()
    for argument in arguments:
        mark = "*" if argument._conditionally_included else ""
        lines += ["", f"    '{argument.name}':{mark}", f"        {argument.description}"]
        if argument.default_value is not None:
            default = " + ".join(sub.describe() for sub in argument.default_value)
            lines.append(f"        (default: {default})")
    if not arguments:
        lines += ["", "  No arguments."]
    if any(argument._conditionally_included for argument in arguments):
        lines += ["", "* argument(s) which are only used if specific conditions occur"]
    return "\n".join(lines)
