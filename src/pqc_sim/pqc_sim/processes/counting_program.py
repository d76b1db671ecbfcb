# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The loop of a program that sends or relays MAVLink, counts it, and ends without losing any."""

from __future__ import annotations

import os
import select
import signal
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.drain import Drain
from pqc_sim.datagrams.udp_port import UdpPort
from pqc_sim.processes.signal_pipe import SignalPipe
from pqc_sim.processes.summary_file import write_summary

NS = 1_000_000_000


class CountingProgram(ABC):
    """Exchanges datagrams until SIGINT or SIGTERM, then receives until the ports are quiet.

    `state` is "holding", "running", "draining" or "finished". The summary file is rewritten at each
    whole second of the monotonic clock, so that the counts of both ends can be compared, and at the
    end; it reports the losses of the first port.
    """

    def __init__(self, role: str, ports: list[UdpPort], summary: Path | None) -> None:
        self.state = "running"
        self.drain = Drain()
        self.strangers = 0  # datagrams of unknown senders
        self._role = role
        self._ports = ports
        self._summary = summary
        self._began_ns = time.monotonic_ns()

    def run(self) -> None:
        next_summary_ns = 0
        with SignalPipe(signal.SIGINT, signal.SIGTERM, signal.SIGUSR1) as signals:
            now_ns = time.monotonic_ns()
            while not self.drain.finished(now_ns):
                now_ns = time.monotonic_ns()
                if now_ns >= next_summary_ns:
                    self._write_summary()
                    next_summary_ns = (now_ns // NS + 1) * NS
                wake_ns = min(next_summary_ns, self.next_ns(now_ns))
                wait_s = max(0, wake_ns - time.monotonic_ns()) / NS
                ready, _, _ = select.select([*self._ports, signals], [], [], wait_s)
                if signals in ready:
                    for number in signals.pending():
                        self.handle_signal(number)
                self.exchange()
        self.state = "finished"
        self._write_summary()

    def handle_signal(self, number: int) -> None:
        """Start to drain on a first signal; end at once on a second one."""
        if number == signal.SIGUSR1:
            return
        if self.state == "draining":
            self.drain.give_up()
        else:
            self.begin_drain()

    def begin_drain(self) -> None:
        """Send nothing any more, and end once nothing has arrived for a while."""
        self.state = "draining"
        self.drain.begin(time.monotonic_ns())

    def next_ns(self, now_ns: int) -> int:
        """Return when `exchange` is to be called even if nothing arrives."""
        return now_ns + NS // 20

    @abstractmethod
    def exchange(self) -> None:
        """Receive all that has arrived and send all that is due."""

    @abstractmethod
    def counts(self) -> dict[str, Any]:
        """Return the program's part of the summary."""

    def _write_summary(self) -> None:
        if self._summary is None:
            return
        summary: dict[str, Any] = {
            "role": self._role,
            "pid": os.getpid(),
            "state": self.state,
            "time_s": time.monotonic_ns() / NS,
            "uptime_s": (time.monotonic_ns() - self._began_ns) / NS,
            "kernel_drops": self._ports[0].kernel_drops,
            "unsent": self._ports[0].unsent,
            "strangers": self.strangers,
        }
        write_summary(self._summary, summary | self.counts())
