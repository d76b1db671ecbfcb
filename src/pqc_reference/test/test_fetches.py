# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keys fetched in the background: several at a time, paced, while everything else goes on."""

from __future__ import annotations

import pytest
from pqc_reference.wire.control import Control
from world import Link, World, connected, suite

SMALL = "cs-mlkem512-chacha20poly1305-falcon512"
PLAIN = "cs-frodokem640aes-aesgcm-mldsa44"  # 10 kB
LARGE = "cs-classicmceliece348864-aesgcm-mldsa44"  # 261 kB
RATE = 50_000.0  # bytes/s; 85 % of 2 % are 850


def begin(world: World, *names: str) -> None:
    """Let the drone fetch keys."""
    for name in names:
        assert world.drone.prefetch(suite(name), world.now) is None
    world._take(world.drone, world.drone.handle_timeout(world.now))


def progress(world: World, name: str) -> float:
    """Return how much of a key is here; 1 once it is in stock."""
    prekeys = world.drone.prekeys
    return 1.0 if prekeys.holds(suite(name)) else prekeys.progress(suite(name)) or 0.0


def paced(latency_s: float = 0.05) -> World:
    """Return two ends with a session, on a link whose rate the drone knows."""
    world = World(link=Link(latency_s=latency_s))
    world.drone.rate_bytes_s = RATE
    world.connect()
    return world


def test_fetches_keep_to_the_share_of_the_airtime_and_the_small_key_comes_first() -> None:
    world = paced()
    begin(world, LARGE)
    world.pass_time(5.0)
    before = progress(world, LARGE)
    assert before > 0.0
    begin(world, PLAIN)
    world.run(lambda: progress(world, PLAIN) == 1.0, 20.0)
    assert progress(world, LARGE) == pytest.approx(before, abs=0.01)
    start, sent = world.now, len(world.seen)
    world.pass_time(60.0)
    parts = sum(48 + len(d) for way, d in world.seen[sent:] if way == "down" and len(d) > 300)
    assert parts == pytest.approx(0.91 * 0.02 * RATE * (world.now - start), rel=0.05)


def test_a_key_that_was_fetched_makes_a_rekey_one_round_trip() -> None:
    world = connected(link=Link(latency_s=0.05))
    begin(world, LARGE, PLAIN)
    world.run(lambda: progress(world, LARGE) == progress(world, PLAIN) == 1.0)
    for name in (PLAIN, LARGE):
        keys, start = world.drone.peer.slots.sending, world.now
        outcome = world.begin_rekey(name)
        world.run(lambda keys=keys: world.drone.peer.slots.sending is not keys)
        assert world.now - start == pytest.approx(0.1, abs=0.03)
        world.run(outcome.done)
    world.check_data()


def test_rekeys_ratchets_another_address_and_a_blackout_cost_a_fetch_nothing() -> None:
    world = paced()
    begin(world, LARGE)
    world.pass_time(20.0)
    seen = [progress(world, LARGE)]

    def check() -> None:
        seen.append(progress(world, LARGE))
        assert seen[-1] >= seen[-2] > 0.0

    for ratchet in (True, False):
        assert world.rekey(ratchet=ratchet) is None
        check()
    world.drone_address = ("10.0.0.3", 46011)
    world.pass_time(5.0)
    check()
    session = world.drone.peer.slots.sending.session
    world.link.cut = True
    world.run(lambda: world.heard("drone", "no packets arrive"))
    world.link.cut = False
    world.run(lambda: world.heard("drone", "arrive again"))
    check()
    world.drone.rate_bytes_s = None  # at whatever rate data leaves
    begin(world, PLAIN)
    world.run(lambda: progress(world, LARGE) == 1.0)
    assert world.drone.peer.slots.sending.session is session
    assert world.rekey(LARGE) is None


def test_a_rekey_waits_for_its_key_while_others_ratchets_and_data_go_on() -> None:
    world = paced()
    begin(world, SMALL)
    world.run(lambda: progress(world, SMALL) == 1.0)
    late = world.begin_rekey(LARGE)
    assert "waits for its key" in (world.rekey(PLAIN) or "")
    assert "reason 2" in (world.rekey(PLAIN, end=world.ground) or "")
    assert world.rekey(ratchet=True) is None
    assert world.rekey(SMALL) is None
    world.check_data()
    assert not late.done()
    world.run(late.done)
    assert late.result() is None
    world.run(lambda: world.in_step)
    drone, _ = world.keys
    assert (drone.suite.name, drone.epoch) == (LARGE, 3)


def test_a_rekey_that_waits_is_urgent_and_what_is_left_is_paced_again() -> None:
    world = paced(latency_s=0.5)
    paces = []
    genuine = world.drone.peer.send_control

    def note(kind: Control, transaction: int, *fields: object) -> None:
        if kind is Control.WANT:
            paces.append(fields[2])
        genuine(kind, transaction, *fields)

    world.drone.peer.send_control = note  # type: ignore[method-assign]
    begin(world, LARGE)
    world.pass_time(1.0)
    start = world.now
    assert world.rekey(PLAIN) is None
    assert world.now - start < 7.0
    world.pass_time(2.0)
    assert progress(world, LARGE) < 1.0
    assert {paces[0], paces[-1]} == {910} and 0 in paces


def test_the_ground_stations_request_waits_for_the_key_too() -> None:
    world = connected()
    assert world.rekey(LARGE, end=world.ground) is None
    drone, _ = world.keys
    assert drone is not None and drone.suite.name == LARGE


def test_a_rekey_that_waits_ends_if_the_ground_station_sends_no_key() -> None:
    world = connected()
    world.link.change = lambda d, way: None if way == "down" and len(d) > 300 else d
    assert "no prekey in time" in (world.rekey(LARGE) or "")
    assert world.drone.rollbacks == 0
    world.link.change = lambda datagram, _: datagram
    assert world.rekey(PLAIN) is None


def test_a_fourth_fetch_waits_for_a_lane_and_an_urgent_one_takes_one() -> None:
    world = paced()
    others = [f"cs-{kem}-aesgcm-mldsa87" for kem in ("mlkem1024", "hqc256", "frodokem1344aes")]
    begin(world, *others, PLAIN)
    world.pass_time(3.0)
    assert world.rekey(LARGE) is None
    world.drone.rate_bytes_s = None
    begin(world, SMALL)
    world.run(lambda: all(progress(world, name) == 1.0 for name in (*others, PLAIN, SMALL)))


def test_a_key_that_was_asked_for_stays_and_takes_the_place_of_others() -> None:
    world = connected(drone={"prefetch_max_bytes": 12_000})
    world.run(lambda: world.drone.prekeys.count == 1)  # of the suite in use
    begin(world, PLAIN)
    world.run(lambda: progress(world, PLAIN) == 1.0)
    assert world.drone.prekeys.count == 1


def test_fetches_end_with_their_session() -> None:
    world = paced()
    begin(world, LARGE)
    world.pass_time(5.0)
    first = world.drone.peer.slots.sending
    world.drone.begin_attempt(world.drone.suite)
    world.run(lambda: world.in_step and world.drone.peer.slots.sending is not first)
    assert not world.drone.prekeys.fetching
    assert world.rekey(PLAIN) is None


def test_what_cannot_be_fetched_is_refused_with_a_sentence() -> None:
    world = World()
    assert "no session" in (world.drone.prefetch(suite(PLAIN), world.now) or "")
    world.connect()
    world.drone._blacklist[suite(PLAIN)] = world.now + 60.0
    assert "blacklisted" in (world.drone.prefetch(suite(PLAIN), world.now) or "")
