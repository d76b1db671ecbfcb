# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the schedule of a recording on two real tunnels, and keeps the drone's messages."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pqc_learning.data.episodes import Episode
from pqc_learning.data.message_rows import Row, link_row, status_row
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.link_emulator import LinkEmulator
from pqc_testing.ports import LOOPBACK

from pqc_bench.flood.strangers import Attack, Strangers
from pqc_bench.harness.blaster import Blaster
from pqc_bench.harness.measured_nodes import MeasuredNodes
from pqc_bench.harness.tunnel_pair import TunnelPair
from pqc_bench.record.schedule import BYTES, Phase, Profile

_STOP_EVERY_S = 2.0


class MessageRecorder(MeasuredNodes):
    """Watches both ends, and keeps what the advisor of the drone would read."""

    def __init__(self, check: Callable[[], None]) -> None:
        """Join the ROS graph; times are counted from now on."""
        self.start_s = time.time()
        self.rows: list[Row] = []
        super().__init__(check)

    def begin(self) -> None:
        """Forget what was before, and count times from now on."""
        self.start_s = time.time()
        self.rows.clear()

    def _on_link(self, end: str, report: Any) -> None:
        super()._on_link(end, report)
        self.rows.append(link_row(report, self.start_s))

    def _on_status(self, end: str, status: Any) -> None:
        super()._on_status(end, status)
        if end == "drone":
            self.rows.append(status_row(status, self.start_s))


@dataclass
class Recording:
    """The content of a recording; times in s from its begin."""

    seconds: float = 0.0
    episodes: list[Episode] = field(default_factory=list)
    messages: list[Row] = field(default_factory=list)


def record(
    folder: Path,
    pair: TunnelPair,
    view: MessageRecorder,
    usual: Profile,
    phases: Sequence[Phase],
    say: Callable[[str], None],
) -> Recording:
    """Run the phases; the pair has a link, which gets the profile of each of them in turn."""
    view.begin()
    found = Recording()
    with _Traffic(pair) as traffic:
        for number, phase in enumerate(phases):
            start_s = time.time() - view.start_s
            say(f"{start_s:5.0f} s: {phase.label}, {phase.kind}")
            traffic.flow(phase.per_s)
            _change_link(folder / f"{number}", pair, phase.profile(usual))
            with _strangers(pair, view, phase):
                _spin(pair, view, phase)
            if phase.is_episode:
                end_s = time.time() - view.start_s
                found.episodes.append(
                    Episode(phase.label, phase.kind, round(start_s, 2), round(end_s, 2))
                )
    found.seconds = time.time() - view.start_s
    # Published before the begin, and read after it.
    found.messages = [row for row in view.rows if row[1] >= 0.0]
    return found


class _Traffic:
    """A generator of traffic, started again only for another rate; a context manager."""

    def __init__(self, pair: TunnelPair) -> None:
        self._pair = pair
        self._blaster: Blaster | None = None
        self._per_s = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flow(0)

    def flow(self, per_s: int) -> None:
        """Send so many datagrams a second both ways; 0: none."""
        if per_s == self._per_s:
            return
        if self._blaster is not None:
            self._blaster.__exit__()
        self._blaster = Blaster(self._pair.applications, per_s, BYTES, 1) if per_s else None
        self._per_s = per_s


def _change_link(folder: Path, pair: TunnelPair, profile: Profile) -> None:
    """Replace the emulator, as a phase of its own does; the tunnel sees another port."""
    folder.mkdir()
    if pair.link is not None:
        pair.link.stop()
    pair.link = LinkEmulator(folder, 0.0, 1, profile=profile)
    ports = pair.ports
    pair.link.start(Endpoint(LOOPBACK, ports.link_datagram), Endpoint(LOOPBACK, ports.gcs_datagram))


def _strangers(
    pair: TunnelPair, view: MessageRecorder, phase: Phase
) -> contextlib.AbstractContextManager[Any]:
    if not phase.strangers_per_s:
        return contextlib.nullcontext()
    ports = pair.ports
    return Strangers(
        Attack(phase.kind, "drone"),
        round(phase.seconds),
        Endpoint(LOOPBACK, ports.drone_datagram),
        phase.strangers_per_s,
        key_id=view.status["drone"].key_id,
        other=Endpoint(LOOPBACK, ports.gcs_datagram),
    )


def _spin(pair: TunnelPair, view: MessageRecorder, phase: Phase) -> None:
    deadline = time.monotonic() + phase.seconds
    if not phase.stopped_s:
        view.spin(phase.seconds)
        return
    pid = pair.pid("drone")
    while time.monotonic() < deadline:
        os.kill(pid, signal.SIGSTOP)
        try:
            view.spin(phase.stopped_s)
        finally:
            os.kill(pid, signal.SIGCONT)
        view.spin(_STOP_EVERY_S - phase.stopped_s)
