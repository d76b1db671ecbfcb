# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Another build of this project as a peer: `pqc_tunneld` of another version or another compiler."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.parameters import DRONE
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import free_ports

from pqc_bench.harness.tunnel_pair import Plan
from pqc_bench.peers.tunnels import Programs

# Version 0.2 and older: its TCP port of handshakes.
_HANDSHAKE_PORT = "handshake_port"
# A version whose ground station lists its drones has parameters of each, as `pqc parameters` shows.
_LIST, _OF_ANY_DRONE = "drones", "drone.NAME."


class OtherBuild(Programs):
    """Both ends as pqc_tunneld of the build below an install prefix (./dev plain, ./dev install).

    It gets those parameters of this version that it knows, and has its own defaults for the rest.
    """

    def __init__(self, folder: Path, plan: Plan, prefix: Path) -> None:
        """Make keys by its own `pqc`, and parameter files."""
        self._pqc, daemon = prefix / "bin" / "pqc", prefix / "bin" / "pqc_tunneld"
        for program in (self._pqc, daemon):
            if not program.is_file():
                raise RunFault(f"'{prefix}' has no build of pqc_tunnel: '{program}' is missing")
        self._handshake_port = free_ports(1)[0]
        ends = ("drone", "gcs")
        super().__init__(folder, plan, {end: [str(daemon), "--role", end] for end in ends})

    def _make_keys(self, keys: Path) -> None:
        make_identities(keys, program=self._pqc)

    def _parameters(self, end: str, changes: dict[str, Any]) -> dict[str, Any]:
        known = _names(self._pqc, end)
        wanted = {**super()._parameters(end, changes), _HANDSHAKE_PORT: self._handshake_port}
        prefixes = [""]
        if end == "gcs" and _LIST in known:
            wanted[_LIST] = [DRONE]
            prefixes += [_OF_ANY_DRONE]
        return {
            (prefix + name).replace(_OF_ANY_DRONE, f"drone.{DRONE}."): value
            for name, value in wanted.items()
            for prefix in prefixes
            if prefix + name in known
        }


def _names(pqc: Path, end: str) -> set[str]:
    """Return the names of the parameters that a build knows."""
    command = [str(pqc), "parameters", end, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFault(f"'{pqc}' does not tell its parameters: {done.stderr.strip()}")
    return {parameter["name"] for parameter in json.loads(done.stdout)}
