# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A flood by a member of the fleet, and what another drone of the same ground station loses."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop

from pqc_bench.flood.hostile_drone import SORTS
from pqc_bench.flood.result import MAX_DELAY
from pqc_bench.harness.live_pair import LivePair
from pqc_bench.harness.places import ATTACKER, DRONE, GROUND
from pqc_bench.harness.process_use import resident_kib
from pqc_bench.harness.text import columns

_HOSTILE = "hostile"
_RATE = 500  # datagrams a second of the honest drone
_REKEYS = 3
_START_S = 60.0
_DRAIN_S = 1.0
_SESSION_S = 1.0  # the hostile drone begins its session, and then the flood
_MAX_GROWTH_KIB = 4 * 1024
# A rekey that takes no longer is prompt, however short it was without the flood.
_PROMPT_MS = 100.0


def measure(folder: Path, frames: int, seconds: int) -> dict[str, Any]:
    """Flood with each sort of frame in turn."""
    with contextlib.ExitStack() as stack:
        fleet = _Fleet(folder, stack)
        sorts = {"quiet": _phase(fleet, None, frames, seconds)}
        for sort in SORTS:
            sorts[sort] = _phase(fleet, sort, frames, seconds)
    return {
        "network": fleet.places.network,
        "sorts": sorts,
    }


def judge(result: dict[str, Any]) -> list[str]:
    faults = []
    quiet = result["sorts"]["quiet"]
    for name, one in result["sorts"].items():
        if one["lost"]:
            faults.append(f"{name}: the other drone lost {one['lost']} of {one['sent']} datagrams")
        slow = max(_PROMPT_MS, MAX_DELAY * median(quiet["rekeys_ms"] or [0.0]))
        if len(one["rekeys_ms"]) < _REKEYS or median(one["rekeys_ms"]) > slow:
            faults.append(f"{name}: rekeys of the other drone took {one['rekeys_ms']} ms")
        if one["resident_kib"] > quiet["resident_kib"] + _MAX_GROWTH_KIB:
            faults.append(f"{name}: the ground station grew to {one['resident_kib'] // 1024} MiB")
    return faults


def lines(result: dict[str, Any]) -> list[str]:
    rows = [("sort", "frames/s", "lost of sent", "rekeys, ms", "memory, MiB")]
    rows += [
        (
            name,
            f"{one['frames'] / one['seconds']:,.0f}",
            f"{one['lost']} of {one['sent']}",
            " ".join(f"{ms:.1f}" for ms in one["rekeys_ms"]),
            f"{one['resident_kib'] / 1024:.1f}",
        )
        for name, one in result["sorts"].items()
    ]
    return ["", *columns(rows)]


class _Fleet(LivePair):
    """A ground station, the honest drone, and the applications of both."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        super().__init__(folder, stack, others=[_HOSTILE])
        self._received: set[int] = set()
        self._honest, self._ground = self.application(DRONE), self.application(GROUND)
        self.start()

    def send(self, seconds: float) -> tuple[int, int]:
        """Send the honest drone's datagrams; return how many were sent, and how many got lost."""
        self._received.clear()
        reader = threading.Thread(target=self._receive, args=(seconds + _DRAIN_S,))
        reader.start()
        sent, begun = 0, time.monotonic()
        while (elapsed := time.monotonic() - begun) < seconds:
            while sent < elapsed * _RATE:
                self._honest.send(sent.to_bytes(4, "big") * 20)
                sent += 1
            time.sleep(1 / _RATE)
        reader.join()
        return sent, sent - len(self._received)

    def _receive(self, seconds: float) -> None:
        self._ground.settimeout(0.1)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(TimeoutError):
                self._received.add(int.from_bytes(self._ground.recv(2048)[:4], "big"))


def _phase(fleet: _Fleet, sort: str | None, frames: int, seconds: int) -> dict[str, Any]:
    with contextlib.ExitStack() as stack:
        flood = None
        if sort is not None:
            keys, ground = fleet.tunnels.keys / _HOSTILE, fleet.link(GROUND)
            words = [keys, fleet.places.at(ATTACKER), *ground, sort, frames, seconds]
            flood = fleet.start_attacker("flood.hostile_drone", *words)
            stack.callback(stop, flood)
            time.sleep(_SESSION_S)
        rekeys_ms: list[float] = []
        rekeying = threading.Thread(target=_rekey, args=(fleet, rekeys_ms, seconds))
        rekeying.start()
        sent, lost = fleet.send(seconds - _SESSION_S)
        rekeying.join()
        sent_frames = int(flood.communicate(timeout=_START_S)[0]) if flood is not None else 0
    return {
        "frames": sent_frames,
        "seconds": seconds,
        "sent": sent,
        "lost": lost,
        "rekeys_ms": rekeys_ms,
        "resident_kib": resident_kib(fleet.processes[GROUND].pid),
    }


def _rekey(fleet: _Fleet, times_ms: list[float], seconds: int) -> None:
    for _ in range(_REKEYS):
        time.sleep(seconds / (2 * _REKEYS))
        with contextlib.suppress(RunFault):
            times_ms.append(fleet.rekey_ms())
