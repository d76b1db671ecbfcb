# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files as child processes: the command, the tunnel nodes, the cause of an early end."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

from pqc_testing.child import descendants, name_of

# The namespace of the node of each end, and the program of the node.
NAMESPACES = {"drone": "pqc", "gcs": "gcs/pqc"}
NODE = "tunnel_node"
# The output of a process; launch puts "[name-1] " in front.
_OUTPUT = re.compile(r"^\[(?P<program>[\w.]+)-\d+\] (?P<text>.+)$")
_LOGGED = re.compile(r"^\[(?P<level>FATAL|ERROR)\] \[[\d.]+\] \[[^\]]*\]: (?P<text>.+)$")
_DIED = re.compile(
    r"^\[ERROR\] \[(?P<program>[\w.]+)-\d+\]: process has died .*exit code (?P<code>-?\d+)"
)
_REJECTED = re.compile(r"^(?:\[ERROR\] \[launch\]: )?Caught exception in launch.*?: (?P<text>.+)$")


def launch_command(package: str, file: str, arguments: Mapping[str, object]) -> list[str]:
    """Return the command that launches a file of a package."""
    words = [f"{name}:={value}" for name, value in arguments.items()]
    return ["ros2", "launch", package, file, *words]


def tunnel_nodes(launch_pid: int) -> dict[str, int]:
    """Return the process ids of the tunnel nodes that a launch has started, by end."""
    found: dict[str, int] = {}
    for pid in descendants(launch_pid):
        if name_of(pid) != NODE:
            continue
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            found |= {end: pid for end, name in NAMESPACES.items() if f"__ns:=/{name}" in words}
    return found


def explain(lines: list[str]) -> str:
    """Return the cause of an early end, given the output of a launch."""
    words = [line for line in lines if line.strip()]
    ended = f"the launch ended early: {words[-1] if words else 'no output'}"
    return failure_in(lines) or ended


def failure_in(lines: list[str]) -> str:
    """Return the last message of the first process that failed; empty if none has."""
    messages: dict[str, str] = {}
    dead: re.Match[str] | None = None
    for line in lines:
        died, rejected, output = _DIED.match(line), _REJECTED.match(line), _OUTPUT.match(line)
        if died is not None:
            # A process that was killed (-9) says less than one that failed by itself.
            dead = died if dead is None or dead["code"] == "-9" else dead
        elif rejected is not None and dead is None:
            return rejected["text"]
        elif output is not None:
            # Launch may log the output of a process after its end.
            _remember(messages, output["program"], output["text"])
    if dead is None:
        return ""
    program = dead["program"]
    return f"{program} failed: " + messages.get(program, f"exit code {dead['code']}")


def _remember(messages: dict[str, str], program: str, text: str) -> None:
    logged = _LOGGED.match(text)
    if logged is not None:
        messages[program] = logged["text"]
    elif not text.startswith("["):
        messages[program] = text.removeprefix(f"{program}: ")
