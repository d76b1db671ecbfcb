# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from pqc_policy.sensing.computer.computer_load import Load, Throttled, read_load

STAT = """cpu  {user} 0 100 {idle} 20 0 10 0 5 0
cpu0 1 0 1 1 1 0 1 0 0 0
cpu1 1 0 1 1 1 0 1 0 0 0
intr 12345
"""
MEMINFO = """MemTotal:        4000000 kB
MemFree:          200000 kB
MemAvailable:    3000000 kB
"""


class Computer:
    """Files of /proc and /sys below a folder."""

    def __init__(self, root: Path) -> None:
        self.proc, self.sys = root / "proc", root / "sys"

    def write(self, file: str, text: str | int) -> None:
        path = self.proc.parent / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")

    def work(self, user: int, idle: int) -> None:
        self.write("proc/stat", STAT.format(user=user, idle=idle))

    def load(self) -> Load:
        """Return the load between the present files and none before."""
        return read_load(self.proc, self.sys, None)[0]


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path)


def test_the_load_is_the_share_of_all_cores_between_two_readings(computer: Computer) -> None:
    computer.work(1000, 5000)
    first, ticks = read_load(computer.proc, computer.sys, None)
    assert (first.load, first.cores) == (None, 2)
    computer.work(1050, 5150)
    second, _ = read_load(computer.proc, computer.sys, ticks)
    assert second.load == pytest.approx(0.25)


def test_a_counter_that_stands_still_gives_no_load(computer: Computer) -> None:
    computer.work(1000, 5000)
    _, ticks = read_load(computer.proc, computer.sys, None)
    assert read_load(computer.proc, computer.sys, ticks)[0].load is None


def test_memory_in_use_is_what_is_not_available(computer: Computer) -> None:
    computer.write("proc/meminfo", MEMINFO)
    assert computer.load().memory == pytest.approx(0.25)


def test_the_frequency_is_the_mean_of_the_cores(computer: Computer) -> None:
    for core, kilohertz in ((0, 600000), (1, 1800000)):
        computer.write(f"sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq", kilohertz)
        computer.write(f"sys/devices/system/cpu/cpu{core}/cpufreq/cpuinfo_max_freq", 1800000)
    load = computer.load()
    assert load.frequency_hz == pytest.approx(1.2e9)
    assert load.highest_frequency_hz == pytest.approx(1.8e9)


@pytest.mark.parametrize(
    ("flags", "answer"),
    [
        ("0", Throttled.NO),
        ("50000", Throttled.NO),  # it was, since the start
        ("1", Throttled.YES),  # low voltage
        ("50004", Throttled.YES),
        ("junk", Throttled.UNKNOWN),
    ],
)
def test_a_raspberry_pi_tells_whether_it_is_throttled_now(
    flags: str, answer: Throttled, computer: Computer
) -> None:
    computer.write("sys/devices/platform/soc/soc:firmware/get_throttled", flags)
    assert computer.load().throttled is answer


@pytest.mark.parametrize(("state", "answer"), [(0, Throttled.NO), (2, Throttled.YES)])
def test_a_cooling_device_of_the_processor_throttles_it(
    state: int, answer: Throttled, computer: Computer
) -> None:
    computer.write("sys/class/thermal/cooling_device0/type", "pwm-fan")
    computer.write("sys/class/thermal/cooling_device0/cur_state", 3)
    computer.write("sys/class/thermal/cooling_device1/type", "cpufreq-cpu0")
    computer.write("sys/class/thermal/cooling_device1/cur_state", state)
    assert computer.load().throttled is answer


@pytest.mark.parametrize(("more", "answer"), [(0, Throttled.NO), (1, Throttled.YES)])
def test_more_throttle_events_than_before_mean_throttled(
    more: int, answer: Throttled, computer: Computer
) -> None:
    count = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
    computer.work(1000, 5000)
    computer.write(count, 7)
    _, ticks = read_load(computer.proc, computer.sys, None)
    computer.work(1100, 5100)
    computer.write(count, 7 + more)
    assert read_load(computer.proc, computer.sys, ticks)[0].throttled is answer


def test_a_computer_that_tells_nothing_has_no_zeros(computer: Computer) -> None:
    load = computer.load()
    assert not load.known
    assert (load.load, load.memory, load.frequency_hz) == (None, None, None)


@pytest.mark.parametrize("text", ["", "cpu", "cpu a b c d e f", "cpu 1 2 3"])
def test_a_damaged_file_is_no_load(text: str, computer: Computer) -> None:
    computer.write("proc/stat", text)
    computer.write("proc/meminfo", "MemTotal: kB")
    assert not computer.load().known
