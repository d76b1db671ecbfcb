# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends refuse what is forged, repeated, late or not allowed, and stay as they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pqc_reference.control import Abort, Control
from pqc_reference.drone_handshake import Answer
from pqc_reference.epoch_keys import Kind
from pqc_reference.key_schedule import Psk, Ratchet
from pqc_reference.messages import ClientHello
from pqc_reference.policy import every_suite_from, only
from world import DRONE, GCS, MLKEM, World, changed, identities, suite

from pqc_reference import rekey

FALCON = "cs-mlkem512-aesgcm-falcon512"
FAR_AWAY = float("inf")


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
    """Return a world whose drone is not heard."""
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
    forms = [b"?", bytes(50), b"\x40" + bytes(20), b"\xc0" * 40, hello[:-1], b"\x82\3" + bytes(64)]
    for end in (world.ground, world.drone):
        end.unassigned_drops.clear()
        assert end.handle_datagram(b"", GCS, world.now) == []
        for datagram in forms:
            assert end.handle_datagram(datagram, GCS, world.now) == []
        assert end.unassigned_drops["unknown"] == 0
    assert world.ground.unassigned_drops == {"malformed": 6}
    assert world.drone.unassigned_drops == {"malformed": 6}
    assert world.ground.handle_datagram(b"\x40" + bytes(22), GCS, world.now) == []
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
    world = World()
    world.connect()
    keys = world.keys
    opening = next(d for way, d in world.seen if way == "up" and d[0] == 0x81 and any(d[80:112]))
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


@pytest.mark.parametrize("who", ["drone", "gcs"])
def test_another_pre_shared_key_gets_nowhere(who: str) -> None:
    drone, gcs, record = identities()
    if who == "drone":
        drone = changed(drone, psk=b"\x06" * 32)
    else:
        record = replace(record, psk=b"\x06" * 32)
    world = World(identity=(drone, gcs, record))
    world.pass_time(10.0)
    assert all(way == "up" for way, _ in world.seen)
    assert world.heard("gcs", "does not prove")
    assert world.ground.handshakes == world.drone.handshakes == world.drone.rollbacks == 0


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


def test_a_suite_that_the_ground_station_cannot_sign_for_is_refused_and_blacklisted() -> None:
    drone, gcs, record = identities()
    keys = {s: key for s, key in gcs.signing_keys.items() if s.token != "falcon512"}
    parts = (drone, replace(gcs, signing_keys=keys), record)
    world = World(FALCON, identity=parts)
    world.run(lambda: world.heard("drone", "suite refused"))
    world = World(identity=parts)
    world.connect()
    assert "refuses the suite" in (world.rekey(FALCON) or "")
    assert "blacklisted" in (world.rekey(FALCON) or "")
    assert world.drone.rollbacks == 1
    assert world.rekey() is None
    world.pass_time(world.drone.config.blacklist_ttl_s)
    assert "refuses the suite" in (world.rekey(FALCON) or "")


def test_a_wrong_signature_of_the_ground_station_ends_a_session_and_a_rekey() -> None:
    drone, gcs, record = identities()
    wrong = {s: drone.gcs_keys[s] for s in drone.gcs_keys}
    signature = suite(FALCON).signature
    wrong[signature] = record.public_keys[signature]  # of somebody else
    parts = (changed(drone, gcs_keys=wrong), gcs, record)
    world = World(FALCON, identity=parts)
    world.run(lambda: world.heard("drone", "signature is wrong"))
    assert world.drone.handshakes == world.ground.handshakes == 0

    world = World(identity=parts)
    world.connect()
    keys = world.keys
    assert "signature is wrong" in (world.rekey(FALCON) or "")
    assert world.keys == keys
    assert world.drone.rollbacks == 1
    world.check_data()


def test_a_wrong_signature_of_the_drone_ends_a_session_and_a_rekey() -> None:
    drone, gcs, record = identities()
    signature = suite(FALCON).signature
    others = {**record.public_keys, signature: drone.gcs_keys[signature]}
    parts = (drone, gcs, replace(record, public_keys=others))
    world = World(FALCON, mode=2, identity=parts)
    world.run(lambda: world.heard("gcs", "the drone's signature is wrong"))
    world.run(lambda: world.heard("drone", "it failed there"))
    assert world.drone.handshakes == world.ground.handshakes == 0

    world = World(mode=2, identity=parts)
    world.connect()
    assert "it failed there" in (world.rekey(FALCON) or "")
    assert world.drone.rollbacks == 1
    world.check_data()


Spoil = Callable[[bytes], bytes]


def flipped(position: int) -> Spoil:
    """Return a function that flips a bit."""

    def spoil(text: bytes) -> bytes:
        spoiled = bytearray(text)
        spoiled[position] ^= 1
        return bytes(spoiled)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (flipped(5), "does not prove the pre-shared key"),  # the ciphertext
        (flipped(-40), "does not prove the pre-shared key"),
        (flipped(-1), "does not confirm the key"),
        (lambda finish: finish + b"x", "malformed"),
        (lambda finish: finish[:-1], "malformed"),
    ],
)
def test_a_spoiled_finish_ends_the_rekey_and_uses_up_its_prekey(
    spoil: Spoil, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    world.connect()
    keys = world.keys
    genuine, used = rekey.answer_prekey, []

    def answer(prekey: Any, *terms: Any) -> Answer:
        used.append(prekey)
        answer = genuine(prekey, *terms)
        return replace(answer, finish=spoil(answer.finish))

    monkeypatch.setattr(rekey, "answer_prekey", answer)
    assert "it failed there" in (world.rekey() or "")
    assert world.heard("gcs", reason)
    assert world.keys == keys
    world.check_data()

    # The same prekey again, even with a right answer
    monkeypatch.setattr(rekey, "answer_prekey", genuine)
    world.drone._blacklist.clear()
    hold(world, used[0])
    assert world.rekey() is None
    assert world.heard("gcs", "the prekey is unknown")


def hold(world: World, prekey: Any) -> None:
    """Let the drone hold a prekey."""
    world.drone.prekeys._held[prekey.pair] = (prekey, FAR_AWAY)


def take_prekey(world: World) -> Any:
    """Fetch a prekey ahead, and return it."""
    world.drone.prekeys.fetch(world.drone.suite)
    world.run(lambda: not world.drone.prekeys.fetching)
    prekey = world.drone.prekeys.take(world.drone.suite)
    assert prekey is not None
    return prekey


def aborts(world: World) -> list[int]:
    """Return a list that collects the reasons of the ground station's ABORTs from now on."""
    reasons: list[int] = []
    peer = world.ground.peers[0]
    genuine = peer.send_control

    def note(kind: Control, transaction: int, *fields: Any) -> None:
        if kind is Control.ABORT:
            reasons.append(fields[0])
        genuine(kind, transaction, *fields)

    peer.send_control = note  # type: ignore[method-assign]
    return reasons


def test_a_prekey_that_was_used_is_refused_and_another_fetched_once() -> None:
    world = World()
    world.connect()
    prekey = take_prekey(world)
    hold(world, prekey)
    assert world.rekey() is None
    reasons = aborts(world)
    hold(world, prekey)
    assert world.rekey() is None
    assert reasons == [Abort.UNKNOWN_PREKEY]
    assert world.drone.rollbacks == 0


def test_a_prekey_that_the_ground_station_forgot_is_replaced_once_but_not_twice() -> None:
    world = World()
    world.connect()
    reasons = aborts(world)
    served = world.ground.drones[0]
    hold(world, take_prekey(world))
    served.rekeys.forget()
    assert world.rekey() is None
    assert reasons == [Abort.UNKNOWN_PREKEY]

    hold(world, take_prekey(world))
    served.rekeys._take_prekey = lambda *_: served.rekeys.__class__._take_prekey(  # type: ignore
        served.rekeys, b"", suite(MLKEM)
    )
    assert "does not know the prekey" in (world.rekey() or "")
    assert reasons == [Abort.UNKNOWN_PREKEY] * 3
    assert world.drone.rollbacks == 0
    world.check_data()


def test_a_prekey_has_an_end_at_both_ends() -> None:
    world = World(same={"prekey_max_age_s": 10.0})
    world.connect()
    prekey = take_prekey(world)
    world.pass_time(11.0)
    hold(world, prekey)
    reasons = aborts(world)
    assert world.rekey() is None
    assert reasons == [Abort.UNKNOWN_PREKEY]

    world.drone.prekeys.fetch(world.drone.suite)
    world.run(lambda: not world.drone.prekeys.fetching)
    world.pass_time(11.0)
    assert world.drone.prekeys.take(world.drone.suite) is None


def test_a_prekey_dies_with_its_session() -> None:
    world = World()
    world.connect()
    prekey = take_prekey(world)
    world.restart_drone()
    world.connect()
    hold(world, prekey)
    reasons = aborts(world)
    assert world.rekey() is None
    assert reasons == [Abort.UNKNOWN_PREKEY]


def test_a_repeated_want_gets_one_prekey() -> None:
    world = World(job_s=1.0)
    world.connect()
    wire_id = suite(MLKEM).wire_id
    for _ in range(3):
        world.drone.peer.send_control(Control.WANT, 5, wire_id)
        world._take(world.drone, world.drone.handle_timeout(world.now))
    world.pass_time(5.0)
    assert world.ground.drones[0].rekeys.count == 1


def test_a_rekey_of_another_epoch_is_refused() -> None:
    world = World()
    world.connect()
    reasons = aborts(world)
    outcome = world.begin_rekey()
    assert world.drone.rekey is not None
    world.drone.rekey._epoch = 2
    world.run(outcome.done)
    assert reasons == [Abort.FAILED]
    assert world.heard("gcs", "another session or epoch")
    world.check_data()


def test_wrong_confirmations_are_ignored() -> None:
    world = World()
    world.connect()
    keys = world.drone.peer.slots.sending
    for ratchet in (True, False):
        world.link.change = lambda d, way: None if way == "up" and d[0] >> 6 == 1 else d
        outcome = world.begin_rekey(ratchet=ratchet)
        peer = world.ground.peers[0]
        peer.send_control(Control.CONFIRM, 0, bytes(32))
        peer.send_control(Control.RATCHET_OK, 0, bytes(32), bytes(32))
        world._take(world.ground, world.ground.handle_timeout(world.now))
        world.pass_time(0.1)
        assert world.drone.peer.slots.sending is keys
        world.link.change = lambda datagram, _: datagram
        world.run(outcome.done)
        assert outcome.result() is None
        world.run(lambda: world.in_step)
        keys = world.drone.peer.slots.sending


def test_a_ratchet_without_the_key_of_the_epoch_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.connect()
    genuine = Ratchet.drone_mac
    reasons = aborts(world)
    outcome = world.begin_rekey(ratchet=True)
    monkeypatch.setattr(Ratchet, "drone_mac", lambda ratchet, random: genuine(ratchet, random[:-1]))
    world.run(outcome.done)
    assert reasons == [Abort.FAILED]
    assert "it failed there" in (outcome.result() or "")
    world.check_data()


def test_the_drone_refuses_a_request_while_another_rekey_is_under_way() -> None:
    world = World()
    world.connect()
    first = world.begin_rekey(FALCON)
    second = world.begin_rekey(end=world.ground)
    world.run(lambda: first.done() and second.done())
    assert first.result() is None
    assert "reason 2" in (second.result() or "")
    assert "no suite" not in (world.rekey("cs-mlkem768-aesgcm-mldsa65", end=world.ground) or "")


@pytest.mark.parametrize("number", range(12))
def test_a_flipped_bit_delays_a_session_but_blames_nothing(number: int) -> None:
    world = World(mode=3)
    count = 0

    def spoil(datagram: bytes, _: str) -> bytes:
        nonlocal count
        count += 1
        return flipped(7 * number % len(datagram))(datagram) if count == number + 1 else datagram

    world.link.change = spoil
    world.connect()
    assert world.drone.rollbacks == 0
    world.check_data()


def test_repeated_changed_and_late_frames_are_counted_once_each() -> None:
    world = World()
    world.connect()
    world.pass_time(1.0)
    keys, peer = world.drone.peer.slots.sending, world.ground.peers[0]
    assert keys is not None
    frame, late = keys.seal(Kind.DATA, b"only once"), keys.seal(Kind.DATA, b"too late")
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
    world = World()
    world.connect()
    keys, peer = world.drone.peer.slots.sending, world.ground.peers[0]
    assert keys is not None
    frames = [keys.seal(Kind.DATA, b"%d" % i) for i in range(3)]
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
    for kind, payload in ((Kind.DATA, b"data"), (Kind.BUNDLE, b"\0\1x")):
        world.inject(boot.keys.seal(kind, payload), "up", DRONE, 0.05)
    world.connect()
    assert world.delivered["gcs"] == []
    assert world.ground.peers[0].packets["kind_ignored"] == 2


def test_datagrams_that_are_too_long_for_the_link_are_dropped() -> None:
    world = World(same={"link_mtu_bytes": 576})
    world.connect()
    world.say(world.drone, bytes(576 - 28 - 23))
    world.say(world.drone, bytes(576 - 28 - 22))
    world.pass_time(0.1)
    assert len(world.delivered["gcs"]) == 1
    assert world.drone.peer.drops == {"oversize": 1}
    assert max(len(datagram) for _, datagram in world.seen) <= 576 - 28


def test_no_frame_shows_the_session_or_a_secret() -> None:
    world = World(mode=3)
    world.connect()
    assert world.rekey() is None
    keys = world.keys[0]
    assert keys is not None
    sealed = [datagram for _, datagram in world.seen if datagram[0] >> 6 == 0b01]
    for secret in (keys.session.id, keys.session.origin[:16], world.drone.identity.psk):
        assert all(secret not in datagram for datagram in sealed)
    assert "psk" not in repr(Psk(bytes(32)).keys(suite(MLKEM).wire_id))
