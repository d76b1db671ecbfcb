# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from pqc_sim.datagrams.counting import FlowCount, SequenceCount, compare
from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as mavlink


def stream(count: int, system: int = 1) -> list[bytes]:
    codec = mavlink.MAVLink(None, system, 1)
    datagrams = []
    for number in range(count):
        message = mavlink.MAVLink_attitude_message(number, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0)
        datagrams.append(bytes(message.pack(codec)))
        codec.seq = (codec.seq + 1) % 256
    return datagrams


def counted(datagrams: list[bytes]) -> dict:
    count = FlowCount()
    for datagram in datagrams:
        count.note(datagram)
    return count.as_dict()


def sequence_count(numbers: list[int]) -> tuple[int, int, int]:
    count = SequenceCount()
    for number in numbers:
        count.note(number % 256)
    return count.missing, count.duplicated, count.reordered


def test_an_unbroken_stream_has_no_gaps_however_often_the_numbers_wrap() -> None:
    assert sequence_count(list(range(1000))) == (0, 0, 0)


def test_a_stream_may_begin_with_any_number() -> None:
    assert sequence_count([200, 201, 202]) == (0, 0, 0)


def test_a_gap_counts_every_missing_message() -> None:
    assert sequence_count([1, 2, 6, 7]) == (3, 0, 0)


def test_a_late_message_fills_its_gap_and_counts_as_reordered() -> None:
    assert sequence_count([1, 2, 4, 3, 5]) == (0, 0, 1)


def test_a_repeated_message_counts_as_duplicated() -> None:
    assert sequence_count([1, 2, 2, 3, 1]) == (0, 2, 0)


def test_a_gap_left_far_behind_stays_a_gap() -> None:
    numbers = [0, 2, *range(3, 200)]
    assert sequence_count([*numbers, 257]) == (1 + 57, 0, 0)


def test_a_gap_left_far_behind_is_not_filled_by_a_later_repetition() -> None:
    # 257 has the same 8-bit number as the lost 1, but it has been heard: its repeat is a repeat.
    numbers = [0, *range(2, 258), 257]
    assert sequence_count(numbers) == (1, 1, 0)


@given(st.sets(st.integers(1, 3998), max_size=200), st.integers(0, 255))
def test_single_losses_are_all_counted(losses: set[int], first: int) -> None:
    lost = {number for number in losses if number - 1 not in losses}
    kept = [first + number for number in range(4000) if number not in lost]
    assert sequence_count(kept) == (len(lost), 0, 0)


@given(st.integers(0, 2**32))
def test_local_disorder_loses_and_duplicates_nothing(seed: int) -> None:
    rng = random.Random(seed)
    numbers = list(range(1, 600))
    numbers.sort(key=lambda number: number + rng.uniform(0, 30))
    missing, duplicated, _ = sequence_count([0, *numbers])
    assert (missing, duplicated) == (0, 0)


def test_streams_of_different_systems_are_counted_separately() -> None:
    mixed = [
        datagram for pair in zip(stream(50, 1), stream(50, 2), strict=True) for datagram in pair
    ]
    count = counted(mixed)
    assert count["missing"] == 0
    assert set(count["sources"]) == {"1.1", "2.1"}


def test_everything_arrived_unchanged_is_identical() -> None:
    sent = stream(300)
    report = compare(counted(sent), counted(sent))
    assert report.identical
    assert (report.sent, report.received, report.lost, report.corrupted) == (300, 300, 0, 0)


def test_order_does_not_change_the_verdict_but_is_reported() -> None:
    sent = stream(300)
    received = [*sent[:100], sent[101], sent[100], *sent[102:]]
    report = compare(counted(sent), counted(received))
    assert report.identical
    assert report.reordered == 1


@given(st.sets(st.integers(0, 299), min_size=1, max_size=299))
def test_losses_are_counted_exactly(losses: set[int]) -> None:
    sent = stream(300)
    received = [datagram for number, datagram in enumerate(sent) if number not in losses]
    report = compare(counted(sent), counted(received))
    assert (report.lost, report.corrupted, report.identical) == (len(losses), 0, False)


@given(st.integers(0, 299), st.integers(0, 10_000), st.integers(1, 255))
def test_any_changed_byte_is_noticed(which: int, where: int, change: int) -> None:
    sent = stream(300)
    received = [bytearray(datagram) for datagram in sent]
    received[which][where % len(received[which])] ^= change
    report = compare(counted(sent), counted([bytes(datagram) for datagram in received]))
    assert report.corrupted >= 1
    assert not report.identical


def test_a_change_that_keeps_the_checksum_is_noticed_by_the_digest() -> None:
    sent = stream(10)
    other = mavlink.MAVLink(None, 1, 1)
    other.seq = 4
    forged = bytes(mavlink.MAVLink_heartbeat_message(2, 3, 0, 0, 4, 3).pack(other))
    report = compare(counted(sent), counted([*sent[:4], forged, *sent[5:]]))
    assert (report.lost, report.corrupted) == (0, 1)


def test_a_duplicate_is_neither_a_loss_nor_hides_one() -> None:
    sent = stream(100)
    twice = compare(counted(sent), counted([*sent, sent[99]]))
    assert (twice.lost, twice.duplicated) == (0, 1)
    both = compare(counted(sent), counted([*sent[:50], *sent[51:], sent[99]]))
    assert (both.lost, both.duplicated, both.corrupted) == (1, 1, 0)


def test_loss_before_the_tunnel_is_not_the_tunnels() -> None:
    # The ground program itself skipped a sequence number and repeated another.
    sent = [*stream(100)[:50], *stream(100)[51:], stream(100)[99]]
    report = compare(counted(sent), counted(sent))
    assert (report.lost, report.duplicated, report.identical) == (0, 0, True)


def test_the_loss_that_ground_programs_count_is_that_of_pymavlink() -> None:
    numbers = [1, 2, 4, 3, 5, 5, 9, 255, 0, 1]
    count, program = SequenceCount(), mavutil.mavfile(None, "test", input=False)
    for number in numbers:
        count.note(number)
        message = mavlink.MAVLink_attitude_message(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        message.pack(mavlink.MAVLink(None, 1, 1))
        message.get_header().seq = number
        program.post_message(message)
    assert count.lost == program.mav_loss > 255
