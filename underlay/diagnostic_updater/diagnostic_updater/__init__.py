# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of a node: tasks that report, and an updater that publishes on /diagnostics."""

from ._status import DiagnosticStatusWrapper
from ._updater import CompositeDiagnosticTask, DiagnosticTask, FunctionDiagnosticTask, Updater

__all__ = [
    "CompositeDiagnosticTask",
    "DiagnosticStatusWrapper",
    "DiagnosticTask",
    "FunctionDiagnosticTask",
    "Updater",
]
