# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tunnels without ROS: `pqc_tunneld` as children, and their control sockets."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import yaml
from pqc_sim.pair.parameters import SHIPPED_NODE, shipped_parameters
from pqc_sim.pair.programs import tunnel_program
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop

from pqc_bench.harness.places import GROUND, Places, make_places

_START_S, _POLL_S = 60.0, 0.05


class Daemons:
    """A ground station and a drone, each in the place of its name; they end with the stack."""

    def __init__(
        self,
        folder: Path,
        drones: list[str],
        stack: contextlib.ExitStack,
        places: Places | None = None,
        *,
        drones_sign: bool = True,
    ) -> None:
        """Make keys in `folder`, and places if none are given; nothing runs yet."""
        folder.mkdir(parents=True, exist_ok=True)
        self.keys = folder / "keys"
        self.places = places or make_places(stack)
        self._folder, self._stack = folder, stack
        words = ["identity", "init", "--out", str(self.keys)]
        words += ["--drone-signatures", "all"] if drones_sign else []
        words += ["--anchor", "none", *(w for drone in drones for w in ("--drone", drone))]
        subprocess.run([str(tunnel_program("pqc")), *words], check=True, capture_output=True)

    def set_drone(self, name: str, **settings: Any) -> None:
        """Write the plaintext side of a drone that the ground station serves."""
        file = self.keys / GROUND / "drones" / f"{name}.yaml"
        file.write_text(yaml.safe_dump(settings), encoding="utf-8")

    def start(self, name: str, changes: dict[str, Any]) -> subprocess.Popen[bytes]:
        """Start an end with the shipped parameters but for `changes`, and wait until it answers."""
        role = GROUND if name == GROUND else "drone"
        bind = {"bind_address": self.places.at(name)}
        own = {"identity_dir": str(self.keys / name), **bind, "control_name": ""}
        values = {**shipped_parameters(role), **own, **changes}
        file, control = self._folder / f"{name}.yaml", self._control(name)
        content = {SHIPPED_NODE: {"ros__parameters": values}}
        file.write_text(yaml.safe_dump(content), encoding="utf-8")
        words = ["--role", role, "--config", str(file), "--control", str(control)]
        with self._log(name).open("wb") as output, self.places.inside(name):
            process = subprocess.Popen(
                [str(tunnel_program("pqc_tunneld")), *words], stdout=output, stderr=output
            )
        self._stack.callback(stop, process)
        end = time.monotonic() + _START_S
        while not _listens(control):
            if process.poll() is not None or time.monotonic() > end:
                said = self.said(name).strip().splitlines() or [""]
                raise RunFault(f"the tunnel of {name} didn't start: {said[-1]}")
            time.sleep(_POLL_S)
        return process

    def wait_encrypted(self, name: str) -> None:
        end = time.monotonic() + _START_S
        while not self.peer(name)["encrypted"]:
            if time.monotonic() > end:
                raise RunFault(f"{name} got no session")
            time.sleep(_POLL_S)

    def ask(self, name: str, request: str) -> dict[str, Any]:
        """Return the answer of a control socket; RunFault if none comes."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
            control.settimeout(_START_S)
            control.connect(str(self._control(name)))
            control.sendall(f"{request}\n".encode())
            try:
                return json.loads(b"".join(iter(lambda: control.recv(65536), b"")))
            except TimeoutError:
                raise RunFault(f"a {request} got no answer in {_START_S:.0f} s") from None

    def peer(self, name: str) -> dict[str, Any]:
        return self.ask(name, "status")["peers"][0]

    def said(self, name: str) -> str:
        return self._log(name).read_text(encoding="utf-8")

    def _control(self, name: str) -> Path:
        return self._folder / f"{name}.sock"

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
        return control.connect_ex(str(path)) == 0
