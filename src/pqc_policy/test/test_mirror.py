# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pqc_policy.sensing.battery.reading import BatteryReading, reading_of
from pqc_policy.sensing.flight_modes import mode_name
from pqc_policy.sensing.mirror import MESSAGES, LandedReading, Mirror, VehicleReading, frames
from pqc_policy.sensing.mission_phase import Motion
from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from unknown_currents import UNKNOWN_CURRENTS

DRONE_FILE = Path(__file__).parents[3] / "config" / "drone.yaml"
ARMED = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED | mavlink.MAV_MODE_FLAG_SAFETY_ARMED


def packed(message: mavlink.MAVLink_message, system: int = 1, component: int = 1) -> bytes:
    return bytes(message.pack(mavlink.MAVLink(None, system, component)))


def heartbeat(
    system: int = 1,
    mode: int = 3,
    base: int = ARMED,
    kind: int = mavlink.MAV_TYPE_QUADROTOR,
    autopilot: int = mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA,
    component: int = 1,
) -> bytes:
    return packed(
        mavlink.MAVLink_heartbeat_message(kind, autopilot, base, mode, 4, 3), system, component
    )


def part(kind: int = mavlink.MAV_TYPE_GENERIC, component: int = 154, system: int = 1) -> bytes:
    """Return a heartbeat of a part that says it was an autopilot."""
    autopilot = mavlink.MAV_AUTOPILOT_GENERIC
    return heartbeat(system, 0, 0, kind=kind, autopilot=autopilot, component=component)


def station() -> bytes:
    return packed(
        mavlink.MAVLink_heartbeat_message(
            mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 4, 3
        ),
        255,
        190,
    )


def camera() -> bytes:
    return packed(
        mavlink.MAVLink_heartbeat_message(
            mavlink.MAV_TYPE_CAMERA, mavlink.MAV_AUTOPILOT_INVALID, ARMED, 0, 4, 3
        ),
        1,
        100,
    )


def battery_status(
    cells: tuple[int, ...] = (4000, 4000, 4010, 4000),
    current: int = 1650,
    temperature: int = 3120,
    number: int = 0,
    more_cells: tuple[int, ...] = (0, 0, 0, 0),
    **sender: int,
) -> bytes:
    voltages = [*cells, *(65535,) * (10 - len(cells))]
    return packed(
        mavlink.MAVLink_battery_status_message(
            number, 0, 0, temperature, voltages, current, -1, -1, 80, voltages_ext=[*more_cells]
        ),
        **sender,
    )


def sys_status(millivolts: int = 15900, current: int = 1200, **sender: int) -> bytes:
    return packed(
        mavlink.MAVLink_sys_status_message(0, 0, 0, 200, millivolts, current, 80, 0, 0, 0, 0, 0, 0),
        **sender,
    )


def motion(climb: float = 1.5, throttle: int = 45) -> bytes:
    return packed(mavlink.MAVLink_vfr_hud_message(6.1, 6.0, 90, throttle, 120.0, climb))


def landed(state: int = 2, **sender: int) -> bytes:
    return packed(mavlink.MAVLink_extended_sys_state_message(0, state), **sender)


def other() -> bytes:
    return packed(mavlink.MAVLink_attitude_message(0, 0, 0, 0, 0, 0, 0))


def listening() -> Mirror:
    mirror = Mirror()
    mirror.take(heartbeat(), 0.0)
    return mirror


def test_the_shipped_tunnel_copies_what_sensing_reads_and_no_more() -> None:
    parameters = yaml.safe_load(DRONE_FILE.read_text(encoding="utf-8"))
    copied = parameters["/**/tunnel"]["ros__parameters"]["mirror_messages"]
    assert sorted(map(int, copied)) == sorted(MESSAGES)


@pytest.mark.parametrize("number", MESSAGES)
def test_the_checksum_of_each_message_is_that_of_its_definition(number: int) -> None:
    assert MESSAGES[number][0] == mavlink.mavlink_map[number].crc_extra


def test_every_mode_has_the_name_that_pymavlink_gives_it() -> None:
    kinds = {number for number in range(48) if Mirror().take(heartbeat(kind=number), 0.0)}
    numbers = (*range(40), *(main << 16 | sub << 24 for main in range(12) for sub in range(12)))
    autopilots = (mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA, mavlink.MAV_AUTOPILOT_PX4)
    for kind, autopilot, base, number in itertools.product(kinds, autopilots, (ARMED, 4), numbers):
        message = mavlink.MAVLink_heartbeat_message(kind, autopilot, base, number, 4, 3)
        named = mode_name(kind, autopilot, base, number)
        assert named == mavutil.mode_string_v10(message), (kind, autopilot, base, number)


@given(
    *(st.integers(0, 65535),) * 2,
    *(st.integers(-32768, 32767),) * 2,
    st.lists(st.integers(0, 65535), min_size=14, max_size=14),
    st.booleans(),
)
def test_batteries_are_read_as_pymavlink_reads_them(
    millivolts: int, drop: int, current: int, temperature: int, cells: list[int], old: bool
) -> None:
    sender = mavlink.MAVLink(None, 1, 1)
    details = mavlink.MAVLink_battery_status_message(
        0, 1, 2, temperature, cells[:10], current, 3, 4, 80, 5, 6, cells[10:], 7, 8
    )
    summary = mavlink.MAVLink_sys_status_message(
        1, 2, 3, 200, millivolts, current, 80, drop, drop, 1, 2, 3, 4
    )
    known = [cell for cell in cells if cell != 65535]
    for message, volts, celsius in (
        (details, sum(known) / 1000.0, temperature / 100.0),
        (summary, millivolts / 1000.0, None),
    ):
        frame = bytes(message.pack(sender, force_mavlink1=old))
        read = reading_of(volts, current / 100.0, celsius)
        assert listening().take(frame, 0.0) == ([read] if read else [])


def test_armed_and_mode_come_from_the_autopilot() -> None:
    mirror = Mirror()
    assert mirror.take(heartbeat(), 0.0) == [VehicleReading(True, "AUTO")]
    assert mirror.take(heartbeat(mode=0, base=1), 1.0) == [VehicleReading(False, "STABILIZE")]


def test_only_heartbeats_of_the_autopilot_are_used() -> None:
    mirror = Mirror()
    assert mirror.take(station() + camera() + battery_status(), 0.0) == []
    mirror.take(heartbeat(), 1.0)
    assert mirror.take(station() + camera(), 2.0) == []
    assert mirror.take(battery_status(system=255, component=190), 2.0) == []
    assert mirror.take(battery_status(component=100), 2.0) == []
    assert mirror.autopilot == (1, 1)


def test_another_autopilot_is_used_only_after_10_s_of_silence() -> None:
    mirror = listening()
    assert mirror.take(heartbeat(system=2), 9.9) == []
    assert mirror.take(heartbeat(system=2), 10.1) == [VehicleReading(True, "AUTO")]
    assert mirror.autopilot == (2, 1)


@pytest.mark.parametrize(
    "first",
    [
        part(),
        part(component=100),
        part(component=1, system=3),
        part(mavlink.MAV_TYPE_QUADROTOR),
        heartbeat(base=0, component=158, autopilot=mavlink.MAV_AUTOPILOT_PX4),
    ],
    ids=("gimbal", "camera", "other system", "says quadrotor", "says autopilot"),
)
def test_a_part_that_speaks_first_gives_way_to_the_autopilot(first: bytes) -> None:
    mirror = Mirror()
    (reading,) = mirror.take(first, 0.0)
    assert isinstance(reading, VehicleReading) and not reading.armed
    assert mirror.take(heartbeat(), 0.1) == [VehicleReading(True, "AUTO")]
    assert mirror.autopilot == (1, 1)
    assert mirror.take(first, 0.2) == []
    assert mirror.take(battery_status(), 0.2) != []


@pytest.mark.parametrize(
    "kind", [mavlink.MAV_TYPE_CAMERA, mavlink.MAV_TYPE_GIMBAL, mavlink.MAV_TYPE_ANTENNA_TRACKER]
)
def test_what_is_no_vehicle_is_never_the_autopilot(kind: int) -> None:
    mirror = Mirror()
    assert mirror.take(part(kind), 0.0) == []
    assert mirror.take(part(kind, component=1), 60.0) == []
    assert mirror.autopilot is None


def test_an_autopilot_of_an_unknown_kind_is_used_while_there_is_no_better_one() -> None:
    mirror = Mirror()
    assert len(mirror.take(part(component=1), 0.0)) == 1
    assert len(mirror.take(part(component=1), 1.0)) == 1
    assert mirror.autopilot == (1, 1)


def test_the_autopilot_can_be_configured() -> None:
    mirror = Mirror(system=7)
    assert mirror.take(heartbeat() + heartbeat(system=7), 0.0) == [VehicleReading(True, "AUTO")]
    assert mirror.autopilot == (7, 1)


def test_voltage_current_and_temperature_are_in_volts_amperes_and_degrees() -> None:
    assert listening().take(battery_status(), 0.0) == [BatteryReading(16.01, 16.5, 31.2)]
    assert listening().take(sys_status(), 0.0) == [BatteryReading(15.9, 12.0, None)]


@pytest.mark.parametrize("current", UNKNOWN_CURRENTS)
def test_a_current_that_the_autopilot_does_not_know_is_unknown(current: int) -> None:
    readings = listening().take(battery_status(current=current), 0.0)
    assert readings == [BatteryReading(16.01, None, 31.2)]
    readings = listening().take(sys_status(current=current), 0.0)
    assert readings == [BatteryReading(15.9, None, None)]


@pytest.mark.parametrize("temperature", [32767, -32768, 20000, -25600])
def test_a_temperature_that_the_autopilot_does_not_know_is_unknown(temperature: int) -> None:
    readings = listening().take(battery_status(temperature=temperature), 0.0)
    assert readings == [BatteryReading(16.01, 16.5, None)]


def test_a_battery_without_a_voltage_is_ignored() -> None:
    for message in (
        *(sys_status(millivolts=65535), sys_status(millivolts=0), battery_status(cells=())),
        *(battery_status(cells=(0,) * 10), battery_status(number=1)),
    ):
        assert listening().take(message, 0.0) == []


def test_the_voltages_of_all_known_cells_beyond_ten_are_added() -> None:
    ten = (4000,) * 10
    for more_cells, volts in (
        ((4000, 4000, 0, 0), 48.0),
        ((65535,) * 4, 40.0),
        ((4000, 65535, 65535, 65535), 44.0),
    ):
        (reading,) = listening().take(battery_status(ten, more_cells=more_cells), 0.0)
        assert isinstance(reading, BatteryReading)
        assert reading.voltage_v == pytest.approx(volts)


def test_a_pack_above_65_v_uses_more_than_one_field() -> None:
    (reading,) = listening().take(battery_status((65534, 10000)), 0.0)
    assert isinstance(reading, BatteryReading)
    assert reading.voltage_v == pytest.approx(75.534)


def test_zero_degrees_is_a_known_temperature() -> None:
    assert listening().take(battery_status(temperature=0), 0.0) == [
        BatteryReading(16.01, 16.5, 0.0)
    ]


def test_sys_status_is_used_while_battery_status_has_no_voltage_or_another_id() -> None:
    for details in (battery_status(cells=()), battery_status(number=1), battery_status(number=2)):
        assert listening().take(details + sys_status(), 0.0) == [BatteryReading(15.9, 12.0, None)]


def test_sys_status_is_used_only_without_battery_status() -> None:
    mirror = listening()
    mirror.take(battery_status(), 0.0)
    assert mirror.take(sys_status(), 2.9) == []
    assert mirror.take(sys_status(), 3.1) == [BatteryReading(15.9, 12.0, None)]


def test_a_datagram_may_hold_several_frames_and_both_versions() -> None:
    old = mavlink.MAVLink(None, 1, 1)
    message = mavlink.MAVLink_sys_status_message(0, 0, 0, 0, 15000, 100, 80, 0, 0, 0, 0, 0, 0)
    first_version = bytes(message.pack(old, force_mavlink1=True))
    datagram = other() + heartbeat() + first_version + other()
    assert [number for number, _ in frames(datagram)] == [30, 0, 1, 30]
    assert Mirror().take(datagram, 0.0) == [
        VehicleReading(True, "AUTO"),
        BatteryReading(15.0, 1.0, None),
    ]


@pytest.mark.parametrize(
    "between",
    [b"x", b"\xfd", b"\xfe\x09", bytes(5000), heartbeat()[5:], battery_status()[:-1], b"\xfd" * 30],
    ids=("byte", "magic", "header", "zeros", "rest of a frame", "frame cut short", "magics"),
)
def test_a_frame_is_found_whatever_is_between(between: bytes) -> None:
    datagram = between + heartbeat() + between + battery_status() + between
    assert listening().take(datagram, 0.0) == [
        VehicleReading(True, "AUTO"),
        BatteryReading(16.01, 16.5, 31.2),
    ]


def test_a_frame_whose_message_is_unknown_is_skipped_as_a_whole() -> None:
    # The payload of another message may have a frame of another vehicle.
    inner = heartbeat(system=9)
    unknown = bytes((0xFD, len(inner), 0, 0, 0, 1, 1, 0xEE, 0xEE, 0xEE)) + inner + b"??"
    assert [number for number, _ in frames(unknown + heartbeat())] == [0xEEEEEE, 0]


def test_landed_state_and_motion_come_from_the_autopilot() -> None:
    mirror = listening()
    assert mirror.take(landed(3), 0.0) == [LandedReading(3)]
    assert mirror.take(landed(3, component=100), 0.0) == []
    assert mirror.take(motion(), 0.0) == [Motion(1.5, 6.0, 0.45)]


def test_the_motion_is_read_twice_a_second_however_often_it_comes() -> None:
    mirror = listening()
    read = [reading for step in range(100) for reading in mirror.take(motion(), 0.1 * step)]
    assert len(read) == 20


def test_a_damaged_frame_is_ignored() -> None:
    mirror, damaged = listening(), bytearray(battery_status())
    damaged[14] ^= 0xFF
    assert mirror.take(bytes(damaged), 0.0) == []
    assert mirror.take(bytes(damaged)[:-1], 0.0) == []
    assert mirror.take(bytes(damaged) + heartbeat(), 0.0) == [VehicleReading(True, "AUTO")]


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_no_datagram_raises_an_error(junk: bytes, tail: bytes) -> None:
    mirror = listening()
    for datagram in (junk, b"\xfd" + junk, b"\xfe" + junk, heartbeat() + tail):
        mirror.take(datagram, 0.0)
    assert mirror.take(heartbeat(), 1.0) == [VehicleReading(True, "AUTO")]
