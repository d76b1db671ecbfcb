# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finding processes, and one that keeps a launch alive."""

import sys

from launch.actions import ExecuteProcess

from .proc_lookup import NO_CMD_ARGS, NoMatchingProcessException, resolveProcesses

__all__ = ["NO_CMD_ARGS", "KeepAliveProc", "NoMatchingProcessException", "resolveProcesses"]


def KeepAliveProc() -> ExecuteProcess:
    """Return a process that runs until it is interrupted."""
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(0))\n"
        "while True:\n"
        "    signal.pause()\n"
    )
    return ExecuteProcess(cmd=[sys.executable, "-c", code])
