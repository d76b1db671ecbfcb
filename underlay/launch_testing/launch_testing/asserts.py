# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Assertions about processes."""

from __future__ import annotations

from .proc_info_handler import ProcInfoHandler


def assertExitCodes(proc_info: ProcInfoHandler) -> None:
    """Assert that there was at least one process, and that all of them ended with 0."""
    if not proc_info.processes():
        raise LookupError("No data recorded for any process")
    for info in proc_info:
        assert info.returncode == 0, f"Proc {info.process_name} exited with code {info.returncode}"
