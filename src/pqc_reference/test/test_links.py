# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends on links that fail, move and stretch: in memory, with a clock of their own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pqc_reference.session.epoch_keys import OVERHEAD, Kind
from pqc_reference.wire import control
from pqc_reference.wire.control import Control
from world import DRONE, GCS, Link, World, connected

SMALL = "cs-mlkem512-chacha20poly1305-falcon512"


def test_a_lost_link_is_healed_by_the_answer_to_a_new_question_alone() -> None:
    world = connected()
    withheld: list[bytes] = []

    def withhold_answers(datagram: bytes, direction: str) -> bytes | None:
        if direction == "up":
            return datagram if datagram[0] >> 6 == 0b01 else None
        withheld.append(datagram)
        return None

    world.link.change = withhold_answers
    world.run(lambda: world.heard("drone", "no packets"))
    # Among them are answers to questions from before the loss: no proof of anything.
    late, received = list(withheld), world.drone.peer.packets["cipher_in"]
    for datagram in late:
        world.inject(datagram, "down", GCS)
    world.pass_time(0.1)
    assert world.drone.peer.packets["cipher_in"] == received + len(late)
    assert not world.heard("drone", "arrive again")
    world.link.change = lambda datagram, _: None if datagram[0] >> 6 == 0b10 else datagram
    world.run(lambda: world.heard("drone", "arrive again"))
    assert world.drone.handshakes == 1
    world.check_data()


@pytest.mark.parametrize("end", ["drone", "ground"])
def test_an_end_that_starts_again_comes_back(end: str) -> None:
    world = connected()
    first, _ = world.keys
    world.restart_drone() if end == "drone" else world.restart_ground()
    world.run(lambda: world.in_step and world.keys[0] is not first)
    assert first is not None and world.keys[0] is not None
    assert world.keys[0].session.id != first.session.id
    world.check_data()
    assert world.rekey(SMALL) is None


def test_attempts_go_on_without_limit_while_nothing_answers() -> None:
    world = World(link=Link(cut=True))
    world.pass_time(60.0)
    assert sum("does not answer" in text for _, text in world.events) >= 6
    hellos = [datagram for _, datagram in world.seen]
    assert all(len(hello) == 152 for hello in hellos)
    assert len({hello[10:42] for hello in hellos}) >= 6  # each with a new random
    world.link.cut = False
    world.connect()


def test_hellos_are_repeated_with_growing_waits() -> None:
    world = World(link=Link(cut=True))
    times = []

    def note(datagram: bytes, direction: str) -> bytes:
        times.append(world.now)
        return datagram

    world.link.change = note
    start = world.now
    world.run(lambda: world.heard("drone", "does not answer"))
    assert world.now == pytest.approx(start + 4.0)
    waits = [later - sooner for sooner, later in pairwise(times)]
    for wait, expected in zip(waits, (0.5, 1.0), strict=False):  # the first went at the start
        assert wait == pytest.approx(expected, rel=0.21)


def test_hellos_go_to_every_address_that_may_be_right() -> None:
    world = connected()
    elsewhere = ("10.0.0.9", 46012)
    world.drone.handle_home([elsewhere], world.now)
    world.link.cut = True
    world.run(lambda: world.heard("drone", "no packets"))
    addresses = {datagram.address for datagram in world.drone.handle_timeout(world.now + 0.6)}
    assert addresses == {elsewhere, GCS}


def test_the_session_follows_the_drone_to_another_address() -> None:
    world = connected()
    world.drone_address = ("10.0.0.77", 1)
    world.say(world.drone, b"from elsewhere")
    world.run(lambda: world.ground.peers[0].address == ("10.0.0.77", 1))
    world.check_data()
    # A frame from before does not take it back.
    frame = next(
        d for way, d in reversed(world.seen) if way == "up" and len(d) == OVERHEAD + 64 + 5
    )
    world.inject(frame, "up", DRONE)
    world.pass_time(0.01)
    assert world.ground.peers[0].address == ("10.0.0.77", 1)


def test_a_path_request_is_answered_on_its_path() -> None:
    world = connected()
    keys = world.drone.peer.slots.sending
    assert keys is not None
    request = control.encode(Control.PATH_REQ, 0, b"a nonce!")
    frame = keys.seal(Kind.CONTROL, request, world.now)
    later = keys.seal(Kind.CONTROL, control.encode(Control.KEEPALIVE, 0), world.now)
    world.ground.handle_datagram(later, DRONE, world.now)
    (answer,) = world.ground.handle_datagram(frame, ("10.0.0.3", 5), world.now)
    assert answer.address == ("10.0.0.3", 5)
    kind, payload = keys.open(answer.payload, world.now)
    assert kind == Kind.CONTROL
    assert control.decode(payload) == (Control.PATH_RSP, 0, (b"a nonce!",))


def test_an_echo_request_is_answered_with_what_has_arrived_in_a_frame_as_long() -> None:
    world = connected()
    peer = world.drone.peer
    for number in (7, 8, 11):
        peer.ask_for_echo(number)
    peer.ask_for_echo(12, 1000)
    peer.ask_for_echo(2**32 - 1, 3)
    world.pass_time(0.1)
    arrived = {number: fields[0] for number, fields in peer.echoes.items()}
    assert arrived == {7: 0, 8: 0b1, 11: 0b1100, 12: 0b11001, 2**32 - 1: 0}
    assert {number: fields[2] for number, fields in peer.echoes.items()} == {
        7: 0,
        8: 0,
        11: 0,
        12: 993,
        2**32 - 1: 0,
    }
    assert all(len(fields[1]) == 3 for fields in peer.echoes.values())


def test_an_echo_request_that_no_frame_of_this_end_could_answer_gets_a_short_answer() -> None:
    world = connected()
    peer = world.drone.peer
    longest = world.ground.peers[0]._config.max_datagram - 5
    for padding in (longest, longest + 1):
        message = control.encode(Control.ECHO_REQ, padding, padding)
        assert peer.slots.sending is not None
        frame = peer.slots.sending.seal(Kind.CONTROL, message, world.now)
        world.inject(frame, "up", DRONE)
    world.pass_time(0.1)
    assert peer.echoes[longest][2] == longest - 7
    assert peer.echoes[longest + 1][2] == 0


def test_keys_are_never_wiped_if_the_time_for_it_is_0() -> None:
    world = connected(same={"wipe_after_s": 0.0})
    world.link.cut = True
    world.pass_time(5000.0)
    assert world.drone.peer.slots.sending is not None


def test_keys_are_wiped_after_a_long_silence() -> None:
    world = connected(same={"wipe_after_s": 30.0})
    world.link.cut = True
    world.pass_time(29.0)
    assert world.drone.peer.slots.sending is not None
    world.pass_time(10.0)
    assert world.drone.peer.slots.sending is None
    assert world.ground.peers[0].slots.sending is None
    world.link.cut = False
    world.connect()
    world.check_data()


def test_a_stretched_link_is_reported() -> None:
    world = connected(link=Link(latency_s=0.1))
    world.pass_time(5.0)
    assert not world.heard("drone", "max_age_s")
    world.link.latency_s = 2.0
    world.pass_time(30.0)
    assert world.heard("drone", "max_age_s") and world.heard("gcs", "max_age_s")


def test_a_bundle_is_delivered_as_its_datagrams() -> None:
    world = connected()
    keys = world.drone.peer.slots.sending
    assert keys is not None
    for payload in (b"\0\3abc\0\1d", b"\0\1e\0\5cut", b"\0\1f\0\0\0\1g"):
        world.inject(keys.seal(Kind.BUNDLE, payload, world.now), "up", DRONE)
    world.inject(keys.seal(9, b"of no kind", world.now), "up", DRONE)  # type: ignore[arg-type]
    world.pass_time(0.1)
    assert world.delivered["gcs"] == [b"abc", b"d", b"e", b"f"]
    assert world.ground.peers[0].packets["kind_ignored"] == 3


def test_both_ends_measure_the_link() -> None:
    world = connected()
    world.pass_time(5.0)
    for end in (world.drone, world.ground):
        peer = end.peers[0]
        assert peer.clock.rtt_s == pytest.approx(0.04, abs=0.001)
        assert peer.clock.offset_ns == pytest.approx(0, abs=1e6)
        assert peer.remote_view.lost == 0 and peer.remote_view.packets > 10
