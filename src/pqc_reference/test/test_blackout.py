# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What someone holds back, through a silence or one by one, is stale when it comes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pqc_reference.session.epoch_keys import Kind
from pqc_reference.wire import control
from pqc_reference.wire.control import Control
from world import DRONE, GCS, World, connected

END_OF = {"up": "gcs", "down": "drone"}


def is_hello(datagram: bytes) -> bool:
    return datagram[0] >> 6 == 0b10


def sender_of(way: str, world: World) -> tuple[Callable[[bytes], None], tuple[str, int]]:
    """Return how the application of a sender speaks, and the sender's address."""
    end, address = (world.drone, DRONE) if way == "up" else (world.ground, GCS)
    return (lambda text: world.say(end, text)), address


def stale_at(world: World, way: str) -> int:
    """Return how much the receiver has dropped as stale."""
    end = world.ground if way == "up" else world.drone
    return end.peers[0].drops["stale"]


@pytest.mark.parametrize("way", ["up", "down"])
@pytest.mark.parametrize("seconds", [4.0, 60.0])
def test_a_command_that_is_released_first_is_not_delivered(way: str, seconds: float) -> None:
    world = connected()
    world.pass_time(1.0)
    held: list[bytes] = []

    def hold(datagram: bytes, direction: str) -> None:
        if direction == way and not is_hello(datagram):
            held.append(datagram)

    world.link.change = hold
    say, address = sender_of(way, world)
    say(b"arm")
    world.pass_time(seconds)
    world.link.change = lambda datagram, _: None if is_hello(datagram) else datagram
    for datagram in list(held):
        world.inject(datagram, way, address)
    world.pass_time(2.0)
    assert b"arm" not in world.delivered[END_OF[way]]
    assert stale_at(world, way) == 1
    # The live link proves itself by an answer, and what is sent after it arrives.
    say(b"disarm")
    world.pass_time(0.1)
    assert world.delivered[END_OF[way]] == [b"disarm"]


def test_a_command_under_keys_of_before_the_silence_is_not_delivered() -> None:
    world = connected()
    world.pass_time(1.0)
    held: list[bytes] = []
    first, _ = world.keys

    def hold(datagram: bytes, direction: str) -> bytes | None:
        if world.drone.peer.slots.sending is first:
            return datagram
        if direction == "up" and not is_hello(datagram):
            held.append(datagram)
        return None

    world.link.change = hold
    world.begin_rekey()
    world.run(lambda: world.drone.peer.slots.sending is not first)
    world.say(world.drone, b"arm")
    world.pass_time(0.2)
    world.say(world.drone, b"arm again")
    world.pass_time(60.0)
    for datagram in list(held):
        world.inject(datagram, "up", DRONE)
        world.pass_time(0.001)
    world.pass_time(0.1)
    assert world.delivered["gcs"] == []
    assert stale_at(world, "up") == 2


@pytest.mark.parametrize("way", ["up", "down"])
def test_what_is_let_through_one_by_one_is_not_delivered(way: str) -> None:
    world = connected()
    world.pass_time(1.0)
    held: list[bytes] = []

    def hold(datagram: bytes, direction: str) -> bytes | None:
        if direction != way or is_hello(datagram):
            return datagram
        held.append(datagram)
        return None

    world.link.change = hold
    say, address = sender_of(way, world)
    for number in range(60):
        say(b"%d" % number)
        world.pass_time(1.0)
        if number % 5 == 4:
            world.inject(held.pop(0), way, address)
    # The first ones were released after 5 s.
    assert world.delivered[END_OF[way]] == []
    assert stale_at(world, way) > 0
    assert world.heard("gcs" if way == "up" else "drone", "max_age_s")


def test_a_short_silence_costs_nothing_afterwards() -> None:
    world = connected()
    world.pass_time(1.0)
    world.link.cut = True
    world.pass_time(2.5)
    world.link.cut = False
    world.check_data()
    assert stale_at(world, "up") == stale_at(world, "down") == 0


def test_a_drone_whose_questions_nobody_answers_counts_its_session_as_lost() -> None:
    world = connected()
    # Frames of the ground station arrive, those of the drone don't.
    world.link.change = lambda datagram, way: datagram if way == "down" else None
    world.run(lambda: world.heard("drone", "answers no question"), 10.0)
    world.link.change = lambda datagram, _: datagram
    world.run(lambda: world.heard("drone", "arrive again"), 10.0)
    world.check_data()


def test_a_drone_whose_ground_station_has_wiped_its_keys_begins_anew_at_once() -> None:
    world = connected()
    first, live = world.keys
    wiped = live.seal(Kind.CONTROL, control.encode(Control.WIPED, 0), world.now)
    again = live.seal(Kind.CONTROL, control.encode(Control.WIPED, 0), world.now)
    peer = world.ground.peers[0]
    world.ground.handle_wiped(peer)
    peer.wipe()
    world.inject(wiped, "down", GCS)
    world.run(lambda: world.in_step and world.keys[0] is not first, 1.0)
    # Under keys of the former session it means nothing.
    newer, _ = world.keys
    world.inject(again, "down", GCS)
    world.pass_time(1.0)
    assert world.keys[0] is newer and world.drone.handshakes == 2
