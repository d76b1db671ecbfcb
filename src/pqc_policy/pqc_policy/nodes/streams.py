# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Standard streams of a process that was started without them."""

from __future__ import annotations

import os
import sys

_LAST_STANDARD = 2


def open_standard_streams() -> None:
    """Open closed standard streams on /dev/null, before a socket gets the number of one.

    Whatever is written to a stream would go into that socket.
    """
    # The kernel gives out the lowest number that is free.
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
