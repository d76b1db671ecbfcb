# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pqc_bench.collectors.collector import Collector
from pqc_bench.collectors.disturbance import RUN_VARIABLE, disturbance, snapshot
from pqc_bench.collectors.environment import EnvironmentCollector
from pqc_bench.collectors.latency import LatencyCollector
from pqc_bench.collectors.mavlink import MavlinkCollector
from pqc_bench.collectors.network import NetworkCollector, interface_counters, udp_buffer_errors
from pqc_bench.collectors.sampled import sampled
from pqc_bench.collectors.system import SystemCollector
from pqc_sim.processes.summary_file import write_summary


class Clock:
    """A clock that only tests advance."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Flaky(Collector):
    """A collector whose source fails from some time on."""

    name = "flaky"
    works = True

    def _look(self) -> bool:
        if not self.works:
            raise OSError("gone")
        return True

    def _result(self) -> dict[str, Any]:
        return {"value": 1}


def test_a_collector_that_falls_silent_is_dead_and_breaks_nothing() -> None:
    clock = Clock()
    collector = Flaky(0.2, clock)
    collector.start()
    for _ in range(5):
        clock.now += 0.2
        collector.sample()
    collector.works = False
    for _ in range(20):
        clock.now += 0.2
        collector.sample()
    health = collector.stop()["health"]
    assert health["samples"] == 5
    assert health["longest_gap_ms"] == pytest.approx(4000.0)
    assert health["alive"] is False


def watched(interval_s: float, seconds: float, takes: Callable[[float], bool]) -> dict[str, Any]:
    """Return the health of a collector that is asked five times a second."""
    clock = Clock()
    collector = Flaky(interval_s, clock)
    collector.start()
    began = clock.now
    while clock.now - began < seconds - 0.2:
        clock.now += 0.2
        collector.works = takes(clock.now - began)
        collector.sample()
    clock.now = began + seconds
    collector.works = takes(seconds)
    return collector.stop()["health"]


@pytest.mark.parametrize("interval_s", [0.2, 1.0])
def test_one_sample_at_the_beginning_of_two_seconds_is_a_dead_collector(interval_s: float) -> None:
    health = watched(interval_s, 2.05, lambda passed: passed < 0.3)
    assert health == {"samples": 1, "longest_gap_ms": pytest.approx(1850.0), "alive": False}


def test_few_samples_are_a_dead_collector_even_if_the_last_one_comes() -> None:
    assert watched(0.2, 2.05, lambda passed: passed > 2.0)["alive"] is False
    assert watched(0.2, 2.05, lambda passed: passed > 1.1)["alive"] is True


def test_a_source_with_one_report_a_second_needs_one_sample_in_a_second() -> None:
    assert watched(1.0, 1.05, lambda passed: passed < 0.3)["alive"] is True


def test_the_environment_is_collected_once() -> None:
    collector = EnvironmentCollector()
    collector.start()
    found = collector.stop()
    assert found["cpu_cores"] >= 1
    assert found["memory_mib"] > 0.0
    assert found["liboqs"].count(".") == 2
    assert found["health"]["alive"] is True


def test_the_system_is_sampled_with_its_temperature(tmp_path: Path) -> None:
    zone = tmp_path / "class" / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "type").write_text("cpu-thermal\n")
    (zone / "temp").write_text("61200\n")
    collector = SystemCollector({"drone": os.getpid(), "gcs": os.getpid()}, tmp_path)
    collector.start()
    sum(range(2_000_000))
    found = collector.stop()
    drone = found["drone"]
    assert drone["cpu_s"] > 0.0
    assert drone["resident_mib"]["max"] > 1.0
    assert drone["threads"] >= 1
    assert drone["temperature_c"] == sampled([61.2])
    assert drone["machine_memory_mib"]["mean"] > 0.0


def test_without_a_thermal_zone_there_is_no_temperature(tmp_path: Path) -> None:
    collector = SystemCollector({"drone": os.getpid()}, tmp_path)
    collector.start()
    assert collector.stop()["drone"]["temperature_c"] is None


def test_a_process_that_has_ended_makes_the_collector_dead(tmp_path: Path) -> None:
    gone = 2**22 - 1
    collector = SystemCollector({"drone": gone}, tmp_path)
    collector.start()
    assert collector.stop()["health"]["alive"] is False


DEV = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo
    lo:  1000      10    1    2    0     0          0         0     2000      20    3    4    0
"""
SNMP = """Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
Udp: 100 1 0 100 5 2
"""


def test_network_counters_are_those_of_the_interface() -> None:
    assert interface_counters(DEV, "lo") == {
        "interface_rx_bytes": 1000,
        "interface_tx_bytes": 2000,
        "interface_errors": 4,
        "interface_drops": 6,
    }
    assert interface_counters(DEV, "wlan0") == {}
    assert udp_buffer_errors(SNMP) == 7


def test_a_missing_interface_makes_the_collector_dead() -> None:
    collector = NetworkCollector([], "nowhere0")
    collector.start()
    assert collector.stop()["health"]["alive"] is False


def report(second: int, *, valid: bool = True) -> dict[str, Any]:
    return {
        "stamp": {"sec": second, "nanosec": 0},
        "clock_valid": valid,
        "rtt_s": 0.002,
        "delay_to_peer_s": 0.001,
        "delay_from_peer_s": 0.001,
        "clock_offset_s": 0.5,
        "clock_error_s": 0.0001,
        "clock_drift_ppm": 1.5,
    }


def test_each_valid_comparison_of_clocks_counts_once() -> None:
    reports: list[dict[str, Any] | None] = [None, report(1, valid=False), report(2), report(2)]
    collector = LatencyCollector(lambda: reports.pop(0) if reports else report(3))
    collector.start()
    for _ in range(5):
        collector.sample()
    found = collector.stop()
    assert found["samples"] == 2
    assert found["rtt_ms"] == pytest.approx(2.0)
    assert found["clock_offset_ms"] == pytest.approx(500.0)


def test_without_a_comparison_of_clocks_there_are_no_figures() -> None:
    collector = LatencyCollector(lambda: None)
    collector.start()
    found = collector.stop()
    assert found["valid"] is False
    assert found["health"]["alive"] is False


def test_the_loads_report_is_read_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "load.json"
    collector = MavlinkCollector(file, lambda: True)
    collector.start()
    collector.sample()
    write_summary(file, {"load": "mavlink"})
    assert collector.stop()["report"] == {"load": "mavlink"}


def test_a_load_that_ended_without_a_report_is_a_dead_collector(tmp_path: Path) -> None:
    collector = MavlinkCollector(tmp_path / "load.json", lambda: False)
    collector.start()
    found = collector.stop()
    assert found["report"] is None
    assert found["health"]["alive"] is False


def counters(busy_s: float, own_s: float, total_s: float, **more: Any) -> dict[str, Any]:
    usual = {"stolen_s": 0.0, "processes": 10, "mhz": None, "governors": [], "throttled": 0}
    usual["firmware_limits"] = None
    return {"busy_s": busy_s, "own_s": own_s, "total_s": total_s, **usual, **more}


def test_foreign_load_is_the_cpu_that_no_process_of_the_cell_used() -> None:
    found = disturbance(
        {
            "launched": counters(100.0, 1.0, 400.0, mhz=2400.0),
            "established": counters(103.0, 3.5, 404.0, mhz=1500.0),
            "traffic": counters(110.0, 4.0, 420.0, mhz=2400.0),
            "stopping": counters(
                112.0, 4.4, 424.0, mhz=2400.0, stolen_s=0.2, throttled=2, governors=["ondemand"]
            ),
        }
    )
    # 0.5 s of 4 s at the start, 1.6 s of 4 s during the traffic.
    assert found["foreign_cpu_percent"] == pytest.approx(40.0)
    assert found["stolen_cpu_percent"] == pytest.approx(5.0)
    assert (found["slowest_mhz"], found["fastest_mhz"]) == (1500.0, 2400.0)
    assert (found["throttled"], found["governor"]) == (2, "ondemand")
    assert 0.0 < found["foreign_cpu_resolution_percent"] < 10.0


def test_programs_of_the_other_end_on_this_machine_are_none_of_a_stranger() -> None:
    source = "from pqc_bench.collectors.disturbance import snapshot; print(snapshot()['processes'])"
    counted = []
    for run in ("own", "another"):
        named = {**os.environ, RUN_VARIABLE: run}
        with subprocess.Popen(["sleep", "60"], env={**os.environ, RUN_VARIABLE: "own"}) as other:
            words = [sys.executable, "-c", source]
            counted.append(int(subprocess.check_output(words, env=named, text=True)))
            other.kill()
    assert counted == [2, 1]


def test_a_cell_that_failed_early_has_no_disturbances() -> None:
    assert disturbance({"launched": counters(1.0, 1.0, 1.0)}) is None


def test_clock_governor_and_throttling_are_read_where_the_machine_has_them(tmp_path: Path) -> None:
    cpu = tmp_path / "devices/system/cpu/cpu0"
    files = {
        "cpufreq/scaling_cur_freq": 1500000,
        "cpufreq/scaling_governor": "schedutil",
        "thermal_throttle/core_throttle_count": 7,
    }
    for name, value in files.items():
        (cpu / name).parent.mkdir(parents=True, exist_ok=True)
        (cpu / name).write_text(f"{value}\n")
    found = snapshot(tmp_path)
    assert (found["mhz"], found["governors"], found["throttled"]) == (1500.0, ["schedutil"], 7)
    assert found["own_s"] > 0.0
    assert found["total_s"] >= found["busy_s"] > 0.0
    (tmp_path / "none").mkdir()
    assert snapshot(tmp_path / "none")["mhz"] is None
    assert snapshot(tmp_path / "none")["governors"] == []


MOMENTS = ("launched", "established", "traffic", "stopping")


@pytest.mark.parametrize(
    ("flags", "throttled"),
    [
        (("0", "0", "0", "0"), 0),
        (("50005", "50005", "50005", "50005"), 1),  # throughout, since before the cell
        (("50004", "50000", "50000", "50000"), 1),  # only at the start
        (("0", "0", "80008", "80000"), 1),
        (("50000", "50000", "50000", "50000"), 0),  # once, before the cell
        (("0", "0", "40000", "40000"), 1),  # between two looks
        (("40000", "0", "40000", "0"), 1),  # the kernel's monitor has cleared the flag meanwhile
        (("10000", "10001", "10001", "10001"), 0),  # a low voltage alone slows nothing
        (("junk", "0", "0", "0"), 0),
    ],
)
def test_a_raspberry_pi_that_was_slowed_down_at_any_moment_was_throttled(
    flags: tuple[str, ...], throttled: int, tmp_path: Path
) -> None:
    firmware = tmp_path / "devices/platform/soc/soc:firmware"
    firmware.mkdir(parents=True)
    taken = {}
    for moment, text in zip(MOMENTS, flags, strict=True):
        (firmware / "get_throttled").write_text(f"{text}\n")
        taken[moment] = snapshot(tmp_path)
    found = disturbance(taken)
    assert found["throttled"] == throttled
