# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rekeys and sessions that fail leave the keys in use, and blame a suite only with proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pqc_reference.crypto.key_schedule import Ratchet
from pqc_reference.drone_handshake import Answer
from pqc_reference.prekeys import Held
from pqc_reference.rekey import Order
from pqc_reference.wire.control import Abort, Control
from world import MLKEM, World, changed, connected, flipped, identities, suite

from pqc_reference import rekey

FALCON = "cs-mlkem512-aesgcm-falcon512"
FAR_AWAY = float("inf")


def test_a_suite_that_the_ground_station_cannot_sign_for_is_refused_and_blacklisted() -> None:
    drone, gcs, record = identities()
    keys = {s: key for s, key in gcs.signing_keys.items() if s.token != "falcon512"}
    parts = (drone, replace(gcs, signing_keys=keys), record)
    world = World(FALCON, identity=parts)
    world.run(lambda: world.heard("drone", "suite refused"))
    world = connected(identity=parts)
    assert "suite refused" in (world.rekey(FALCON) or "")
    assert "blacklisted" in (world.rekey(FALCON) or "")
    assert world.drone.rollbacks == 1
    assert world.rekey() is None
    world.pass_time(world.drone.config.blacklist_ttl_s)
    assert "suite refused" in (world.rekey(FALCON) or "")


def test_a_wrong_signature_of_the_ground_station_ends_a_session_and_a_rekey() -> None:
    drone, gcs, record = identities()
    wrong = {s: drone.gcs_keys[s] for s in drone.gcs_keys}
    signature = suite(FALCON).signature
    wrong[signature] = record.public_keys[signature]  # of somebody else
    parts = (changed(drone, gcs_keys=wrong), gcs, record)
    world = World(FALCON, identity=parts)
    world.run(lambda: world.heard("drone", "signature is wrong"))
    assert world.drone.handshakes == world.ground.handshakes == 0

    world = connected(identity=parts)
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

    world = connected(mode=2, identity=parts)
    assert "it failed there" in (world.rekey(FALCON) or "")
    assert world.drone.rollbacks == 1
    world.check_data()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (flipped(5), "does not prove the pre-shared key"),  # the ciphertext
        (flipped(-40), "does not prove the pre-shared key"),
        (flipped(-1), "does not confirm the key"),
        (lambda finish: finish + b"x", "does not prove the pre-shared key"),
        (lambda finish: finish[:-1], "does not prove the pre-shared key"),
    ],
)
def test_a_spoiled_finish_uses_up_its_prekey_and_leads_to_a_new_session(
    spoil: Callable[[bytes], bytes], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = connected()
    session = world.drone.peer.slots.sending.session  # type: ignore[union-attr]
    genuine, used = rekey.answer_prekey, []

    def answer(prekey: Any, *terms: Any) -> Answer:
        used.append(prekey)
        answer = genuine(prekey, *terms)
        return replace(answer, finish=spoil(answer.finish))

    monkeypatch.setattr(rekey, "answer_prekey", answer)
    assert world.rekey() is None
    assert world.heard("gcs", reason)
    assert world.drone.peer.slots.sending.session is not session  # type: ignore[union-attr]
    assert world.drone.rollbacks == 0
    world.check_data()
    assert len(used) == 1


def hold(world: World, prekey: Any) -> None:
    world.drone.prekeys._held[prekey.pair] = Held(prekey, FAR_AWAY, asked=True)


def take_prekey(world: World) -> Any:
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
    world = connected()
    prekey = take_prekey(world)
    hold(world, prekey)
    assert world.rekey() is None
    reasons = aborts(world)
    hold(world, prekey)
    assert world.rekey() is None
    assert reasons == [Abort.UNKNOWN_PREKEY]
    assert world.drone.rollbacks == 0


def test_a_prekey_that_the_ground_station_forgot_is_replaced_once_but_not_twice() -> None:
    world = connected()
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
    session = world.drone.peer.slots.sending.session  # type: ignore[union-attr]
    assert world.rekey() is None  # by a new session
    assert world.drone.peer.slots.sending.session is not session  # type: ignore[union-attr]
    assert reasons == [Abort.UNKNOWN_PREKEY] * 3
    assert world.drone.rollbacks == 0
    world.check_data()


def test_a_prekey_has_an_end_at_both_ends() -> None:
    world = connected(same={"prekey_max_age_s": 10.0})
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
    world = connected()
    prekey = take_prekey(world)
    world.restart_drone()
    world.connect()
    hold(world, prekey)
    reasons = aborts(world)
    assert world.rekey() is None
    assert reasons == [Abort.UNKNOWN_PREKEY]


def test_a_repeated_want_gets_one_prekey() -> None:
    world = connected(job_s=1.0)
    wire_id = suite(MLKEM).wire_id
    for _ in range(3):
        world.drone.peer.send_control(Control.WANT, 5, wire_id, 1, 0)
        world._take(world.drone, world.drone.handle_timeout(world.now))
    world.pass_time(5.0)
    assert world.ground.drones[0].rekeys.count == 1


def test_a_rekey_of_another_epoch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    world = connected()
    reasons = aborts(world)
    genuine = rekey.Rekey.start

    def start(begun: rekey.Rekey) -> None:
        begun._epoch = 2
        genuine(begun)

    monkeypatch.setattr(rekey.Rekey, "start", start)
    world.rekey()
    assert reasons == [Abort.FAILED]
    assert world.heard("gcs", "another session or epoch")
    world.check_data()


def test_wrong_confirmations_are_ignored() -> None:
    world = connected()
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
    world = connected()
    genuine = Ratchet.drone_mac
    reasons = aborts(world)
    outcome = world.begin_rekey(ratchet=True)
    monkeypatch.setattr(Ratchet, "drone_mac", lambda ratchet, random: genuine(ratchet, random[:-1]))
    world.run(outcome.done)
    assert reasons == [Abort.FAILED]
    assert "it failed there" in (outcome.result() or "")
    world.check_data()


def test_the_drone_refuses_a_request_while_another_rekey_is_under_way() -> None:
    world = connected()
    first = world.begin_rekey(FALCON)
    second = world.begin_rekey(end=world.ground)
    world.run(lambda: first.done() and second.done())
    assert first.result() is None
    assert "reason 2" in (second.result() or "")
    assert "no suite" not in (world.rekey("cs-mlkem768-aesgcm-mldsa65", end=world.ground) or "")


def test_a_request_is_refused_for_its_fault_while_another_waits_for_its_key() -> None:
    world = connected()
    world.drone._blacklist[suite(FALCON)] = FAR_AWAY
    world.drone.waiting = Order(suite("cs-mlkem1024-aesgcm-mldsa87"))
    assert "reason 1" in (world.rekey(FALCON, end=world.ground) or "")
    assert "reason 5" in (world.rekey(end=world.ground, one_time_key=True) or "")
    assert "reason 2" in (world.rekey(MLKEM, end=world.ground) or "")
