# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone's and a ground station's tunnel on this machine, launched the way users launch them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import yaml
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.link_emulator import LinkEmulator
from pqc_sim.pair.parameters import (
    DRONE,
    SHIPPED_NODE,
    drone_parameters,
    gcs_parameters,
    shipped_parameters,
)
from pqc_sim.pair.ports import Ports
from pqc_sim.pair.tunnel_launch import explain, launch_command, tunnel_nodes
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import descendants
from pqc_testing.ports import LOOPBACK

from pqc_bench.harness.blaster import Applications

# After sessions were made, keys are made and fetched ahead, and addresses prove themselves.
SETTLE_S = 10.0
_START_S = 60.0
_END_S = 15.0


@dataclass
class Plan:
    """Deviations from the parameter files that are shipped with the tunnel."""

    suite: str = ""
    both: dict[str, Any] = field(default_factory=dict)
    drone: dict[str, Any] = field(default_factory=dict)
    gcs: dict[str, Any] = field(default_factory=dict)
    loss_percent: float = 0.0
    seed: int = 1
    conditions: dict[str, Any] = field(default_factory=dict)  # of the link, beside its loss
    link: dict[str, Any] = field(default_factory=dict)  # or its whole profile
    # Arguments of the drone's launch file; by default the measurement chooses the suite.
    launch: dict[str, str] = field(default_factory=lambda: {"policy": "false"})
    one_time_keys: int = 0  # of the anchor; 0: there is none
    ends: tuple[str, ...] = ("gcs", "drone")  # that are launched at once, in this order


class TunnelPair:
    """Both ends, and a link between them if the plan asks for one; a context manager."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        """Make keys and parameter files in `folder`; nothing runs yet."""
        self._folder, self._plan = folder, plan
        self.ports = Ports.pick()
        self._launches: dict[str, ProcessGroup] = {}
        self.link: LinkEmulator | None = None
        if plan.loss_percent or plan.conditions or plan.link:
            self.link = LinkEmulator(
                folder, plan.loss_percent, plan.seed, plan.conditions, profile=plan.link
            )
        self._make_keys(folder / "keys")
        self._write("drone", self._drone(plan))
        self._write("gcs", self._gcs(plan))

    def __enter__(self) -> Self:
        try:
            if self.link is not None:
                ground = self._at(self.ports.gcs_datagram)
                self.link.start(self._at(self.ports.link_datagram), ground)
            for end in self._plan.ends:
                self.launch(end)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for end in ("drone", "gcs"):
            if end in self._launches:
                self._launches[end].end(_END_S)
        if self.link is not None:
            self.link.stop()

    @property
    def applications(self) -> Applications:
        return Applications(
            drone=self._at(self.ports.drone_plaintext),
            ground=self._at(self.ports.gcs_plaintext),
            drone_bind=self._at(self.ports.drone_application),
            ground_bind=self._at(self.ports.ground_application),
        )

    def pid(self, end: str) -> int:
        """Return the process id of a node, "drone" or "gcs"."""
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            self.check()
            nodes = tunnel_nodes(self._launches[end].pid)
            if end in nodes:
                return nodes[end]
            time.sleep(0.05)
        raise RunFault(f"the node of the {end} didn't start within {_START_S:.0f} s")

    def launch(self, end: str) -> None:
        """Launch "drone" or "gcs", which the plan has left out so far."""
        command = self._command(end, self._folder / f"{end}.yaml")
        self._launches[end] = ProcessGroup(command, self._folder / f"{end}.log")

    def processes(self, end: str) -> list[int]:
        """Return the ids of all processes that the launch of an end has started."""
        return descendants(self._launches[end].pid)

    def check(self) -> None:
        for end, process in self._launches.items():
            if not process.running:
                raise RunFault(f"the launch of the {end} ended: {explain(process.output())}")

    @staticmethod
    def _at(port: int) -> Endpoint:
        return Endpoint(LOOPBACK, port)

    def _drone(self, plan: Plan) -> dict[str, Any]:
        identity = self._folder / "keys" / DRONE
        parameters = {
            **drone_parameters(self.ports, identity, emulated_link=self.link is not None),
            **plan.both,
            **plan.drone,
        }
        if plan.suite:
            parameters["suite"] = plan.suite
        return parameters

    def _gcs(self, plan: Plan) -> dict[str, Any]:
        identity = self._folder / "keys" / "gcs"
        return {**gcs_parameters(self.ports, identity), **plan.both, **plan.gcs}

    def _make_keys(self, keys: Path) -> None:
        make_identities(keys, one_time_keys=self._plan.one_time_keys)

    def _parameters(self, end: str, changes: dict[str, Any]) -> dict[str, Any]:
        return {**shipped_parameters(end), "control_name": "", **changes}

    def _write(self, end: str, changes: dict[str, Any]) -> None:
        content = {SHIPPED_NODE: {"ros__parameters": self._parameters(end, changes)}}
        (self._folder / f"{end}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")

    def _command(self, end: str, parameters: Path) -> list[str]:
        arguments = {"params_file": str(parameters)}
        if end == "drone":
            arguments |= self._plan.launch
        return launch_command("pqc_tunnel", f"{end}.launch.py", arguments)
