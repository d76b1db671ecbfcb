# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A process that keeps a launch alive."""

import sys

from launch.actions import ExecuteProcess


def KeepAliveProc() -> ExecuteProcess:
    """Return a process that runs until it is interrupted."""
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(0))\n"
        "while True:\n"
        "    signal.pause()\n"
    )
    return ExecuteProcess(cmd=[sys.executable, "-c", code])
