# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""All peers up at once, taking turns under the same loads."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.peers.installed import why_not
from pqc_bench.peers.peer import Peer, pin, wait_until_through
from pqc_bench.peers.registry import make_peer
from pqc_bench.peers.rounds import Round

FAILED = "it failed"


class Contest:
    """Peers by type, and reasons for those left out. A peer that fails is left out from then on."""

    def __init__(self, peers: dict[str, Peer], left_out: dict[str, str]) -> None:
        """Take them as they are: up, or not."""
        self.peers = peers
        self.left_out = left_out

    def pin(self) -> bool:
        """Keep each end on a core of its own; whether that could be done for all of them."""
        return all([pin(peer) for peer in self.peers.values()])

    def rounds(
        self, count: int, what: str, measure_one: Callable[[Peer], dict[str, Any]]
    ) -> list[Round]:
        """Measure all of them some times, each time in another order."""
        dice = random.Random(what)
        rounds: list[Round] = []
        for number in range(count):
            order = list(self.peers)
            dice.shuffle(order)
            rounds.append(self._round(order, measure_one))
            print(f"  {what}: round {number + 1} of {count}", flush=True)
        return rounds

    def _round(self, order: list[str], measure_one: Callable[[Peer], dict[str, Any]]) -> Round:
        found = {}
        for kind in order:
            try:
                found[kind] = measure_one(self.peers[kind])
            except (RunFault, OSError) as fault:
                self.left_out[kind] = f"{FAILED}: {fault}"
                del self.peers[kind]
        return {kind: found[kind] for kind in self.peers}


@contextlib.contextmanager
def started(kinds: list[str], folder: Path, suite: str) -> Iterator[Contest]:
    """Start the installed types of peers; `folder` takes their files."""
    contest = Contest({}, {})
    with contextlib.ExitStack() as stack:
        for kind in kinds:
            if reason := why_not(kind):
                contest.left_out[kind] = reason
                continue
            try:
                contest.peers[kind] = _started(stack, kind, folder / kind, suite)
            except (RunFault, OSError) as fault:
                contest.left_out[kind] = f"it doesn't work here: {fault}"
            print(f"  {kind}: {contest.left_out.get(kind, 'is up')}", flush=True)
        yield contest


def _started(stack: contextlib.ExitStack, kind: str, folder: Path, suite: str) -> Peer:
    with contextlib.ExitStack() as own:
        peer = own.enter_context(make_peer(kind, folder, suite))
        wait_until_through(peer)
        stack.push(own.pop_all())
    return peer
