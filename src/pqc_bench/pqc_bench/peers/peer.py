# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of peers: two ends on this machine carry datagrams between two applications."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from types import TracebackType
from typing import Protocol

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.blaster import Applications
from pqc_bench.harness.cores import pin as pin_process
from pqc_bench.harness.process_use import cpu_seconds

ENDS = ("drone", "gcs")
_READY_S = 60.0
_PROBE_S = 0.1


class Peer(Protocol):
    """A pair of ends; a context manager that starts and stops them."""

    @property
    def applications(self) -> Applications:
        """The addresses of the applications."""

    def processes(self, end: str) -> list[int]:
        """Return the processes that do the work of an end, "drone" or "gcs"."""

    def check(self) -> None:
        """Raise RunFault if an end has ended."""

    def __enter__(self) -> Peer:
        """Start both."""

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop both."""


def cpu_of(peer: Peer) -> dict[str, float]:
    """Return the CPU time of each end so far, in s."""
    return {end: sum(cpu_seconds(pid) for pid in peer.processes(end)) for end in ENDS}


def pin(peer: Peer) -> bool:
    """Pin the drone's end to one core and the ground's to another; False on a single core."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return False
    for end, core in zip(ENDS, cores, strict=False):
        for pid in peer.processes(end):
            pin_process(pid, [core])
    return True


def inside(peer: Peer) -> contextlib.AbstractContextManager[None]:
    """Return a context manager that moves this thread, and its children, to the applications.

    That matters for peers in a network namespace of their own.
    """
    enter = getattr(peer, "inside", None)
    return contextlib.nullcontext() if enter is None else enter()


def wait_until_through(peer: Peer) -> None:
    """Wait until datagrams arrive in both directions; RunFault after a minute."""
    where = peer.applications
    with inside(peer), _bound(where.drone_bind) as drone, _bound(where.ground_bind) as ground:
        deadline = time.monotonic() + _READY_S
        open_ways = {drone: (ground, where.drone), ground: (drone, where.ground)}
        while open_ways:
            peer.check()
            if time.monotonic() > deadline:
                raise RunFault(f"nothing came through within {_READY_S:.0f} s")
            for sender, (_, to) in open_ways.items():
                with contextlib.suppress(ConnectionRefusedError):
                    sender.sendto(b"probe", to)
            for receiver in select.select([drone, ground], [], [], _PROBE_S)[0]:
                with contextlib.suppress(ConnectionRefusedError):
                    receiver.recv(64)
                    open_ways = {s: way for s, way in open_ways.items() if way[0] is not receiver}


def _bound(where: Endpoint) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.bind(where)
    opened.setblocking(False)
    return opened
