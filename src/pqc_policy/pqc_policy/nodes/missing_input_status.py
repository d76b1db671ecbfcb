# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The entry for a missing input on /diagnostics; sensing writes it, the policy reads it."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper

_INPUT = "missing input"
_NODE = "node"


def report_missing(status: DiagnosticStatusWrapper, name: str, why: str) -> DiagnosticStatusWrapper:
    """Fill in a warning: the policy's input `name` is missing, for the reason `why`."""
    status.summary(DiagnosticStatus.WARN, why[0].upper() + why[1:])
    status.add(_INPUT, name)
    return status


def add_node_name(status: DiagnosticStatusWrapper, node: str) -> DiagnosticStatusWrapper:
    """Add the node's full name, which distinguishes the drones of one graph."""
    status.add(_NODE, node)
    return status


def reasons_in(array: DiagnosticArray, namespace: str) -> Mapping[str, str] | None:
    """Return the reason for each missing input; None for an array from another namespace."""
    prefix, reasons = f"{namespace.rstrip('/')}/", None
    for status in array.status:
        values = {entry.key: entry.value for entry in status.values}
        if values.get(_NODE, "").rpartition("/")[0] + "/" != prefix:
            continue
        reasons = {} if reasons is None else reasons
        if _INPUT in values:
            reasons[values[_INPUT]] = status.message
    return reasons
