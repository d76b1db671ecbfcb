# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tunnel as its users start it, without ROS, and as the reference peer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pqc_sim.pair.programs import tunnel_program

from pqc_bench.harness.tunnel_pair import Plan, TunnelPair


def plan_for(suite: str, both: dict[str, Any] | None = None) -> Plan:
    """Return parameters that allow every suite from the first handshake on."""
    return Plan(suite=suite, both={"allow_experimental": True, "min_level": 1, **(both or {})})


class Nodes(TunnelPair):
    """Both nodes, launched as users launch them."""

    def processes(self, end: str) -> list[int]:
        return [self.pid(end)]


class Programs(TunnelPair):
    """Both ends as programs that take the tunnel's parameter files."""

    def __init__(self, folder: Path, plan: Plan, programs: dict[str, list[str]]) -> None:
        """Make keys and parameter files; `programs` are the commands of both ends."""
        super().__init__(folder, plan)
        self._programs = programs

    def pid(self, end: str) -> int:
        return self._launches[end].pid

    def processes(self, end: str) -> list[int]:
        return [self.pid(end)]

    def _command(self, end: str, parameters: Path) -> list[str]:
        return [*self._programs[end], "--config", str(parameters)]


def daemons(folder: Path, plan: Plan) -> Programs:
    """Return both ends as pqc_tunneld."""
    program = str(tunnel_program("pqc_tunneld"))
    return Programs(
        folder, plan, {"drone": [program, "--role", "drone"], "gcs": [program, "--role", "gcs"]}
    )


def references(folder: Path, plan: Plan) -> Programs:
    """Return both ends as the reference peer in Python."""
    words = [sys.executable, "-m", "pqc_reference"]
    return Programs(folder, plan, {"drone": [*words, "drone"], "gcs": [*words, "gcs"]})
