# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames that are changed, repeated, late or of the wrong kind are dropped and counted."""

from __future__ import annotations

from pqc_reference.crypto.key_schedule import Psk
from pqc_reference.session.epoch_keys import Kind
from world import DRONE, MLKEM, World, connected, flipped, suite


def test_repeated_changed_and_late_frames_are_counted_once_each() -> None:
    world = connected()
    world.pass_time(1.0)
    keys, peer = world.drone.peer.slots.sending, world.ground.peers[0]
    frame = keys.seal(Kind.DATA, b"only once", world.now)
    late = keys.seal(Kind.DATA, b"too late", world.now)
    for datagram in (flipped(-1)(frame), frame, frame, flipped(8)(frame)):
        world.inject(datagram, "up", DRONE)
    world.pass_time(0.1)
    # The genuine one is after an altered one, which must not use up its number.
    assert peer.drops == {"auth_fail": 1, "replay": 2}
    world.say(world.drone, b"later")
    world.pass_time(2.0)
    world.inject(late, "up", DRONE)
    world.pass_time(0.1)
    assert peer.drops == {"auth_fail": 1, "replay": 2, "seq_old": 1}
    assert world.delivered["gcs"] == [b"only once", b"later"]


def test_frames_under_old_keys_are_accepted_only_for_a_short_time() -> None:
    world = connected()
    keys, peer = world.drone.peer.slots.sending, world.ground.peers[0]
    assert keys is not None
    frames = [keys.seal(Kind.DATA, b"%d" % i, world.now) for i in range(3)]
    assert world.rekey() is None
    world.inject(frames[0], "up", DRONE)
    world.pass_time(1.1)
    world.inject(frames[1], "up", DRONE)
    world.pass_time(0.1)
    assert world.delivered["gcs"] == [b"0"]
    assert peer.drops == {"seq_old": 1}
    world.pass_time(1.5)
    world.inject(frames[2], "up", DRONE)
    world.pass_time(0.1)
    assert world.ground.unassigned_drops == {"unknown": 1}


def test_nothing_of_an_application_travels_under_boot_keys() -> None:
    world = World()
    world.run(lambda: world.drone.peer.boot is not None)
    world.say(world.drone, b"too early")
    assert world.drone.peer.drops == {"no_session": 1}
    boot = world.drone.peer.boot
    assert boot is not None
    frames = ((Kind.DATA, b"data"), (Kind.BUNDLE, b"\0\1x"), (Kind.FRAGMENT, b"\0\0\0a"))
    for kind, payload in frames:
        world.inject(boot.keys.seal(kind, payload, world.now), "up", DRONE, 0.05)
    world.connect()
    assert world.delivered["gcs"] == []
    assert world.ground.peers[0].packets["kind_ignored"] == 3


def test_datagrams_that_are_too_long_for_fragments_are_dropped() -> None:
    world = connected(same={"link_mtu_bytes": 576})
    world.say(world.drone, bytes(1500))
    world.say(world.drone, bytes(1501))
    world.pass_time(0.1)
    assert world.delivered["gcs"] == [bytes(1500)]
    assert world.drone.peer.drops == {"oversize": 1}
    assert max(len(datagram) for _, datagram in world.seen) <= 576 - 28


def test_no_frame_shows_the_session_or_a_secret() -> None:
    world = connected(mode=3)
    assert world.rekey() is None
    keys = world.keys[0]
    assert keys is not None
    sealed = [datagram for _, datagram in world.seen if datagram[0] >> 6 == 0b01]
    for secret in (keys.session.id, keys.session.origin[:16], world.drone.identity.psk):
        assert all(secret not in datagram for datagram in sealed)
    assert "psk" not in repr(Psk(bytes(32)).keys(suite(MLKEM).wire_id))
