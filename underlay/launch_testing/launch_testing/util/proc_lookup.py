# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Finding the processes that an assertion is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from launch.actions import ExecuteProcess

NO_CMD_ARGS = object()


class NoMatchingProcessException(Exception):
    """Raised if nothing is known about a process."""


class HasProcesses(Protocol):
    """Knows about processes."""

    def processes(self) -> Iterable[ExecuteProcess]:
        """Return them."""


def resolveProcesses(
    info_obj: HasProcesses,
    *,
    process: ExecuteProcess | str | None = None,
    cmd_args: str | list[str] | object | None = None,
    strict_proc_matching: bool = True,
) -> list[ExecuteProcess]:
    """Return the processes that match: an action, a part of a name, or None for all of them.

    cmd_args are arguments the command line must have, or NO_CMD_ARGS. With strict_proc_matching a
    name must match one process only. Raises NoMatchingProcessException if there is none.
    """
    known = list(info_obj.processes())
    if process is None:
        if not known:
            raise NoMatchingProcessException("No data recorded for any process")
        return known
    if isinstance(process, ExecuteProcess):
        if process not in known:
            raise NoMatchingProcessException(f"No data recorded for proc {_describe(process)}")
        return [process]
    if not isinstance(process, str):
        raise TypeError(f"proc argument must be 'ExecuteProcess' or 'str' not {type(process)}")
    matches = [
        proc
        for proc in known
        if process in proc.process_details["name"] and _has_arguments(proc, cmd_args)
    ]
    names = ", ".join(sorted(_describe(proc) for proc in known))
    if not matches:
        raise NoMatchingProcessException(
            f"Did not find any processes matching name '{process}' and args '{cmd_args}'. "
            f"Procs: {names}"
        )
    if strict_proc_matching and len(matches) > 1:
        raise Exception(
            f"Found multiple processes matching name '{process}' and cmd_args '{cmd_args}'. "
            f"Procs: {names}"
        )
    return matches


def _has_arguments(process: ExecuteProcess, cmd_args: str | list[str] | object | None) -> bool:
    arguments = process.process_details["cmd"][1:]
    if cmd_args is None:
        return True
    if cmd_args is NO_CMD_ARGS:
        return not arguments
    wanted = [cmd_args] if isinstance(cmd_args, str) else cmd_args
    return all(argument in arguments for argument in wanted)


def _describe(process: ExecuteProcess) -> str:
    details = process.process_details
    if details is None:
        return "Unknown - Process not launched yet"
    return f"{details['name']} {' '.join(details['cmd'][1:])}"
