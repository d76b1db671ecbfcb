# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Streams: messages in parts, whatever happens to the parts on their way."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pqc_reference.wire.streams import LANES, Ack, BadPart, Outgoing, Receiver, Streams, is_newer

LIMIT = 10_000


def make_streams(part: int = 100, small: int = 40) -> Streams:
    return Streams(LIMIT, part, small)


def part(number: int, offset: int, total: int, data: bytes, sending: int = 0) -> bytes:
    head = bytes([number]) + sending.to_bytes(2, "big")
    return head + offset.to_bytes(3, "big") + total.to_bytes(3, "big") + data


def deliver(sender: Streams, receiver: Streams, now: float) -> list[bytes]:
    """Carry all that is due from one end to the other and back; return complete messages."""
    payloads = sender.take_parts(now)
    messages = [receiver.handle_part(payload, now) for payload in payloads]
    for ack in receiver.take_acks(now):
        sender.handle_ack(ack, now)
    return [message for message in messages if message]


def test_parts_have_the_layout_of_the_protocol_page() -> None:
    sender = make_streams(part=4)
    sender.send(b"abcdefghij")
    assert sender.take_parts(0.0) == [
        b"\x00\0\0" + b"\0\0\0" + b"\0\0\x0a" + b"abcd",
        b"\x00\0\1" + b"\0\0\4" + b"\0\0\x0a" + b"efgh",
        b"\x00\0\2" + b"\0\0\x08" + b"\0\0\x0a" + b"ij",
    ]
    for lane in LANES:
        sender.send(b"xyz", lane)
        head = bytes([lane << 6]) + b"\0\0"
        assert sender.take_parts(0.0) == [head + b"\0\0\0" + b"\0\0\3" + b"xyz"]


@pytest.mark.parametrize("size", [1, 99, 100, 101, LIMIT])
def test_messages_of_any_size_arrive_whole(size: int) -> None:
    sender, receiver = make_streams(), make_streams()
    message = random.Random(size).randbytes(size)
    sender.send(message)
    arrived, now = [], 0.0
    while not arrived:
        arrived = deliver(sender, receiver, now)
        now += 0.02
    assert arrived == [message]
    assert sender.next_timeout() == float("inf")
    assert sender.take_parts(now + 100.0) == []


@given(
    st.integers(0, 1 << 32),
    st.sampled_from([0.0, 0.2, 0.5]),
    st.lists(st.integers(1, 3000), min_size=1, max_size=4),
)
@example(44, 0.5, [41, 101, 149, 177])  # the wait must not follow from its own repetitions
def test_messages_survive_loss_reordering_and_repetition(
    seed: int, loss: float, sizes: list[int]
) -> None:
    dice = random.Random(seed)
    ends = [make_streams(), make_streams()]
    messages = [dice.randbytes(size) for size in sizes]
    arrived: list[bytes] = []
    waiting, now = list(messages), 0.0
    while len(arrived) < len(messages):
        while waiting and len(free := [n for n in LANES if not ends[0].is_sending(n)]) > 0:
            ends[0].send(waiting.pop(0), free[0])
        payloads = [p for p in ends[0].take_parts(now) for _ in range(dice.choice((1, 1, 2)))]
        dice.shuffle(payloads)
        for payload in payloads:
            if dice.random() >= loss:
                arrived += filter(None, [ends[1].handle_part(payload, now)])
        for ack in ends[1].take_acks(now):
            if dice.random() >= loss:
                ends[0].handle_ack(ack, now)
        now += 0.01
        assert now < 120.0
    assert sorted(arrived) == sorted(messages)


def test_an_acknowledgement_follows_every_second_frame_or_10_ms() -> None:
    receiver = make_streams()
    receiver.handle_part(part(0, 0, 500, bytes(100)), 0.0)
    assert receiver.take_acks(0.0) == []
    assert receiver.next_timeout() == 0.01
    receiver.handle_part(part(0, 100, 500, bytes(100)), 0.005)
    assert receiver.take_acks(0.005) == [Ack(0, 0, 0, 200, [])]
    receiver.handle_part(part(0, 200, 500, bytes(100)), 0.02)
    assert receiver.take_acks(0.025) == []
    assert receiver.take_acks(0.03) == [Ack(0, 0, 10_000, 300, [])]
    assert receiver.next_timeout() == float("inf")


def test_a_gap_is_acknowledged_at_once_and_named() -> None:
    receiver = make_streams()
    receiver.handle_part(part(0, 200, 500, bytes(100)), 0.0)
    assert receiver.take_acks(0.0) == [Ack(0, 0, 0, 0, [(200, 100)])]
    receiver.handle_part(part(0, 400, 500, bytes(100)), 0.0)
    assert receiver.take_acks(0.0) == [Ack(0, 0, 0, 0, [(400, 100), (200, 100)])]
    receiver.handle_part(part(0, 0, 500, bytes(210)), 0.0)  # overlaps
    assert receiver.take_acks(0.0) == [Ack(0, 0, 0, 300, [(400, 100)])]
    assert receiver.handle_part(part(0, 250, 500, bytes(160)), 0.0) == bytes(500)
    assert receiver.take_acks(0.0) == [Ack(0, 0, 0, 500, [])]


def test_only_what_was_not_acknowledged_is_sent_again() -> None:
    sender = make_streams(part=4)
    sender.send(b"abcdefghijkl")
    assert len(sender.take_parts(0.0)) == 3
    sender.handle_ack(Ack(0, 0, 0, 4, [(8, 4)]), 0.1)
    assert sender.take_parts(0.1) == []
    assert sender.take_parts(0.2) == [part(0, 4, 12, b"efgh", sending=3)]


def test_a_complete_message_is_acknowledged_again_but_delivered_once() -> None:
    receiver = make_streams()
    assert receiver.handle_part(part(0, 0, 3, b"abc"), 0.0) == b"abc"
    assert receiver.take_acks(0.0) == [Ack(0, 0, 0, 3, [])]
    assert receiver.handle_part(part(0, 0, 3, b"abc"), 1.0) == b""
    assert receiver.take_acks(1.0) == [Ack(0, 0, 0, 3, [])]


def test_a_newer_message_replaces_and_an_older_one_counts_as_received() -> None:
    receiver = make_streams()
    receiver.handle_part(part(5, 0, 200, bytes(100)), 0.0)
    assert receiver.handle_part(part(6, 0, 2, b"ab"), 0.0) == b"ab"
    receiver.take_acks(0.0)
    assert receiver.handle_part(part(5, 100, 200, bytes(100)), 0.0) == b""
    assert receiver.take_acks(0.0) == [Ack(5, 0, 0, 200, [])]
    # Each other lane is on its own.
    for lane in LANES:
        number = lane << 6 | 5
        assert receiver.handle_part(part(number, 0, 2, b"cd"), 0.0) == b"cd"


def test_an_older_number_is_a_new_one_after_20_s_without_a_part() -> None:
    receiver = make_streams()
    receiver.handle_part(part(6, 0, 2, b"ab"), 0.0)
    assert receiver.handle_part(part(5, 0, 2, b"cd"), 19.9) == b""
    assert receiver.handle_part(part(5, 0, 2, b"cd"), 20.0) == b"cd"


def test_a_message_that_is_not_wanted_any_more_is_answered_as_if_it_were_complete() -> None:
    receiver = make_streams()
    receiver.handle_part(part(1 << 6, 0, 400, bytes(100)), 0.0)
    assert receiver.progress(1) == 0.25
    receiver.decline(1, 0.0)
    assert receiver.take_acks(0.0) == [Ack(1 << 6, 0, 0, 400, [])]
    assert receiver.progress(1) is None
    assert receiver.handle_part(part(1 << 6, 100, 400, bytes(300)), 0.0) == b""
    assert receiver.handle_part(part(1 << 6 | 1, 0, 1, b"x"), 0.0) == b"x"


def test_of_the_lanes_in_the_background_the_one_with_fewest_bytes_left_goes_first() -> None:
    sender, receiver = make_streams(), make_streams()
    sender.set_pace(1730)  # ten parts of 100 bytes with their overhead a second
    sender.send(bytes(LIMIT), 1)
    now, order = 0.0, []
    while now < 10.0:
        if now == 1.0:
            sender.send(bytes(500), 2)
        for payload in sender.take_parts(now):
            order.append(payload[0] >> 6)
            receiver.handle_part(payload, now)
        for ack in receiver.take_acks(now):
            sender.handle_ack(ack, now)
        now = round(now + 0.05, 2)
    first = order.index(2)
    assert order[first : first + 5] == [2] * 5
    assert set(order[:first]) == set(order[first + 5 :]) == {1}
    assert receiver.progress(1) == pytest.approx(0.94, abs=0.05)  # what came before counts


def test_the_pace_is_that_of_all_lanes_in_the_background_and_the_foreground_has_none() -> None:
    sender, receiver = (Streams(1 << 20, 100, 40) for _ in range(2))
    sender.set_pace(1000)
    for lane in LANES:
        sender.send(bytes(100_000), lane)
    sent, now = 0, 0.0
    while now < 20.0:
        now = max(now, sender.next_timeout())
        for payload in sender.take_parts(now):
            sent += len(payload) + 25 + 48
            receiver.handle_part(payload, now)
        for ack in receiver.take_acks(now):
            sender.handle_ack(ack, now)
    assert sent == pytest.approx(20_000, rel=0.05)
    sender.send(bytes(1000))
    assert len([p for p in sender.take_parts(now) if p[0] >> 6 == 0]) == 10
    sender.set_pace(0, first=2)
    parts = sender.take_parts(now)
    assert len(parts) > 32 and parts[0][0] >> 6 == 2


def test_small_parts_at_a_pace_are_acknowledged_rarely_and_not_sent_again_meanwhile() -> None:
    sender, receiver = Streams(LIMIT, 100, 40), Streams(LIMIT, 100, 40)
    for streams in (sender, receiver):
        streams.set_pace(60)
    sender.send(bytes(1088), 1)
    sent, acks, now, arrived = 0, 0, 0.0, False
    while not arrived:
        now = max(now, min(sender.next_timeout(), receiver.next_timeout()))
        for payload in sender.take_parts(now):
            sent += 1
            arrived = bool(receiver.handle_part(payload, now))
        for ack in receiver.take_acks(now):
            acks += 1
            sender.handle_ack(ack, now)
    assert sent == 1088 // 68  # parts of 2.5 s each
    assert acks <= sent / 2
    assert now == pytest.approx(2.5 * sent, rel=0.2)


def test_numbers_wrap_around() -> None:
    assert is_newer(0, than=63) and is_newer(30, than=63) and is_newer(31, than=0)
    assert not is_newer(32, than=0) and not is_newer(63, than=0) and not is_newer(7, than=7)
    sender, receiver = make_streams(), make_streams()
    for number in range(300):
        sender.send(b"message %d" % number)
        assert deliver(sender, receiver, float(number)) == [b"message %d" % number]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        bytes(8),
        part(0, 0, 5, b""),  # nothing in it
        part(0, 0, 0, b""),
        part(0, 3, 5, b"abc"),  # beyond its end
        part(0, 0, LIMIT + 1, b"abc"),  # more than any message that is expected
    ],
)
def test_impossible_parts_are_refused(payload: bytes) -> None:
    with pytest.raises(BadPart):
        make_streams().handle_part(payload, 0.0)


def test_a_message_cannot_change_its_size() -> None:
    receiver = Receiver()
    receiver.handle_part(0, 0, 0, 100, b"abc", 0.0)
    with pytest.raises(BadPart):
        receiver.handle_part(0, 1, 3, 99, b"def", 0.0)


def test_acknowledgements_of_other_messages_change_nothing() -> None:
    sender = make_streams()
    sender.send(b"abc")
    for number in (1, 0x40, 0xC0):
        sender.handle_ack(Ack(number, 0, 0, 3, []), 0.0)
    assert sender.take_parts(0.0)


def test_parts_get_small_after_three_unanswered_rounds() -> None:
    message = Outgoing(0, bytes(100), 50)
    now, sizes = 0.0, []
    while now < 10.0:
        sizes += [len(payload) - 9 for payload in message.poll(now, 0.0, 20)]
        now = message.next_timeout()
    assert sizes[:6] == [50, 50] * 3
    assert set(sizes[6:]) == {10, 20}
    message.handle_ack(Ack(0, 0, 0, 100, []), now)
    assert message.done


def test_waiting_grows_while_nothing_is_answered_but_not_beyond_2_s() -> None:
    message = Outgoing(0, b"abc", 50)
    times = [0.0]
    while message.poll(times[-1], 0.0, 50) and len(times) < 10:
        times.append(message.next_timeout())
    waits = [later - sooner for sooner, later in pairwise(times)]
    assert waits[0] == pytest.approx(0.2)
    assert waits == sorted(waits)
    assert waits[-1] == pytest.approx(2.0)


def test_the_wait_follows_the_round_trip_time() -> None:
    sender = make_streams()
    sender.send(b"first")
    sender.take_parts(0.0)
    sender.handle_ack(Ack(0, 0, 0, 5, []), 0.6)
    sender.send(b"second")
    sender.take_parts(1.0)
    assert sender.next_timeout() == pytest.approx(1.0 + 2 * 0.6)


def test_an_acknowledgement_names_the_copy_that_has_arrived_and_how_long_it_waited() -> None:
    message = Outgoing(0, b"abc", 50)
    message.poll(0.0, 0.0, 50)
    message.poll(0.2, 0.0, 50)
    answer = Ack(0, 0, 10_000, 0, [])
    assert message.handle_ack(answer, 0.21) == pytest.approx(0.2)
    assert message.handle_ack(answer, 0.22) is None
    assert message.handle_ack(Ack(0, 1, 0, 3, []), 0.4) == pytest.approx(0.2)


def test_an_acknowledgement_names_the_newest_part() -> None:
    receiver = make_streams()
    for sending, offset in ((65_535, 0), (1, 100), (0, 0)):
        receiver.handle_part(part(0, offset, 500, bytes(100), sending), 0.0)
    assert receiver.take_acks(0.0)[-1] == Ack(0, 1, 0, 200, [])


def test_only_so_many_parts_are_under_way() -> None:
    sender = make_streams()
    sender.send(bytes(LIMIT))
    assert len(sender.take_parts(0.0)) == 32
    assert sender.take_parts(0.0) == []
    sender.handle_ack(Ack(0, 0, 0, 300, []), 0.01)
    assert len(sender.take_parts(0.01)) == 3


def test_a_message_that_is_stopped_is_not_sent_any_more() -> None:
    sender = make_streams()
    sender.send(bytes(LIMIT))
    sender.take_parts(0.0)
    sender.stop()
    assert sender.next_timeout() == float("inf")
    assert sender.take_parts(9.0) == []
