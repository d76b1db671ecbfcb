# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""ros2 interface show."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

from ..cli import CommandError
from ..packages import package_prefix

_FIELD = re.compile(r"^([A-Za-z]\w*(?:/[A-Za-z]\w*)?)(?:\[[^\]]*\])?(?:<=\d+)?\s+[a-z]\w*")
_KINDS = ("msg", "srv", "action")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `ros2 interface`."""
    verbs = parser.add_subparsers(title="Verbs", metavar="VERB", required=True)
    verb = verbs.add_parser("show", help="print the definition of an interface")
    verb.add_argument("type", help="such as 'std_msgs/msg/String'")
    verb.set_defaults(main=show)


def show(args: argparse.Namespace) -> None:
    """Print the definition with those of its parts, each indented by a tab."""
    parts = args.type.split("/")
    if len(parts) != 3:
        raise CommandError(
            f"Invalid name '{args.type}'. Expected three parts separated by '/': PACKAGE/msg/NAME"
        )
    path = _definition(*parts)
    if path is None:
        raise CommandError(f"Unknown interface '{args.type}'")
    _print(path, "")


def _definition(*parts: str) -> Path | None:
    if len(parts) not in (2, 3):
        return None
    package, name = parts[0], parts[-1]
    kinds = parts[1:2] if len(parts) == 3 else _KINDS
    package_prefix(package)
    share = Path(get_package_share_directory(package))
    paths = (share / kind / f"{name}.{kind}" for kind in kinds)
    return next((path for path in paths if path.is_file()), None)


def _print(path: Path, indent: str) -> None:
    package = path.parent.parent.name
    for line in path.read_text(encoding="utf-8").splitlines():
        if indent:  # only the interface itself keeps its comments
            line = line.partition("#")[0].rstrip()
            if not line:
                continue
        print(f"{indent}{line}")
        match = _FIELD.match(line)
        if (match and match[1][0].isupper()) or (match and "/" in match[1]):
            parts = match[1].split("/")
            inner = _definition(*parts) if len(parts) == 2 else _definition(package, "msg", *parts)
            if inner is not None:
                _print(inner, f"{indent}\t")
