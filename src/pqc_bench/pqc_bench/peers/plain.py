# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Peers without cryptography: a direct path, and a plain relay."""

from __future__ import annotations

import subprocess

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.harness.blaster import Applications
from pqc_bench.harness.relays import start_relay


def _endpoints(count: int) -> list[Endpoint]:
    return [Endpoint(LOOPBACK, port) for port in free_ports(count)]


class Direct:
    """The applications send to each other."""

    def __init__(self) -> None:
        drone, ground = _endpoints(2)
        self.applications = Applications(ground, drone, drone, ground)

    def processes(self, end: str) -> list[int]:
        """Return an empty list: no process does the work."""
        del end
        return []

    def check(self) -> None:
        """Do nothing: there is no process that can end."""

    def __enter__(self) -> Direct:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop nothing."""


class Relay:
    """Two pqc_relay, one at each end."""

    def __init__(self, *flags: str) -> None:
        """Pick ports; nothing runs yet."""
        self._flags = flags
        self._processes: dict[str, subprocess.Popen[str]] = {}
        drone, ground, drone_bind, ground_bind, *self._links = _endpoints(6)
        self.applications = Applications(drone, ground, drone_bind, ground_bind)

    def __enter__(self) -> Relay:
        where = self.applications
        drone, ground = self._links
        try:
            for end, link, way in (
                ("drone", drone, (where.drone, where.drone_bind, ground)),
                ("gcs", ground, (where.ground, where.ground_bind, drone)),
            ):
                self._processes[end] = start_relay(link, [way], *self._flags)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            stop(process)

    def processes(self, end: str) -> list[int]:
        return [self._processes[end].pid]

    def check(self) -> None:
        """Raise RunFault if a relay has ended."""
        for process in self._processes.values():
            if process.poll() is not None:
                assert process.stderr is not None
                words = process.stderr.read().strip().splitlines()
                raise RunFault(words[-1] if words else "a pqc_relay has ended")
