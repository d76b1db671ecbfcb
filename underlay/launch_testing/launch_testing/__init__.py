# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that look at processes which a launch description starts."""

from .decorators import parametrize, post_shutdown_test, ready_to_test_action_timeout
from .io_handler import ActiveIoHandler, IoHandler
from .proc_info_handler import ActiveProcInfoHandler, ProcInfoHandler

__all__ = [
    "ActiveIoHandler",
    "ActiveProcInfoHandler",
    "IoHandler",
    "ProcInfoHandler",
    "parametrize",
    "post_shutdown_test",
    "ready_to_test_action_timeout",
]
