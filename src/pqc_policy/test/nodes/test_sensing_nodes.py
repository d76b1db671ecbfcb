# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import os
import random
import signal
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from advisor_traffic import Traffic, changed
from diagnostic_msgs.msg import DiagnosticArray
from false_mavros import FalseMavros
from pqc_testing.ports import LOOPBACK, free_ports
from ros_graph import Listener, NodeProcess, own_graph
from test_mirror import battery_status, heartbeat, landed, motion, station

from pqc_msgs.msg import (
    AdvisorVerdict,
    BatteryPrediction,
    ComputerLoad,
    PowerReading,
    ThermalReading,
    VehicleState,
)
from pqc_msgs.srv import CapturePower

CELLS = (3875,) * 4
MAVROS = "/fc"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nodes")


@pytest.fixture(scope="module", autouse=True)
def graph(folder: Path) -> Iterator[None]:
    with own_graph(folder / "logs"):
        yield


@pytest.fixture(scope="module")
def listener(graph: None) -> Iterator[Listener]:
    client = Listener()
    yield client
    client.close()


@pytest.fixture(scope="module")
def mirror_port() -> int:
    return free_ports(1)[0]


@pytest.fixture(scope="module")
def sensing(graph: None, folder: Path, mirror_port: int) -> Iterator[NodeProcess]:
    process = NodeProcess(
        "sensing_node",
        folder / "sensing.txt",
        *("-r", "__ns:=/pqc"),
        *("-p", f"sys_root:={folder / 'sys'}", "-p", "power.i2c_bus:=/nowhere"),
        *("-p", f"proc_root:={folder / 'proc'}"),
        *("-p", f"mirror_address:={LOOPBACK}", "-p", f"mirror_port:={mirror_port}"),
        *("-p", f"capture_dir:={folder / 'captures'}", "-p", "retry_s:=0.5"),
        *("-p", "mavros_silence_s:=3.0", "-p", f"mavros_namespace:={MAVROS}"),
        *("-p", "diagnostic_updater.period:=0.2"),
    )
    yield process
    process.close()


@pytest.fixture(scope="module")
def advisor(graph: None, folder: Path) -> Iterator[NodeProcess]:
    process = NodeProcess(
        "advisor_node",
        folder / "advisor.txt",
        *("-r", "__ns:=/pqc", "-p", "detector:=heuristic"),
        *("-p", "period_s:=0.2", "-p", "diagnostic_updater.period:=0.2"),
    )
    yield process
    process.close()


def diagnosis(arrays: list[DiagnosticArray], name: str) -> str:
    texts = [status.message for array in arrays for status in array.status if status.name == name]
    return texts[-1] if texts else ""


def values(arrays: list[DiagnosticArray], name: str) -> dict[str, str]:
    """Return the newest values of a diagnostic task."""
    found = [status for array in arrays for status in array.status if status.name == name]
    return {entry.key: entry.value for entry in found[-1].values} if found else {}


def hardware(folder: Path, temperature_c: float, power_w: float) -> None:
    zone = folder / "sys/class/thermal/thermal_zone0"
    sensor = folder / "sys/class/hwmon/hwmon0"
    last_digits = random.randrange(50)  # never still
    for place, files in (
        (zone, {"type": "cpu-thermal", "temp": round(temperature_c * 1000) + last_digits}),
        (sensor, {"name": "ina219", "power1_input": round(power_w * 1e6)}),
    ):
        place.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            new = place / f".{name}"
            new.write_text(f"{text}\n")
            new.replace(place / name)


class FalseMirror:
    """Sends what the programs of a vehicle send, as the tunnel's mirror does."""

    def __init__(self, port: int) -> None:
        self._to = (LOOPBACK, port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def publish(self) -> None:
        datagrams = (station(), heartbeat(mode=5), battery_status(), landed(2), motion(climb=0.1))
        for datagram in datagrams:
            self._socket.sendto(datagram, self._to)


def test_absent_hardware_is_logged_once_and_found_when_it_appears(
    sensing: NodeProcess, listener: Listener, folder: Path
) -> None:
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)
    thermal = listener.subscribe(ThermalReading, "/pqc/thermal")
    power = listener.subscribe(PowerReading, "/pqc/power")
    for name, text in (
        ("thermal", f"No thermal zone below {folder / 'sys'}"),
        ("power", "No power sensor"),
        ("battery", "No battery is reported on /fc/battery or from the mirror"),
        (
            "vehicle",
            "No state of the vehicle is reported on /fc/state or from the mirror, "
            "so the armed state is unknown",
        ),
    ):
        listener.wait_for(
            lambda name=name, text=text: diagnosis(diagnostics, f"sensing: {name}") == text, text
        )
    assert (thermal, power) == ([], [])
    for text in ("there is no sensor", "no thermal zone below"):
        listener.wait_for(lambda text=text: text in sensing.output, text)
        assert sensing.output.count(text) == 1

    listener.wait_for(
        lambda: len(thermal) >= 2 and len(power) >= 5,
        "temperature and power",
        lambda: hardware(folder, 61.5, 4.0),
    )
    assert thermal[-1].zone == "cpu-thermal"
    assert thermal[-1].temperature_c == pytest.approx(61.5, abs=0.05)
    assert math.isnan(thermal[0].rate_c_per_min)
    assert (power[-1].source, power[-1].power_w) == ("hwmon", pytest.approx(4.0))
    assert power[-1].energy_j > power[0].energy_j
    listener.wait_for(lambda: diagnosis(diagnostics, "sensing: power") == "4.00 W", "4.00 W")


def test_a_sensor_that_hangs_stops_no_other(
    sensing: NodeProcess, listener: Listener, folder: Path, mirror_port: int
) -> None:
    thermal = listener.subscribe(ThermalReading, "/pqc/thermal")
    vehicles = listener.subscribe(VehicleState, "/pqc/vehicle")
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)
    mirror = FalseMirror(mirror_port)
    hardware(folder, 61.5, 4.0)
    files = [
        folder / "sys/class/hwmon/hwmon0/power1_input",
        folder / "sys/class/thermal/thermal_zone0/temp",
    ]
    for file in files:
        file.unlink()
        os.mkfifo(file)
    try:
        for name, text in (
            ("power", "The power sensor does not answer"),
            (
                "thermal",
                "No thermal zone of the processor can be used: cpu-thermal does not answer",
            ),
        ):
            listener.wait_for(
                lambda name=name, text=text: diagnosis(diagnostics, f"sensing: {name}") == text,
                text,
                mirror.publish,
            )
        vehicles.clear()
        listener.wait_for(lambda: len(vehicles) >= 3, "the vehicle meanwhile", mirror.publish)
    finally:
        ends = [os.open(file, os.O_RDWR | os.O_NONBLOCK) for file in files]
        hardware(folder, 61.5, 4.0)
        for end in ends:
            os.close(end)
    thermal.clear()
    listener.wait_for(lambda: thermal, "the temperature again", lambda: hardware(folder, 61.5, 4.0))


def test_the_computers_load_is_published_and_what_it_does_not_tell_is_not_zero(
    sensing: NodeProcess, listener: Listener, folder: Path
) -> None:
    loads = listener.subscribe(ComputerLoad, "/pqc/computer")
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)
    proc, ticks = folder / "proc", 0

    def work() -> None:
        nonlocal ticks
        ticks += 100
        proc.mkdir(exist_ok=True)
        new = proc / "new"
        new.write_text(f"cpu {ticks} 0 0 {3 * ticks} 0 0 0 0\ncpu0 0\ncpu1 0\n", encoding="utf-8")
        new.replace(proc / "stat")

    listener.wait_for(lambda: loads and loads[-1].load == pytest.approx(0.25), "the load", work)
    assert loads[-1].cores == 2
    assert math.isnan(loads[-1].memory)
    assert loads[-1].throttled == ComputerLoad.THROTTLED_UNKNOWN
    listener.wait_for(
        lambda: diagnosis(diagnostics, "sensing: computer") == "25% of 2 cores", "25 %", work
    )


def test_battery_and_vehicle_come_from_mavros_or_else_from_the_mirror(
    sensing: NodeProcess, listener: Listener, mirror_port: int
) -> None:
    batteries = listener.subscribe(BatteryPrediction, "/pqc/battery")
    vehicles = listener.subscribe(VehicleState, "/pqc/vehicle")
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)
    mavros, mirror = FalseMavros(listener.node, MAVROS), FalseMirror(mirror_port)

    def source_is(source: str) -> bool:
        return all(messages and messages[-1].source == source for messages in (batteries, vehicles))

    listener.wait_for(lambda: source_is("mirror"), "the mirror", mirror.publish)
    assert batteries[-1].voltage_v == pytest.approx(16.01)
    assert batteries[-1].current_a == pytest.approx(16.5)
    assert batteries[-1].temperature_c == pytest.approx(31.2)
    assert 0.0 < batteries[-1].endurance_s < 3600.0
    assert (vehicles[-1].armed, vehicles[-1].mode) == (True, "LOITER")
    listener.wait_for(
        lambda: vehicles[-1].phase == VehicleState.PHASE_TRANSIT, "a phase", mirror.publish
    )
    listener.wait_for(
        lambda: (
            values(diagnostics, "sensing: vehicle").get("autopilot (system:component)") == "1:1"
        ),
        "the autopilot in the diagnostics",
        mirror.publish,
    )
    assert (vehicles[-1].phase_text, vehicles[-1].throttle) == ("transit", pytest.approx(0.45))

    def both() -> None:
        mirror.publish()
        mavros.publish(CELLS, 1250)

    listener.wait_for(
        lambda: (batteries[-1].source, vehicles[-1].source) == ("/fc/battery", "/fc/state"),
        "MAVROS",
        both,
    )

    def in_a_row(messages: list[Any], source: str) -> bool:
        return [message.source for message in messages[-3:]] == [source] * 3

    listener.wait_for(
        lambda: in_a_row(batteries, "/fc/battery") and in_a_row(vehicles, "/fc/state"),
        "more messages of MAVROS",
        both,
    )
    assert batteries[-1].current_a == pytest.approx(12.5)
    assert (vehicles[-1].armed, vehicles[-1].mode) == (True, "OFFBOARD")
    listener.wait_for(
        lambda: vehicles[-1].phase == VehicleState.PHASE_LANDING, "the landing of MAVROS", both
    )
    assert vehicles[-1].climb_m_s == pytest.approx(-0.8)

    listener.wait_for(
        lambda: source_is("mirror"), "the mirror after MAVROS fell silent", mirror.publish
    )


def test_a_battery_without_a_current_is_not_predicted(
    sensing: NodeProcess, listener: Listener
) -> None:
    batteries = listener.subscribe(BatteryPrediction, "/pqc/battery")
    mavros = FalseMavros(listener.node, MAVROS)
    listener.wait_for(
        lambda: batteries and batteries[-1].source == "/fc/battery",
        "a battery without a current",
        lambda: mavros.publish_summary(15500),
    )
    battery = batteries[-1]
    assert battery.voltage_v == pytest.approx(15.5)
    unknown = (battery.current_a, battery.temperature_c, battery.charge, battery.endurance_s)
    assert all(map(math.isnan, unknown))


def test_messages_without_a_voltage_are_not_published_and_keep_the_rate(
    sensing: NodeProcess, listener: Listener
) -> None:
    batteries = listener.subscribe(BatteryPrediction, "/pqc/battery")
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)
    mavros = FalseMavros(listener.node, MAVROS)
    # Another pack starts without the earlier samples.
    assert changed(listener, "battery.cell_resistance_ohm", 0.007, "sensing") == ""

    def publish() -> None:
        mavros.publish(CELLS, 1250)

    def has_rate() -> bool:
        return bool(batteries) and not math.isnan(batteries[-1].rate_mv_per_min)

    listener.wait_for(has_rate, "a rate", publish)
    listener.wait_for(
        lambda: diagnosis(diagnostics, "sensing: battery").startswith("No voltage of the battery"),
        "a battery without a voltage",
        mavros.publish,
    )
    del batteries[:]
    listener.wait_for(has_rate, "another rate", publish)
    for battery in batteries:
        assert battery.voltage_v == pytest.approx(15.5)
        assert abs(battery.rate_mv_per_min) < 10.0
        assert 0.4 < battery.charge < 1.0


def test_the_first_of_two_batteries_is_used(sensing: NodeProcess, listener: Listener) -> None:
    batteries = listener.subscribe(BatteryPrediction, "/pqc/battery")
    mavros = FalseMavros(listener.node, MAVROS)

    def publish() -> None:
        mavros.publish((3500,) * 4, 900, number=1)
        mavros.publish(CELLS, 1250)

    listener.wait_for(
        lambda: batteries and batteries[-1].source == "/fc/battery", "MAVROS", publish
    )
    del batteries[:]
    listener.wait_for(lambda: len(batteries) >= 5, "more messages of MAVROS", publish)
    assert {round(battery.voltage_v, 3) for battery in batteries} == {15.5}


def test_without_a_first_battery_the_autopilots_summary_is_used(
    sensing: NodeProcess, listener: Listener
) -> None:
    batteries = listener.subscribe(BatteryPrediction, "/pqc/battery")
    mavros = FalseMavros(listener.node, MAVROS)

    def publish() -> None:
        mavros.publish((3500,) * 4, 900, number=1)
        mavros.publish_summary(15700, 1250)

    # A message of the previous test may still arrive.
    newest = listener.wait_for(
        lambda: [b for b in batteries if b.voltage_v == pytest.approx(15.7)], "15.7 V", publish
    )
    assert newest[-1].source == "/fc/battery"


def capture(listener: Listener, name: str, seconds: float = 1.0, rate_hz: float = 0.0) -> Any:
    request = CapturePower.Request(seconds=seconds, name=name, rate_hz=rate_hz)
    return listener.begin_call(CapturePower, "/pqc/capture_power", request)


def test_power_is_captured_while_everything_else_continues(
    sensing: NodeProcess, listener: Listener, folder: Path
) -> None:
    hardware(folder, 61.5, 4.0)
    power = listener.subscribe(PowerReading, "/pqc/power")
    listener.wait_for(lambda: power, "power")
    first = capture(listener, "hover", 6.0)
    listener.wait_for((folder / "captures" / "hover.csv").exists, "the start of the capture")
    second = capture(listener, "again")
    power.clear()
    listener.wait_for(second.done, "the rejection")
    assert second.result().message == "A capture is under way already."
    listener.wait_for(first.done, "the capture")
    assert len(power) >= 10
    response = first.result()
    assert response.success, response.message
    assert response.file == str(folder / "captures" / "hover.csv")
    assert 1.0 < response.seconds <= 6.0
    assert response.mean_w == pytest.approx(4.0)
    assert "per second" in response.message
    lines = Path(response.file).read_text().splitlines()
    assert len(lines) == response.samples + 1
    times_s = [float(line.split(",")[0]) for line in lines[1:]]
    # A gap of a second without samples adds no energy.
    covered_s = sum(after - at for at, after in pairwise(times_s) if after - at <= 1.0)
    assert response.energy_j == pytest.approx(4.0 * covered_s, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "seconds", "text"),
    [
        ("../x", 1.0, "is not a valid name for a capture"),
        ("x", 0.0, "more than 0"),
        ("x", 1e9, "at most 3600 s"),
        ("hover", 1.0, "exists already"),
    ],
)
def test_an_invalid_capture_is_rejected(
    name: str, seconds: float, text: str, sensing: NodeProcess, listener: Listener
) -> None:
    future = capture(listener, name, seconds)
    listener.wait_for(future.done, "the rejection")
    assert not future.result().success
    assert text in future.result().message


def test_the_advisor_reports_an_attack_and_stops_publishing_with_the_link(
    advisor: NodeProcess, listener: Listener
) -> None:
    verdicts = listener.subscribe(AdvisorVerdict, "/pqc/advisor")
    diagnostics = listener.subscribe(DiagnosticArray, "/diagnostics", 10)
    listener.wait_for(
        lambda: diagnosis(diagnostics, "advisor: advisor") == "No readings of the link", "silence"
    )
    assert verdicts == []
    fly = Traffic(listener).fly
    listener.wait_for(lambda: verdicts and verdicts[-1].score == 0.0, "a calm link", fly)
    assert verdicts[-1].verdict == AdvisorVerdict.CLEAR
    assert verdicts[-1].packets == pytest.approx(60.0)
    listener.wait_for(
        lambda: verdicts[-1].verdict == AdvisorVerdict.ATTACK,
        "an attack",
        lambda: fly(lost_per_s=80),
    )
    assert (verdicts[-1].verdict_text, verdicts[-1].detector) == ("attack", "heuristic")
    assert (verdicts[-1].attack_class, math.isnan(verdicts[-1].probability)) == ("loss", True)
    assert "datagrams" in verdicts[-1].evidence
    listener.wait_for(lambda: verdicts[-1].verdict == AdvisorVerdict.CLEAR, "a calm link", fly)
    listener.wait_for(
        lambda: verdicts[-1].verdict == AdvisorVerdict.ATTACK,
        "forged datagrams",
        lambda: fly(forged_per_s=40),
    )
    assert (verdicts[-1].detector, verdicts[-1].attack_class) == ("counters", "forgery")
    assert dict(zip(verdicts[-1].detectors, verdicts[-1].scores, strict=True)) == {
        "heuristic": pytest.approx(0.0),
        "counters": 1.0,
    }
    listener.wait_for(
        lambda: diagnosis(diagnostics, "advisor: advisor") == "No readings of the link", "silence"
    )
    before = len(verdicts)
    del diagnostics[:]
    listener.wait_for(
        lambda: len([a for a in diagnostics if a.status[0].name == "advisor: advisor"]) >= 8,
        "some time",
    )
    assert len(verdicts) == before


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("attack_score", 2.0, "range"),
        ("detector", "oracle", "There is no detector oracle."),
        ("further_detectors", ["oracle"], "There is no detector oracle."),
        ("period_s", 2.0, "read-only"),
    ],
)
def test_an_invalid_live_change_is_rejected(
    name: str, value: Any, text: str, advisor: NodeProcess, listener: Listener
) -> None:
    assert text in changed(listener, name, value)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_both_nodes_end_with_exit_code_0_and_without_a_traceback(
    number: signal.Signals, request: pytest.FixtureRequest
) -> None:
    name = {signal.SIGTERM: "sensing", signal.SIGINT: "advisor"}[number]
    process: NodeProcess = request.getfixturevalue(name)
    assert process.stop(number) == 0
    assert "Traceback" not in process.output
