# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Return codes."""

from __future__ import annotations

from collections.abc import Sequence

from launch.actions import ExecuteProcess

from ..proc_info_handler import ProcInfoHandler
from ..util.proc_lookup import resolveProcesses

EXIT_OK = 0
EXIT_SIGINT = 130
EXIT_SIGQUIT = 131
EXIT_SIGKILL = 137
EXIT_SIGSEGV = 139


def assertExitCodes(
    proc_info: ProcInfoHandler,
    allowable_exit_codes: Sequence[int] = (EXIT_OK,),
    process: ExecuteProcess | str | None = None,
    cmd_args: str | list[str] | object | None = None,
    *,
    strict_proc_matching: bool = True,
) -> None:
    """Assert that the processes (all of them by default) ended with one of the codes."""
    for code in allowable_exit_codes:
        assert isinstance(code, int), f"Provided exit code {code} is not an int"
    for action in resolveProcesses(
        proc_info,
        process=process,
        cmd_args=cmd_args,
        strict_proc_matching=strict_proc_matching,
    ):
        info = proc_info[action]
        assert info.returncode in allowable_exit_codes, (
            f"Proc {info.process_name} exited with code {info.returncode}"
        )
