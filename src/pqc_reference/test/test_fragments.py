# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Datagrams that no frame holds are sealed in fragments, and put together."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from pqc_reference.session.epoch_keys import Kind
from pqc_reference.wire.fragments import BadFragment, Fragment, Reassembly, fragments
from world import DRONE, Link, connected


def test_a_header_has_the_known_bytes() -> None:
    payload = bytes.fromhex("923456ee")
    assert Fragment(0x123, True, 0x456, b"\xee").encode() == payload
    assert Fragment.decode(payload) == Fragment(0x123, True, 0x456, b"\xee")


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\0\0\0",  # empty
        b"\x80\0\0a",  # a datagram by itself
        b"\0\0\1a",  # the first one comes after another
        b"\0\x10\0a",  # another one is the first
        b"\0\x10\1" + bytes(1500),  # longer than any datagram
    ],
)
def test_what_can_be_no_fragment_is_refused(payload: bytes) -> None:
    with pytest.raises(BadFragment):
        Fragment.decode(payload)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_fragments_come_in_any_order(order: tuple[int, ...]) -> None:
    reassembly, text = Reassembly(1.0), random.Random(1).randbytes(250)
    parts = list(fragments(text, 100))
    results = [reassembly.handle("keys", 7 + i, parts[i].encode(), 0.0) for i in order]
    assert results == [None, None, text]


def test_a_few_datagrams_wait_and_none_for_long() -> None:
    reassembly = Reassembly(1.0)
    for i in range(9):
        assert reassembly.handle("keys", i, Fragment(0, False, 0, b"a").encode(), i / 100) is None
    assert reassembly.incomplete == 1
    last = Fragment(1, True, 1, b"b").encode()
    assert reassembly.handle("keys", 9, last, 1.055) == b"ab"  # of the newest one
    assert reassembly.incomplete == 1 + 5  # those of before 0.055


@pytest.mark.parametrize(
    "second",
    [
        Fragment(4, False, 1, b"overlap"),
        Fragment(5, True, 1, b"end"),
        Fragment(12, False, 1, b"beyond"),
    ],
)
def test_fragments_that_contradict_each_other_are_given_up(second: Fragment) -> None:
    reassembly = Reassembly(1.0)
    ended = Fragment(5, second.offset == 12, 1, b"12345").encode()
    reassembly.handle("keys", 1, ended, 0.0)
    with pytest.raises(BadFragment):
        reassembly.handle("keys", 1, second.encode(), 0.0)


def test_random_datagrams_arrive_unchanged_or_not_at_all() -> None:
    dice = random.Random(3)
    link = Link(loss=0.05, duplicates=0.05, jitter_s=0.03)
    world = connected(same={"link_mtu_bytes": 300}, link=link)
    world.pass_time(1.0)
    sent = {"drone": list[bytes](), "gcs": list[bytes]()}
    for i in range(200):
        if i % 40 == 39:
            world.begin_rekey()
        end, to = dice.choice([(world.drone, "gcs"), (world.ground, "drone")])
        sent[to].append(dice.randbytes(dice.randint(1, 1500)))
        world.say(end, sent[to][-1])
        world.pass_time(dice.uniform(0, 0.05))
    world.pass_time(5.0)
    for to, datagrams in sent.items():
        arrived = world.delivered[to]
        assert len(arrived) == len(set(arrived)) and set(arrived) <= set(datagrams)
        assert len(arrived) > len(datagrams) / 2


def test_no_datagram_is_lost_to_a_rekey() -> None:
    world = connected(same={"link_mtu_bytes": 300})
    sent = []
    rekey = world.begin_rekey()
    while not rekey.done():
        sent.append(random.Random(len(sent)).randbytes(1000))
        world.say(world.drone, sent[-1])
        world.pass_time(0.01)
    world.pass_time(1.0)
    assert world.delivered["gcs"] == sent
    assert not world.ground.peers[0].drops


def test_a_fragment_that_was_held_back_completes_nothing() -> None:
    world = connected()
    world.pass_time(1.0)
    keys, peer = world.drone.peer.slots.sending, world.ground.peers[0]
    assert keys is not None
    frames = [
        keys.seal(Kind.FRAGMENT, part.encode(), world.now) for part in fragments(bytes(250), 100)
    ]
    for frame in frames[:2]:
        world.inject(frame, "up", DRONE)
    world.inject(frames[2], "up", DRONE, 1.2)
    world.pass_time(2.0)
    assert world.delivered["gcs"] == []
    assert sum(peer.drops.values()) >= 1
