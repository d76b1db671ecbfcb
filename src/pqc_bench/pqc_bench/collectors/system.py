# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The system collector: CPU, memory, temperature and disk, of both nodes and of the machine."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

from pqc_policy.sensing.computer.thermal_zones import processor_now

from pqc_bench.collectors.collector import Collector
from pqc_bench.collectors.sampled import sampled
from pqc_bench.harness.process_use import resident_kib, usage

_NS_PER_S = 1e9
_NS_PER_MS = 1e6
_KIB_PER_MIB = 1024.0
_SECTOR_BYTES = 512
# Over a shorter time a burst would look like a peak.
_SHORTEST_S = 0.05
_IDLE = (3, 4)  # idle and waiting for disks, among the fields of /proc/stat


class WatchedProcess:
    """One process: its use of the machine, from sample to sample."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.cpu_percent: list[float] = []
        self.resident_mib: list[float] = []
        self.threads = 0
        self.first = self.last = usage(pid)
        self._seen_at = time.monotonic()

    def look(self, now: float) -> bool:
        """Take a sample; False if the process is gone."""
        found = usage(self.pid)
        if found["threads"] == 0:
            return False
        passed = now - self._seen_at
        if passed >= _SHORTEST_S:
            used_s = (found["cpu_ns"] - self.last["cpu_ns"]) / _NS_PER_S
            self.cpu_percent.append(100.0 * max(0.0, used_s) / passed)
        self.resident_mib.append(resident_kib(self.pid) / _KIB_PER_MIB)
        self.threads = found["threads"]
        self.last, self._seen_at = found, now
        return True

    def result(self) -> dict[str, Any]:
        def passed(name: str) -> int:
            return max(0, self.last[name] - self.first[name])

        return {
            "cpu_percent": sampled(self.cpu_percent),
            "cpu_s": passed("cpu_ns") / _NS_PER_S,
            "resident_mib": sampled(self.resident_mib),
            "threads": self.threads,
            "voluntary_switches": passed("voluntary"),
            "involuntary_switches": passed("involuntary"),
            "scheduler_wait_ms": passed("wait_ns") / _NS_PER_MS,
        }


class SystemCollector(Collector):
    """Watches the processes of the given ends, and the machine they share."""

    name = "system"

    def __init__(self, pids: dict[str, int], sys_root: Path = Path("/sys")) -> None:
        """Take the process ids by end, "drone" and "gcs"."""
        super().__init__()
        self._pids = pids
        self._sys = sys_root

    def _begin(self) -> None:
        self._nodes = {end: WatchedProcess(pid) for end, pid in self._pids.items()}
        self._machine_cpu: list[float] = []
        self._memory: list[float] = []
        self._temperature: list[float] = []
        self._ticks = _ticks()
        self._disk = _disk_bytes()

    def _look(self) -> bool:
        now = time.monotonic()
        there = [node.look(now) for node in self._nodes.values()]
        ticks = _ticks()
        total = ticks[0] - self._ticks[0]
        if total > 0:
            self._machine_cpu.append(100.0 * (ticks[1] - self._ticks[1]) / total)
            self._ticks = ticks
        self._memory.append(_memory_used_mib())
        zone = processor_now(self._sys)
        if zone is not None:
            self._temperature.append(zone.temperature_c)
        return all(there)

    def _result(self) -> dict[str, Any]:
        disk = _disk_bytes()
        machine = {
            "machine_cpu_percent": sampled(self._machine_cpu),
            "machine_memory_mib": sampled(self._memory),
            "temperature_c": sampled(self._temperature) if self._temperature else None,
            "disk_read_bytes": disk[0] - self._disk[0],
            "disk_written_bytes": disk[1] - self._disk[1],
            "shared_machine": True,
        }
        return {end: {**node.result(), **machine} for end, node in self._nodes.items()}


def _ticks() -> tuple[int, int]:
    """Return all ticks of all cores, and those that weren't idle."""
    with Path("/proc/stat").open(encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), sum(ticks) - sum(ticks[place] for place in _IDLE)


def _memory_used_mib() -> float:
    fields: dict[str, int] = {}
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines()[:3]:
        name, _, rest = line.partition(":")
        fields[name] = int(rest.split()[0])
    return (fields["MemTotal"] - fields["MemAvailable"]) / _KIB_PER_MIB


def _disk_bytes() -> tuple[int, int]:
    """Return the bytes read and written by whole disks, without partitions."""
    read = written = 0
    with contextlib.suppress(OSError):
        for line in Path("/proc/diskstats").read_text(encoding="ascii").splitlines():
            words = line.split()
            if Path("/sys/block", words[2]).exists():
                read += int(words[5])
                written += int(words[9])
    return read * _SECTOR_BYTES, written * _SECTOR_BYTES
