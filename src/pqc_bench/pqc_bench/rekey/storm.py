# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The course of a storm: steady traffic and rekeys in turn, each in a window of its own."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.measured_nodes import MeasuredNodes, nanoseconds, rekey_times_ms
from pqc_bench.harness.process_use import resident_kib
from pqc_bench.rekey.result import Rekey, Step, Traffic
from pqc_msgs.msg import TunnelEvent

_FIRST_STEADY_S = 0.5
# A rekey's window includes the last datagrams under the old keys and the work after the rekey.
_TAIL_S = 0.15
_ANSWER_S = 180.0
_PREFETCH_S, _PREFETCH_LOOK_S = 20.0, 0.5
_PREFETCH_SETTLED_S = 4.0
_POOL_S = 60.0
_STATUS_S = 60.0
_EVENT_S = 10.0
# Rekeys back to back: this many in a row, then steady traffic for this part of their time.
_ROW = 25
_ROW_STEADY_SHARE = 0.1
_MS_PER_S = 1000.0
_MS_PER_NS = 1e-6


@dataclass(frozen=True)
class Memory:
    """Resident memory of a process over the storm, in KiB."""

    first: int
    last: int
    most: int
    prekeys: int  # the most that prekeys took: in stock, being made, being sent or received
    beside: int  # the most that all else took


class Storm:
    """Switches to suite after suite while traffic flows."""

    def __init__(
        self,
        view: MeasuredNodes,
        blaster: Blaster,
        pids: dict[str, int],
        progress: Callable[[int, Step], None],
        *,
        pool: bool = False,
        ahead: bool = False,
    ) -> None:
        """Connect the parts; `progress` receives each rekey after its traffic has been counted.

        With `pool`, a rekey's window lasts until the pool is full again. With `ahead`, the suite is
        changed before the window, which has fresh keys of that suite once their prekey is there.
        """
        self._ahead = ahead
        self._pool = pool
        self._view = view
        self._blaster = blaster
        self._pids = pids
        self._progress = progress
        self._rekeys: list[Rekey] = []
        self._reported = 0
        self._steady: list[int] = []
        self._blocks: list[int] = []
        self._resident: dict[str, list[int]] = {end: [] for end in pids}
        self._prekeys: dict[str, list[int]] = {end: [] for end in pids}

    @staticmethod
    def windows(rekeys: int) -> int:
        """Return how many windows a storm of so many rekeys opens at most."""
        return 3 * rekeys + 8

    def run(self, suites: Sequence[str], *, back_to_back: bool) -> None:
        row, share, tail_s = (_ROW, _ROW_STEADY_SHARE, 0.0) if back_to_back else (1, 1.0, _TAIL_S)
        steady_s = _FIRST_STEADY_S
        for block, begin in enumerate(range(0, len(suites), row)):
            self._let_flow(block, steady_s)
            rekeying_s = 0.0
            for number, suite in enumerate(suites[begin : begin + row], begin):
                if self._ahead:
                    self._prepare(number, suite)
                began = time.monotonic()
                self._blaster.open_window(f"rekey {number}")
                self._rekeys.append(self._switch(suite))
                self._blocks.append(block)
                if self._pool:
                    self._view.wait_for_pool(_POOL_S)
                self._view.spin(tail_s)
                rekeying_s += time.monotonic() - began
            steady_s = share * rekeying_s
            self._note_memory()
        self._let_flow(len(self._steady), steady_s)

    def _prepare(self, number: int, suite: str) -> None:
        """Change to a suite and wait until the drone holds a prekey for it."""
        self._blaster.open_window(f"prepare {number}")
        self._switch(suite)
        held = self._view.fresh(_STATUS_S)["drone"].prekeys
        self._view.wait_for_pool(_POOL_S)
        # The drone fetches for the suite in use first. It may have a prekey for it, and no room for
        # others: then their number stays.
        began = changed = time.monotonic()
        while time.monotonic() < began + _PREFETCH_S:
            self._view.spin(_PREFETCH_LOOK_S)
            before, held = held, self._view.fresh(_STATUS_S)["drone"].prekeys
            if held > before:
                return
            if held < before:
                changed = time.monotonic()
            if held > 0 and time.monotonic() > changed + _PREFETCH_SETTLED_S:
                return

    def memory(self) -> dict[str, Memory]:
        return {
            end: Memory(
                first=used[0],
                last=used[-1],
                most=max(used),
                prekeys=max(self._prekeys[end]),
                beside=max(map(operator.sub, used, self._prekeys[end])),
            )
            for end, used in self._resident.items()
        }

    def steps(self, report: dict[str, Any]) -> list[Step]:
        """Put the rekeys together with the traffic of the blaster's report."""
        traffic = {window["name"]: Traffic.of(window) for window in report["windows"]}
        return [self._step(number, traffic.__getitem__) for number in range(len(self._rekeys))]

    @staticmethod
    def traffic(report: dict[str, Any], name: str) -> list[Traffic]:
        """Return the traffic of all "rekey" or all "steady" windows."""
        return [
            Traffic.of(window)
            for window in report["windows"]
            if window["name"].split(" ")[0] == name
        ]

    def _step(self, number: int, window: Callable[[str], Traffic]) -> Step:
        before = f"steady {self._blocks[number]}"
        return Step(self._rekeys[number], window(f"rekey {number}"), window(before))

    def _let_flow(self, block: int, seconds: float) -> None:
        self._blaster.open_window(f"steady {block}")
        self._steady.append(block)
        self._view.spin(seconds)
        self._note_memory()
        for number in range(self._reported, len(self._rekeys)):
            self._progress(
                number, self._step(number, lambda name: Traffic.of(self._blaster.window(name)))
            )
        self._reported = len(self._rekeys)

    def _note_memory(self) -> None:
        for end, pid in self._pids.items():
            self._resident[end].append(resident_kib(pid))
            pool = self._view.status[end].pool
            self._prekeys[end].append((pool.bytes + pool.bytes_under_way) // 1024)

    def _switch(self, suite: str) -> Rekey:
        view = self._view
        view.events.clear()
        asked_ns = time.time_ns()
        answer = view.rekey(suite, _ANSWER_S)
        types = {event.kind for event in view.events}
        if not answer.success:
            return Rekey(suite, False, TunnelEvent.ROLLBACK in types, answer.message)
        committed = self._committed()
        # Until they report the new keys, both ends agree on the old ones.
        view.wait_until(
            lambda: view.in_step() and view.status["gcs"].epoch == answer.epoch,
            _STATUS_S,
            "agreement of both ends after a rekey",
        )
        return Rekey(
            suite=suite,
            succeeded=answer.suite == suite,
            rolled_back=False,
            message="" if answer.suite == suite else f"{answer.suite} is in use instead",
            **rekey_times_ms(answer, view.status["gcs"]),
            commit_ms=None if committed is None else (committed - asked_ns) * _MS_PER_NS,
            pooled=view.status["gcs"].handshake.prepared_ahead,
            ahead=answer.timing.prepared_ahead,
            round_trip_ms=view.round_trip_s * _MS_PER_S,
            bytes=int(answer.bytes),
            fetch_bytes=int(answer.fetch_bytes),
            new_session=answer.timing.connect_s > 0.0,
        )

    def _committed(self) -> int | None:
        """Return when the drone began to send under the new keys, in ns; None if unknown."""
        deadline = time.monotonic() + _EVENT_S
        while time.monotonic() < deadline:
            for event in reversed(self._view.events):
                if event.kind == TunnelEvent.REKEY_COMMITTED:
                    return nanoseconds(event.stamp)
            self._view.spin(0.005)
        return None
