# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All peers up at once, taking turns under the same loads."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.peers.installed import why_not
from pqc_bench.peers.peer import Peer, pin, wait_until_through
from pqc_bench.peers.registry import make_peer
from pqc_bench.peers.rounds import Round

FAILED = "it failed"


class Contest:
    """Peers by name, and reasons for those left out. A peer that fails is left out from then on."""

    def __init__(self, peers: dict[str, Peer], left_out: dict[str, str]) -> None:
        """Take the running peers, and the reasons for the others."""
        self.peers = peers
        self.left_out = left_out

    def pin(self) -> bool:
        """Pin each end to a core of its own; return whether that worked for all peers."""
        return all([pin(peer) for peer in self.peers.values()])

    def rounds(
        self, count: int, title: str, measure_one: Callable[[Peer], dict[str, Any]]
    ) -> list[Round]:
        """Measure all peers `count` times, in a new order each time and after each start."""
        rounds: list[Round] = []
        for number in range(count):
            order = random.sample(list(self.peers), len(self.peers))
            rounds.append(self._round(order, measure_one))
            print(f"  {title}: round {number + 1} of {count}", flush=True)
        return rounds

    def _round(self, order: list[str], measure_one: Callable[[Peer], dict[str, Any]]) -> Round:
        found = {}
        for name in order:
            try:
                found[name] = measure_one(self.peers[name])
            except (RunFault, OSError) as fault:
                self.left_out[name] = f"{FAILED}: {fault}"
                del self.peers[name]
        return {name: found[name] for name in self.peers}


@contextlib.contextmanager
def started(
    names: list[str], folder: Path, suite: str, builds: Mapping[str, Path] | None = None
) -> Iterator[Contest]:
    """Start the installed peers and other builds of the tunnel; `folder` takes their files."""
    contest = Contest({}, {})
    with contextlib.ExitStack() as stack:
        for name in (*names, *(builds or {})):
            if reason := why_not(name):
                contest.left_out[name] = reason
                continue
            try:
                peer = make_peer(name, folder / name, suite, builds)
                contest.peers[name] = _started(stack, peer)
            except (RunFault, OSError) as fault:
                contest.left_out[name] = f"it doesn't work here: {fault}"
            print(f"  {name}: {contest.left_out.get(name, 'is up')}", flush=True)
        yield contest


def _started(stack: contextlib.ExitStack, peer: Peer) -> Peer:
    with contextlib.ExitStack() as own:
        running = own.enter_context(peer)
        wait_until_through(running)
        stack.push(own.pop_all())
    return running
