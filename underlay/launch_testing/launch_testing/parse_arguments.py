# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launch arguments on the command line."""

from __future__ import annotations


def parse_launch_arguments(launch_arguments: list[str]) -> list[tuple[str, str]]:
    """Return (name, value) pairs; RuntimeError for anything but '<name>:=<value>'."""
    values: dict[str, str] = {}
    for argument in launch_arguments:
        name, separator, value = argument.partition(":=")
        if not name or not separator or not value:
            raise RuntimeError(
                f"malformed launch argument '{argument}', expected format '<name>:=<value>'"
            )
        values[name] = value
    return list(values.items())
