# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Bulk of the vehicle as an ArduCopter sends it, its components and its signatures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from pqc_sim.datagrams.ftp_packet import FtpPacket, Operation, Refusal, read_packet
from pqc_sim.datagrams.mavlink_frames import FrameStream
from pqc_sim.vehicle.transfers import FILE, NETWORK_CHANNEL, serial_channel
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import Station

TARGET = (1, 1)
KEY = bytes(range(32))


def station(channel: object = NETWORK_CHANNEL) -> Station:
    options = VehicleOptions(rate_hz=100, channel=channel)  # type: ignore[arg-type]
    station = Station(Vehicle(options, 0, 0))
    station.run(1.0)
    return station


def list_parameters(ground: Station) -> None:
    ground.send(mavlink.MAVLink_param_request_list_message(*TARGET))


def report(ground: Station, txbuf: int) -> None:
    ground.send(mavlink.MAVLink_radio_status_message(0, 0, txbuf, 0, 0, 0, 0))


def ask(ground: Station, *packet: object) -> list[FtpPacket]:
    answers = ground.send(FtpPacket(*packet).message(*TARGET))  # type: ignore[arg-type]
    return [read_packet(m) for m in answers if m.get_type() == "FILE_TRANSFER_PROTOCOL"]


def seconds_until(ground: Station, condition: Callable[[], bool]) -> float:
    began_ns = ground.now_ns
    ground.run_until(condition)
    return (ground.now_ns - began_ns) / 1e9


@pytest.mark.parametrize(
    ("channel", "seconds"), [(NETWORK_CHANNEL, 1.2), (serial_channel(57600), 27.0)]
)
def test_all_parameters_come_in_a_burst_or_slowly_over_a_serial_line(
    channel: object, seconds: float
) -> None:
    ground = station(channel)
    list_parameters(ground)
    took = seconds_until(ground, lambda: len(ground.all("PARAM_VALUE")) == 1340)
    assert took == pytest.approx(seconds, rel=0.1)
    assert {m.param_index for m in ground.all("PARAM_VALUE")} == set(range(1340))


def test_streams_go_at_a_quarter_of_their_rate_while_parameters_are_listed() -> None:
    ground = station(serial_channel(57600))
    before = len([m for m in ground.run(10.0) if m.get_type() == "ATTITUDE"])
    list_parameters(ground)
    meanwhile = len([m for m in ground.run(10.0) if m.get_type() == "ATTITUDE"])
    assert meanwhile == pytest.approx(before / 4, rel=0.2)


def test_parameters_wait_while_the_radio_has_no_room_and_no_longer_than_the_report_counts() -> None:
    ground = station()
    report(ground, 33)
    list_parameters(ground)
    ground.run(4.9)
    assert not ground.all("PARAM_VALUE")
    ground.run(0.3)
    assert ground.all("PARAM_VALUE")


def test_a_full_radio_slows_the_streams_down_and_an_empty_one_speeds_them_up() -> None:
    ground = station()
    for _ in range(10):
        report(ground, 10)
    slow = len(ground.run(10.0))
    for _ in range(40):
        report(ground, 100)
    assert slow < len(ground.run(10.0)) / 2


def test_the_log_comes_whole_and_a_gap_can_be_asked_for() -> None:
    ground = station()
    content = ground.vehicle.transfers.log_content  # type: ignore[union-attr]
    ground.send(mavlink.MAVLink_log_request_data_message(*TARGET, 1, 0, 0xFFFFFFFF))
    ground.run(1.0)
    parts = ground.all("LOG_DATA")
    assert b"".join(bytes(m.data[: m.count]) for m in parts) == content
    ground.send(mavlink.MAVLink_log_request_data_message(*TARGET, 1, 180, 90))
    ground.run(0.1)
    assert bytes(ground.last("LOG_DATA").data) == content[180:270]


def test_the_log_waits_for_a_ground_station_that_is_silent() -> None:
    ground = station()
    ground.heartbeats = False
    ground.run(4.0)
    ground.send(mavlink.MAVLink_log_request_data_message(*TARGET, 1, 0, 0xFFFFFFFF))
    ground.run(1.0)
    assert not ground.all("LOG_DATA")
    ground.heartbeats = True
    ground.run(2.0)
    assert ground.all("LOG_DATA")


def test_a_burst_brings_a_file_and_says_where_it_ends() -> None:
    ground = station()
    content = ground.vehicle.transfers.ftp.files[FILE]  # type: ignore[union-attr]
    (opened,) = ask(ground, 0, 0, Operation.OPEN, 0, FILE.encode())
    assert int.from_bytes(opened.data, "little") == len(content)
    assert ask(ground, 1, 0, Operation.BURST, 0, b"", 80) == []
    ground.run(2.0)
    packets = [read_packet(m) for m in ground.all("FILE_TRANSFER_PROTOCOL")][1:]
    assert b"".join(p.data for p in packets if p.operation == Operation.ACK) == content
    assert packets[-1].operation == Operation.NACK
    assert packets[-1].last
    assert packets[-1].data == bytes([Refusal.END_OF_FILE])


def test_a_request_during_a_burst_is_answered_after_it() -> None:
    ground = station(serial_channel(57600))
    ask(ground, 0, 0, Operation.OPEN, 0, FILE.encode())
    ask(ground, 1, 0, Operation.BURST, 0, b"", 80)
    assert ask(ground, 2, 0, Operation.READ, 80, b"", 80) == []
    ground.run(10.0)
    assert read_packet(ground.last("FILE_TRANSFER_PROTOCOL")).answered == Operation.READ


def test_a_file_is_written_in_any_order() -> None:
    ground = station()
    ask(ground, 0, 0, Operation.CREATE, 0, b"new")
    (answer,) = ask(ground, 1, 0, Operation.WRITE, 3, b"def")
    assert (answer.operation, answer.offset) == (Operation.ACK, 3)
    ask(ground, 2, 0, Operation.WRITE, 0, b"abc")
    assert ground.vehicle.transfers.ftp.files["new"] == b"abcdef"  # type: ignore[union-attr]


@pytest.mark.parametrize("channel", [None, NETWORK_CHANNEL])
def test_a_vehicle_says_when_it_has_something_to_send(channel: object) -> None:
    vehicle, now_ns = station(channel).vehicle, 1_000_000_000
    for _ in range(20):
        now_ns = vehicle.next_ns()
        assert vehicle.advance(now_ns - 1) == []
        assert vehicle.advance(now_ns)


def test_each_component_counts_its_own_messages() -> None:
    ground = station()
    sources: dict[int, list[int]] = {}
    for message in ground.run(5.0):
        sources.setdefault(message.get_srcComponent(), []).append(message.get_seq())
    assert len(sources) == 3
    for numbers in sources.values():
        assert all((b - a) % 256 == 1 for a, b in pairwise(numbers))


def test_a_vehicle_with_a_key_signs_and_hears_nothing_unsigned_but_reports_of_a_radio() -> None:
    ground = station()
    ground.send(mavlink.MAVLink_setup_signing_message(*TARGET, KEY, 1000))
    signed = mavlink.MAVLINK_IFLAG_SIGNED
    assert all(message.get_header().incompat_flags & signed for message in ground.run(1.0))
    assert ground.send(mavlink.MAVLink_ping_message(0, 0, 0, 0)) == []
    before = len(ground.run(5.0))
    for _ in range(20):
        report(ground, 10)
    assert len(ground.run(5.0)) < before


def test_a_signed_message_that_is_older_than_the_last_one_is_rejected() -> None:
    ground = station()
    ground.send(mavlink.MAVLink_setup_signing_message(*TARGET, KEY, 1000))
    codec = mavlink.MAVLink(None, 255, 190)
    codec.signing.secret_key, codec.signing.sign_outgoing = KEY, True
    codec.signing.timestamp = 10_000_000
    first, second = (bytes(mavlink.MAVLink_ping_message(n, n, 0, 0).pack(codec)) for n in (1, 2))
    assert ground.vehicle.handle(second, ground.now_ns)
    assert not ground.vehicle.handle(first, ground.now_ns)
    assert (ground.vehicle.signing.goodsig_count, ground.vehicle.signing.badsig_count) == (1, 1)


def test_a_serial_line_that_cuts_frames_anywhere_brings_them_whole() -> None:
    frames = station().vehicle.advance(3_000_000_000)
    line, stream = b"\x00noise" + b"".join(frames), FrameStream()
    assert len(frames) > 10
    came = [frame for at in range(0, len(line), 7) for frame in stream.feed(line[at : at + 7])]
    assert came == frames
