# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes every log call of rclpy, whoever's it is, one line of shown text."""

from __future__ import annotations

import os
from typing import Any

from rclpy.impl import rcutils_logger

from pqc_policy.shown_text import shown

_log = rcutils_logger.RcutilsLogger.log


def show_log() -> None:
    """Put shown() before the one method through which all loggers of the process write."""
    if rcutils_logger.RcutilsLogger.log is _log:
        # A call's place in the source is that of its caller, by which it is limited, too.
        rcutils_logger._internal_callers.append(os.path.realpath(__file__))
        rcutils_logger.RcutilsLogger.log = _shown_log


def _shown_log(self: Any, message: str, *arguments: Any, **options: Any) -> bool:
    return bool(_log(self, shown(message), *arguments, **options))
