# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Opens standard streams that a process was started without."""

from __future__ import annotations

import os
import sys

_LAST_STANDARD = 2


def open_standard_streams() -> None:
    """Open closed standard streams on /dev/null.

    Otherwise a socket could get the number of a stream, and output would go into that socket.
    """
    # The kernel uses the lowest free number.
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
