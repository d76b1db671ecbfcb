# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 run."""

from __future__ import annotations

import argparse
import os
import shlex

from ..packages import executable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ros2 run`."""
    parser.add_argument("--prefix", default="", help="command to put before the executable")
    parser.add_argument("package_name", help="name of the package")
    parser.add_argument("executable_name", help="name of the executable")
    parser.add_argument("argv", nargs=argparse.REMAINDER, help="arguments for the executable")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> None:
    """Become the executable, so that signals and the exit code are its own."""
    path = str(executable(args.package_name, args.executable_name))
    command = [*shlex.split(args.prefix), path, *args.argv]
    os.execvp(command[0], command)
