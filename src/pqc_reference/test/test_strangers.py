# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Whoever lacks the pre-shared key or repeats what was said gets nowhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pqc_reference.crypto.policy import every_suite_from, only
from pqc_reference.wire.messages import ClientHello
from world import DRONE, GCS, MLKEM, World, connected, suite


def hello_of(world: World, **changes: Any) -> bytes:
    """Return a genuine ClientHello of the world's drone, with other values."""
    drone, policy = world.drone, world.drone.config.policy
    names = (drone.identity.id, b"r" * 32, suite(MLKEM).wire_id, policy.mode, policy.hash)
    frame = replace(ClientHello(*names), **changes).encode()
    psk = drone.psk.keys(suite(MLKEM).wire_id)
    return frame + psk.kdf.mac(psk.client_hello, frame)


def challenge_for(world: World, source: Any = DRONE, **changes: Any) -> bytes:
    """Return the ground station's challenge for a hello."""
    (retry,) = world.ground.handle_datagram(hello_of(world, **changes), source, world.now)
    assert retry.address == source
    return retry.payload[2:34]


def quiet_world(**options: Any) -> World:
    world = World(**options)
    world.link.change = lambda datagram, _: None
    return world


def test_hellos_that_prove_nothing_meet_silence() -> None:
    world = quiet_world()
    genuine = hello_of(world)
    for position in range(2, len(genuine)):  # a stranger's id costs and shows no more
        forged = bytearray(genuine)
        forged[position] ^= 0x10
        assert world.ground.handle_datagram(bytes(forged), DRONE, world.now) == []
    assert world.ground.unassigned_drops["hello"] == len(genuine) - 2
    assert len(world.ground.handle_datagram(genuine, DRONE, world.now)) == 1
    assert world.ground.peers[0].boot is None


def test_frames_of_no_known_form_are_counted_and_empty_ones_ignored() -> None:
    world = quiet_world()
    hello = hello_of(world)
    forms = [b"?", bytes(50), b"\x40" + bytes(23), b"\xc0" * 40, hello[:-1], b"\x82\3" + bytes(64)]
    for end in (world.ground, world.drone):
        end.unassigned_drops.clear()
        assert end.handle_datagram(b"", GCS, world.now) == []
        for datagram in forms:
            assert end.handle_datagram(datagram, GCS, world.now) == []
        assert end.unassigned_drops["unknown"] == 0
    assert world.ground.unassigned_drops == {"malformed": 6}
    assert world.drone.unassigned_drops == {"malformed": 6}
    assert world.ground.handle_datagram(b"\x40" + bytes(24), GCS, world.now) == []
    assert world.ground.unassigned_drops["unknown"] == 1


def test_a_challenge_is_good_for_one_address_one_random_and_some_seconds() -> None:
    world = quiet_world()
    challenge = challenge_for(world)
    answer = hello_of(world, challenge=challenge)
    elsewhere = ("10.0.0.66", 7)
    assert world.ground.handle_datagram(answer, elsewhere, world.now) == []
    other = hello_of(world, challenge=challenge, client_random=b"s" * 32)
    assert world.ground.handle_datagram(other, DRONE, world.now) == []
    assert world.ground.handle_datagram(answer, DRONE, world.now + 30.0) == []
    assert world.ground.peers[0].boot is None
    assert world.ground.handle_datagram(answer, DRONE, world.now + 9.0) != []
    assert world.ground.peers[0].boot is not None


def test_boot_keys_are_never_made_twice_for_a_random() -> None:
    world = connected()
    keys = world.keys
    opening = next(d for way, d in world.seen if way == "up" and d[0] == 0x81 and any(d[88:120]))
    assert world.ground.handle_datagram(opening, DRONE, world.now) == []
    # Not even for another challenge
    random = opening[10:42]
    again = hello_of(
        world, client_random=random, challenge=challenge_for(world, client_random=random)
    )
    fresh = [d for d in world.ground.handle_datagram(again, DRONE, world.now) if d.payload[0] > 127]
    assert fresh == []
    assert world.heard("gcs", "the hello is repeated")
    assert world.keys == keys
    world.check_data()


def test_a_hello_that_is_repeated_changes_only_the_address_of_its_attempt() -> None:
    world = quiet_world()
    hello = hello_of(world, challenge=challenge_for(world))
    world.ground.handle_datagram(hello, DRONE, world.now)
    boot = world.ground.peers[0].boot
    assert boot is not None
    # From another address only the same challenge can be right, as behind two of the GCS's.
    world.ground.handle_datagram(hello, DRONE, world.now)
    assert world.ground.peers[0].boot is boot
    assert len(world.ground.take_jobs()) == 1


def test_boot_keys_are_made_once_a_second_after_a_burst_of_three() -> None:
    world = quiet_world()

    def kinds(random: bytes, now: float) -> list[int]:
        challenge = challenge_for(world, client_random=random)
        hello = hello_of(world, client_random=random, challenge=challenge)
        return [d.payload[0] >> 6 for d in world.ground.handle_datagram(hello, DRONE, now)]

    for number in range(3):
        assert kinds(bytes([number]) * 32, world.now) == [0b01]
    assert kinds(b"4" * 32, world.now) == [0b10]  # Reject
    assert kinds(b"5" * 32, world.now + 1.1) == [0b01]
    assert kinds(b"6" * 32, world.now + 1.1) == [0b10]


def test_the_drone_takes_the_first_valid_challenge_and_no_other() -> None:
    world = World()
    seen: list[bytes] = []

    def note_and_forge(datagram: bytes, direction: str) -> bytes:
        if direction == "down" and datagram[0] == 0x82:
            forged = bytearray(datagram)
            forged[10] ^= 1
            world.inject(bytes(forged), "down", GCS)
            seen.append(datagram)
        return datagram

    world.link.change = note_and_forge
    world.run(lambda: seen)
    # The answer to the repeated hello comes as well, with the challenge of the next bucket.
    world.run(lambda: world.drone.peer.boot is not None)
    boot = world.drone.peer.boot
    first = next(d for way, d in world.seen if way == "up")
    later = world.ground.handle_datagram(first, DRONE, world.now + 10.0)
    assert later[0].payload != seen[0]
    world.inject(later[0].payload, "down", GCS)
    world.pass_time(0.001)
    assert world.drone.peer.boot is boot
    world.connect()
    assert world.drone.unassigned_drops["malformed"] >= 1


def test_a_rejection_counts_only_with_the_key_and_after_the_challenge() -> None:
    world = quiet_world()
    attempt = world.drone.attempt
    psk = world.drone.psk.keys(suite(MLKEM).wire_id)
    assert attempt is not None
    reject = b"\x83\x03\x01"
    hello = world.drone.attempt._opening  # type: ignore[union-attr]
    frame = reject + psk.kdf.mac(psk.hello_retry, hello, reject)
    world.drone.handle_datagram(frame, GCS, world.now)
    world.drone.handle_datagram(reject + bytes(32), GCS, world.now)
    assert world.drone.attempt is attempt


@pytest.mark.parametrize(
    ("gcs_policy", "text"),
    [
        (every_suite_from(3, experimental=True), "policy mismatch"),
        (every_suite_from(1, experimental=True, mode=1), "policy mismatch"),
        (only([suite(MLKEM)]), "policy mismatch"),
    ],
)
def test_ends_of_different_policy_refuse_each_other_and_say_so(gcs_policy: Any, text: str) -> None:
    world = World(gcs_policy=gcs_policy)
    world.pass_time(5.0)
    assert world.heard("gcs", text) and world.heard("drone", text)
    assert world.ground.handshakes == world.drone.handshakes == 0
