# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""How the sensing node says on /diagnostics that an input of the policy is missing, and why."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper

_INPUT = "missing input"
_NODE = "node"


def report_missing(status: DiagnosticStatusWrapper, name: str, why: str) -> DiagnosticStatusWrapper:
    """Fill in a warning; `name` is that of the policy's input, `why` a sentence without its end."""
    status.summary(DiagnosticStatus.WARN, why[0].upper() + why[1:])
    status.add(_INPUT, name)
    return status


def signed(status: DiagnosticStatusWrapper, node: str) -> DiagnosticStatusWrapper:
    """Add the node's full name, which tells the drones of one graph apart."""
    status.add(_NODE, node)
    return status


def reasons_in(array: DiagnosticArray, namespace: str) -> Mapping[str, str] | None:
    """Return why which inputs are missing; None for an array of anyone else."""
    prefix, reasons = f"{namespace.rstrip('/')}/", None
    for status in array.status:
        values = {entry.key: entry.value for entry in status.values}
        if values.get(_NODE, "").rpartition("/")[0] + "/" != prefix:
            continue
        reasons = {} if reasons is None else reasons
        if _INPUT in values:
            reasons[values[_INPUT]] = status.message
    return reasons
