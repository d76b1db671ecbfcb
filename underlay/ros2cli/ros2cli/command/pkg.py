# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 pkg list | prefix | executables."""

from __future__ import annotations

import argparse

from ament_index_python.packages import get_package_share_directory, get_packages_with_prefixes

from ..packages import executables, package_prefix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 pkg`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("list", help="list the packages")
    verb.set_defaults(main=list_packages)
    verb = verbs.add_parser("prefix", help="print the install prefix of a package")
    verb.add_argument("--share", action="store_true", help="print the share folder instead")
    verb.add_argument("package_name")
    verb.set_defaults(main=prefix)
    verb = verbs.add_parser("executables", help="list the executables of packages")
    verb.add_argument("--full-path", action="store_true", help="print paths")
    verb.add_argument("package_name", nargs="?")
    verb.set_defaults(main=list_executables)


def list_packages(args: argparse.Namespace) -> None:
    """Print the names of all packages."""
    for name in sorted(get_packages_with_prefixes()):
        print(name)


def prefix(args: argparse.Namespace) -> None:
    """Print the prefix of one package."""
    path = package_prefix(args.package_name)
    print(get_package_share_directory(args.package_name) if args.share else path)


def list_executables(args: argparse.Namespace) -> None:
    """Print the executables of one package, or of all."""
    names = [args.package_name] if args.package_name else sorted(get_packages_with_prefixes())
    for name in names:
        for path in executables(name):
            print(path if args.full_path else f"{name} {path.name}")
