# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 pkg prefix."""

from __future__ import annotations

import argparse

from ament_index_python.packages import get_package_share_directory

from ..packages import package_prefix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 pkg`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("prefix", help="print the install prefix of a package")
    verb.add_argument("--share", action="store_true", help="print the share folder instead")
    verb.add_argument("package_name")
    verb.set_defaults(main=prefix)


def prefix(args: argparse.Namespace) -> None:
    path = package_prefix(args.package_name)
    print(get_package_share_directory(args.package_name) if args.share else path)
