# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Loads of outside programs: a vehicle's command or device, and MAVProxy at both ends."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from observed_cell import observed_cell
from pqc_bench.cell.outside import UdpTalker
from pqc_bench.cell.relayed_load import RelayedLoad, relayed_load
from pqc_bench.cell.vehicle_option import check_vehicle, device_and_baud, is_device
from pqc_bench.harness.blaster import Applications
from pqc_bench.metrics.aggregator import aggregate
from pqc_bench.metrics.canonical import seal
from pqc_bench.metrics.schema import problems
from pqc_sim.datagrams.mavlink_frames import split_frames
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pqc_testing.ports import LOOPBACK, free_ports

LIMIT_S = 100.0
VEHICLE = "pqc_sim.vehicle.vehicle_process"
RATE_HZ = 320


class Until:
    """A control that stops a load on a condition."""

    def __init__(self, condition: Any) -> None:
        self._condition = condition
        self._deadline = time.monotonic() + LIMIT_S

    def stopped(self, load: RelayedLoad) -> bool:
        assert time.monotonic() < self._deadline
        return bool(self._condition(load))

    def sources(self) -> list[object]:
        return []


@contextmanager
def plain_tunnel(drop: int = 0) -> Iterator[Applications]:
    """Pass datagrams between both plaintext ports; of the drone's every `drop`th is lost."""
    drone, ground = (UdpPort(Endpoint(LOOPBACK, 0)) for _ in range(2))
    binds = [Endpoint(LOOPBACK, port) for port in free_ports(2)]
    over, stop = os.pipe()

    def carry() -> None:
        count = 0
        while True:
            ready, _, _ = select.select([drone, ground, over], [], [])
            if over in ready:
                return
            for datagram, _ in drone.receive_all():
                count += 1
                if not drop or count % drop:
                    ground.send(datagram, binds[1])
            for datagram, _ in ground.receive_all():
                drone.send(datagram, binds[0])

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        yield Applications(drone.address, ground.address, *binds)
    finally:
        os.write(stop, b"x")
        thread.join()
        for end in (over, stop):
            os.close(end)
        drone.close()
        ground.close()


def passed(count: int, answers: int = 3) -> Until:
    """Stop after so many datagrams of the vehicle, and answers from it."""
    return Until(lambda load: load._down.delivered >= count and load._up.delivered >= answers)


def test_a_vehicles_command_flies_through_the_tunnel_and_what_it_says_is_recorded(
    tmp_path: Path,
) -> None:
    command = f"{sys.executable} -m {VEHICLE} --bind {LOOPBACK}:0 --tunnel {LOOPBACK}:{{port}}"
    check_vehicle(command)
    with (
        plain_tunnel() as where,
        relayed_load(where, command, RATE_HZ, tmp_path / "logs", mavproxy=False) as load,
    ):
        report = load.run(passed(400))
    assert report["mavlink"]["compared"]["drone_to_gcs"]["identical"]
    assert report["round_trip"]["count"] >= 1
    assert report["mavlink"]["source"] == command
    seen = report["mavlink"]["seen"]
    assert (seen["armed"], seen["mode"]) == (False, "STABILIZE")
    assert 14.0 < seen["battery_v"] < 17.0
    assert seen["predicted_flight_constraint_w"] > 0.0
    assert report["load"] == "mavlink"
    assert [end["program"] for end in report["mavlink"]["ends"].values()] == [None, None]
    assert metrics_of(report, command)["l_flight_controller"]["source"] == command


def metrics_of(report: dict[str, Any], vehicle: str) -> dict[str, Any]:
    """Return the metrics of a cell with this report of its load; they follow the schema."""
    seen = observed_cell()
    seen.load, seen.vehicle = report["load"], vehicle
    seen.collected["mavlink"]["report"] = report
    metrics = seal(aggregate(seen))
    assert problems(metrics) == []
    return metrics


def test_what_the_tunnel_loses_is_counted_by_datagrams_and_by_sequence(tmp_path: Path) -> None:
    with (
        plain_tunnel(drop=10) as where,
        relayed_load(where, "", RATE_HZ, tmp_path / "logs", mavproxy=False) as load,
    ):
        report = load.run(passed(200))
    flow = report["flows"]["drone_to_gcs"]
    assert flow["lost"] == pytest.approx(flow["offered"] / 10, abs=1.0)
    counted = report["mavlink"]["ends"]["gcs"]["received"]["lost_by_sequence"]
    assert 0 < counted <= flow["lost"]
    assert metrics_of(report, "")["j_mavlink_gcs"]["sequence_gaps"] == counted


def test_an_autopilot_on_a_serial_device_flies_through_the_tunnel(tmp_path: Path) -> None:
    master, device = os.openpty()
    tty.setraw(device)
    vehicle = Vehicle(VehicleOptions(rate_hz=RATE_HZ), time.monotonic_ns(), time.time_ns())
    over = threading.Event()
    answered: list[bytes] = []

    def fly() -> None:
        while not over.is_set():
            ready, _, _ = select.select([master], [], [], 0.01)
            if ready:
                answered.append(os.read(master, 4096))
            # In pieces, as a serial line gives them.
            octets = b"".join(vehicle.advance(time.monotonic_ns()))
            for at in range(0, len(octets), 50):
                os.write(master, octets[at : at + 50])

    path = f"{os.ttyname(device)},115200"
    assert is_device(path)
    thread = threading.Thread(target=fly)
    thread.start()
    try:
        with (
            plain_tunnel() as where,
            relayed_load(where, path, RATE_HZ, tmp_path / "logs", mavproxy=False) as load,
        ):
            report = load.run(passed(100))
    finally:
        over.set()
        thread.join()
    assert report["mavlink"]["compared"]["drone_to_gcs"]["identical"]
    assert report["mavlink"]["ends"]["gcs"]["types"]["ATTITUDE"] > 0
    assert split_frames(b"".join(answered)).frames
    assert device_and_baud(path)[1] == 115200


def test_mavproxy_at_both_ends_counts_what_it_lost_and_what_it_used(tmp_path: Path) -> None:
    with (
        plain_tunnel(drop=20) as where,
        relayed_load(where, "", RATE_HZ, tmp_path / "logs", mavproxy=True) as load,
    ):
        report = load.run(passed(500))
    assert report["load"] == "mavproxy"
    assert report["flows"]["drone_to_gcs"]["lost"] > 0
    assert report["flows"]["gcs_to_drone"]["lost"] == 0
    metrics = metrics_of(report, "")
    ground = metrics["j_mavlink_gcs"]["program"]
    assert ground["name"] == "MAVProxy"
    assert ground["packets"] > 400
    assert ground["lost"] > 0
    assert ground["resident_mib"]["max"] > 10.0
    assert metrics["i_mavlink_drone"]["program"]["lost"] == 0
    assert metrics["a_run_context"]["load"] == "mavproxy"
    assert metrics["k_mavlink_integrity"]["gcs_to_drone"]["identical"] is True


def test_a_talker_answers_whoever_sent_last() -> None:
    talker, other = UdpTalker(), UdpPort(Endpoint(LOOPBACK, 0))
    talker.send(b"to nobody")
    other.send(b"hello", talker.address)
    select.select([talker], [], [], LIMIT_S)
    assert talker.receive() == [b"hello"]
    talker.send(b"answer")
    select.select([other], [], [], LIMIT_S)
    assert [datagram for datagram, _ in other.receive_all()] == [b"answer"]
    other.close()


@pytest.mark.parametrize(
    ("vehicle", "sentence"),
    [
        ("/dev/ttyNone7", "there is no device /dev/ttyNone7"),
        ("/dev/null,fast", "'fast' is no baud rate"),
        ("/dev/null", "'sudo usermod -aG root"),
        ("no_such_autopilot {port}", "there is no program 'no_such_autopilot'"),
        ("true --out 14550", r"needs \{port\}"),
        ("'open", "isn't a command of a vehicle"),
        ("", "names neither a device nor a program"),
    ],
)
def test_a_vehicle_that_cant_be_is_one_clear_sentence(
    vehicle: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, *_: not str(path).startswith("/dev"))
    with pytest.raises(RunFault, match=sentence):
        check_vehicle(vehicle)


def test_a_vehicle_that_ends_at_once_is_one_clear_sentence(tmp_path: Path) -> None:
    command = f"{sys.executable} -c 'print(\"no frame given\")' {{port}}"
    with (
        plain_tunnel() as where,
        pytest.raises(RunFault, match="program has ended: no frame given"),
        relayed_load(where, command, RATE_HZ, tmp_path / "logs", mavproxy=False),
    ):
        pass


def test_a_device_that_is_none_is_one_clear_sentence(tmp_path: Path) -> None:
    with (
        plain_tunnel() as where,
        pytest.raises(RunFault, match="/dev/null can't be opened"),
        relayed_load(where, "/dev/null", RATE_HZ, tmp_path / "logs", mavproxy=False),
    ):
        pass
