# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files as commands: how one is started, which nodes it has, and why it ended early."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

from pqc_sim.processes.child import descendants, name_of

# The namespace of each end's node, and the node's program.
NAMESPACES = {"drone": "pqc", "gcs": "gcs/pqc"}
NODE = "tunnel_node"
# What a process says just before it gives up; launch puts "[name-1] " in front.
_SPOKEN = re.compile(r"^\[(?P<who>[\w.]+)-\d+\] (?P<text>.+)$")
_LOGGED = re.compile(r"^\[(?P<level>FATAL|ERROR)\] \[[\d.]+\] \[[^\]]*\]: (?P<text>.+)$")
_DIED = re.compile(
    r"^\[ERROR\] \[(?P<who>[\w.]+)-\d+\]: process has died .*exit code (?P<code>-?\d+)"
)
_REFUSED = re.compile(r"^(?:\[ERROR\] \[launch\]: )?Caught exception in launch.*?: (?P<text>.+)$")


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
    """Find out from a launch log what failed: the last words of the first process that died."""
    said: dict[str, str] = {}
    for line in lines:
        died = _DIED.match(line)
        if died is not None:
            who = died["who"]
            return f"{who} failed: " + said.get(who, f"exit code {died['code']}")
        refused = _REFUSED.match(line)
        if refused is not None:
            return refused["text"]
        spoken = _SPOKEN.match(line)
        if spoken is not None:
            _remember(said, spoken["who"], spoken["text"])
    words = [line for line in lines if line.strip()]
    return f"the launch ended early: {words[-1] if words else 'it said nothing'}"


def _remember(said: dict[str, str], who: str, text: str) -> None:
    logged = _LOGGED.match(text)
    if logged is not None:
        said[who] = logged["text"]
    elif not text.startswith("["):
        said[who] = text.removeprefix(f"{who}: ")
