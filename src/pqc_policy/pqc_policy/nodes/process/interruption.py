# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handles SIGINT in a node before and after rclpy does."""

from __future__ import annotations

import os
import signal

_ignored = False


def exit_on_sigint() -> None:
    """Let SIGINT end the process at once with exit code 0, until `leave_sigint_to_rclpy`."""
    signal.signal(signal.SIGINT, lambda *_: None if _ignored else os._exit(0))


def leave_sigint_to_rclpy() -> None:
    """Let SIGINT only end spinning, since an exception could interrupt any callback."""
    # rclpy also calls the handler that was installed before, so a flag disables that handler.
    global _ignored
    _ignored = True
