# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Vehicle, tap and MAVProxy as processes over plain UDP, without a tunnel between them."""

from __future__ import annotations

import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pqc_sim.datagrams.counting import FlowCount, compare
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.demo.mavproxy import GroundProgramError, MavProxy, find_mavproxy
from pqc_sim.vehicle.parameter_table import TABLE
from processes import HOST, LIMIT_S, Program, free_endpoint, ground_tap, vehicle
from pymavlink.dialects.v20 import ardupilotmega as mavlink

MISSION = Path(__file__).parents[1] / "missions" / "box.waypoints"


def set_parameter(pilot: MavProxy, name: str, value: float) -> None:
    """Set a parameter, and read it until the vehicle has it: MAVProxy sends in its own time."""
    pilot.send(f"param set {name} {value:g}")
    deadline = time.monotonic() + LIMIT_S
    held = None
    while held != value:
        assert time.monotonic() < deadline, f"{name} is {held}"
        place = pilot.send(f"param fetch {name}")
        held = float(pilot.wait_for(rf"{name} = (\S+)", place)[1])


def test_mavproxy_downloads_all_parameters_and_flies_an_uploaded_mission(tmp_path: Path) -> None:
    tunnel, ground = free_endpoint(), free_endpoint()
    with (
        ground_tap(tmp_path, tunnel, ground) as tap,
        vehicle(tmp_path, tunnel, "--hold") as copter,
        MavProxy(ground, tmp_path) as pilot,
    ):
        for program in (tap, copter):
            program.wait_until(bool)
        copter.signal(signal.SIGUSR1)
        assert pilot.wait_for_vehicle() == 1
        parameters = pilot.download_parameters()
        assert {entry.name for entry in TABLE} == set(parameters)
        for entry in TABLE:
            assert parameters[entry.name] == pytest.approx(entry.default, rel=1e-6)

        set_parameter(pilot, "RTL_ALT", 2000)
        assert pilot.upload_mission(MISSION) == 8
        written = MISSION.read_text(encoding="utf-8").splitlines()
        held = pilot.download_mission()
        assert [line.split()[2:4] for line in held[1:]] == [
            line.split()[2:4] for line in written[1:]
        ]

        pilot.wait_for("GPS lock at")
        pilot.set_mode("GUIDED")
        assert pilot.arm() == "ACCEPTED"
        assert pilot.take_off(5) == "ACCEPTED"
        pilot.set_mode("AUTO")
        copter.wait_until(lambda summary: summary["vehicle"]["height_m"] > 2.0)
        assert pilot.command("disarm", "COMPONENT_ARM_DISARM") == "FAILED"
        pilot.set_mode("LAND")
        pilot.close()

        at_vehicle = copter.stop()
        at_ground = tap.stop()
    down = compare(at_vehicle["sent"], at_ground["received"])
    up = compare(at_ground["sent"], at_vehicle["received"])
    assert down.identical, down
    assert up.identical, up
    assert down.received > len(TABLE)
    assert up.received > 20


def test_the_ground_station_works_through_a_flight_by_itself(tmp_path: Path) -> None:
    ground = free_endpoint()
    arguments = ("--listen", ground, "--mission", MISSION, "--fly")
    with (
        vehicle(tmp_path, ground) as copter,
        Program("pqc_sim.demo.ground_station", tmp_path / "ground.json", *arguments) as station,
    ):
        station.wait_until(lambda summary: summary.get("state") == "watching")
        copter.wait_until(lambda summary: summary["vehicle"]["mode"] == "AUTO")
        station.signal(signal.SIGUSR1)
        station.wait_until(lambda summary: summary["parameters_again"] == len(TABLE))
        assert station.summary["links_lost"] == 0
        copter.stop()
        station.wait_until(lambda summary: summary["links_lost"] == 1)
        done = station.stop(signal.SIGTERM)
    assert (done["vehicle"], done["parameters"], done["mission_items"]) == (1, len(TABLE), 8)
    assert done["fault"] is None


def test_a_vehicle_on_hold_stays_silent_until_the_signal(tmp_path: Path) -> None:
    port = UdpPort(Endpoint(HOST, 0))
    # Slowly: nobody receives meanwhile, and all of it must fit into a small buffer.
    with vehicle(tmp_path, port.address, "--hold", "--rate", 50) as copter:
        copter.wait_until(lambda summary: summary.get("state") == "holding")
        assert list(port.receive_all()) == []
        copter.signal(signal.SIGUSR1)
        copter.wait_until(lambda summary: summary.get("state") == "running")
        final = copter.stop()
    count = FlowCount()
    for datagram, _ in port.receive_all():
        count.note(datagram)
    assert count.datagrams > 0
    assert compare(final["sent"], count.as_dict()).identical
    port.close()


def test_a_stopped_vehicle_still_counts_datagrams_in_flight(tmp_path: Path) -> None:
    port = UdpPort(Endpoint(HOST, 0))
    codec = mavlink.MAVLink(None, 255, 190)
    heartbeat = bytes(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 4, 3).pack(codec))
    with vehicle(tmp_path, port.address) as copter:
        copter.wait_until(lambda summary: summary.get("state") == "running")
        ready, _, _ = select.select([port], [], [], LIMIT_S)
        assert ready, "the vehicle sends nothing"
        _, sender = next(port.receive_all())
        copter.signal(signal.SIGINT)
        port.send(heartbeat, sender)
        assert copter.wait() == 0
        assert copter.summary["received"]["datagrams"] == 1
    port.close()


def test_the_tap_relays_unchanged_and_ignores_other_senders(tmp_path: Path) -> None:
    bind, ground = free_endpoint(), UdpPort(Endpoint(HOST, 0))
    tunnel, stranger = UdpPort(Endpoint(HOST, 0)), UdpPort(Endpoint(HOST, 0))
    with ground_tap(tmp_path, bind, ground.address, "--tunnel", tunnel.address) as tap:
        tap.wait_until(bool)
        stranger.send(b"not for you", bind)
        for number in range(20):
            tunnel.send(b"down %d" % number, bind)
        tap.wait_until(lambda summary: summary["received"]["datagrams"] == 20)
        down = list(ground.receive_all())
        assert [datagram for datagram, _ in down] == [b"down %d" % n for n in range(20)]
        ground.send(b"up", down[0][1])
        tap.wait_until(lambda summary: summary["sent"]["datagrams"] == 1)
        assert [datagram for datagram, _ in tunnel.receive_all()] == [b"up"]
        assert tap.stop()["strangers"] == 1
    for port in (ground, tunnel, stranger):
        port.close()


@pytest.mark.parametrize("program", [vehicle, ground_tap])
def test_a_port_in_use_is_one_clear_sentence(tmp_path: Path, program: object) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((HOST, 0))
        used = Endpoint(HOST, taken.getsockname()[1])
        if program is vehicle:
            started = vehicle(tmp_path, free_endpoint(), "--bind", used)
        else:
            started = ground_tap(tmp_path, used, free_endpoint())
        with started:
            assert started.wait() == 1
            assert started.errors().endswith(
                f": cannot use UDP port {used}: Address already in use\n"
            )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--tunnel", "nowhere"], "'nowhere' isn't an address of the form HOST:PORT"),
        (["--tunnel", "local:1"], "'local' isn't a numeric address"),
        (["--rate", "0"], "'0' isn't a rate from 1 to 20000 per second"),
        (["--charge", "120"], "'120' isn't a percentage from 0 to 100"),
    ],
)
def test_a_bad_argument_is_one_clear_sentence(arguments: list[str], sentence: str) -> None:
    address = str(Endpoint(HOST, 0))
    command = [sys.executable, "-m", "pqc_sim.vehicle.vehicle_process", "--bind", address]
    run = subprocess.run(
        [*command, "--tunnel", address, *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].endswith(sentence)


def test_a_mavproxy_on_the_path_runs_by_its_own_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "mavproxy.py"
    program.write_text("#!/bin/sh\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert find_mavproxy() == [str(program)]


def test_a_mavproxy_that_cannot_start_reports_the_cause(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((HOST, 0))
        used = Endpoint(HOST, taken.getsockname()[1])
        with (
            MavProxy(used, tmp_path) as pilot,
            pytest.raises(GroundProgramError, match=r"MAVProxy ended early: .*in use"),
        ):
            pilot.wait_for_vehicle()
