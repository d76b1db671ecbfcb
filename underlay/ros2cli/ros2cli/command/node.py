# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 node list."""

from __future__ import annotations

import argparse
import sys

from ..graph import add_discovery_arguments, discover, node_names, ros_node


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 node`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("list", help="list the nodes")
    add_discovery_arguments(verb)
    verb.set_defaults(main=list_nodes)


def list_nodes(args: argparse.Namespace) -> None:
    with ros_node() as node:
        discover(node, args.spin_time)
        names = sorted(name.full_name for name in node_names(node))
    if len(set(names)) < len(names):
        print(
            "WARNING: Be aware that there are nodes in the graph that share an exact name, "
            "which can have unintended side effects.",
            file=sys.stderr,
        )
    for name in names:
        print(name)
