# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 run."""

from __future__ import annotations

import argparse
import os

from ..packages import executable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `ros2 run`."""
    parser.add_argument("package_name", help="name of the package")
    parser.add_argument("executable_name", help="name of the executable")
    parser.add_argument("argv", nargs=argparse.REMAINDER, help="arguments for the executable")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> None:
    """Become the executable, so that signals and the exit code are its own."""
    path = str(executable(args.package_name, args.executable_name))
    os.execvp(path, [path, *args.argv])
