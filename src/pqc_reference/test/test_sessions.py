# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and its ground station open sessions and rekey: in memory, with a clock of their own."""

from __future__ import annotations

from typing import Any

import pytest
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.suites import all_suites
from pqc_reference.wire.control import Control
from world import Link, World, connected

SMALL = "cs-mlkem512-chacha20poly1305-falcon512"
LARGE = "cs-classicmceliece348864-aesgcm-mldsa44"
POOR = {"jitter_s": 0.05, "loss": 0.2, "duplicates": 0.1}


def test_every_suite_of_level_1_carries_data_both_ways() -> None:
    world = connected()
    slow = ("sphincs128s",)
    suites = [
        s
        for s in all_suites()
        if s.level == 1
        and s.signature.token not in slow
        and liboqs.offers(s.kem)
        and liboqs.offers(s.signature)
    ]
    for number, wanted in enumerate(suites, 1):
        assert world.rekey(wanted.name) is None
        world.check_data()
        drone, gcs = world.keys
        assert drone is not None and gcs is not None
        assert drone.suite == gcs.suite == wanted
        assert drone.epoch == gcs.epoch == number
    for end in (world.drone, world.ground):
        assert not end.unassigned_drops and not end.peers[0].drops
        assert not end.peers[0].packets["control_ignored"]


@pytest.mark.parametrize("mode", range(4), ids=["plain", "hybrid", "signed", "both"])
@pytest.mark.parametrize("level", [1, 3, 5])
def test_sessions_and_rekeys_work_at_every_level_and_in_every_mode(level: int, mode: int) -> None:
    quick = {1: "mldsa44", 3: "mldsa65", 5: "falcon1024"}
    kems = {1: "mlkem512", 3: "frodokem976aes", 5: "mlkem1024"}
    world = connected(f"cs-{kems[level]}-aesgcm-{quick[level]}", mode=mode)
    world.check_data()
    # Through the other hash and back
    for name in ("cs-mlkem1024-ascon128a-mldsa87", "cs-mlkem512-asconaead128-falcon512"):
        assert world.rekey(name) is None
        assert world.rekey(ratchet=True) is None
        world.check_data()


@pytest.mark.parametrize("name", ["cs-mlkem512-aesgcm-sphincs128s", LARGE])
def test_a_session_begins_with_slow_algorithms_too(name: str) -> None:
    world = connected(name, mode=3, link=Link(**POOR), job_s=6.0)
    # No attempt was given up meanwhile.
    assert not world.heard("drone", "failed")
    assert world.ground.handshakes == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_poor_link_delays_but_does_not_stop_anything(seed: int) -> None:
    world = World(mode=3, link=Link(**POOR))
    world.link.random.seed(seed)
    world.connect()
    for name in (SMALL, LARGE, "cs-frodokem640aes-ascon128a-mldsa44", "cs-mlkem768-aesgcm-mldsa65"):
        assert world.rekey(name) is None
    assert world.rekey(ratchet=True) is None
    for end in (world.drone, world.ground):
        assert not {"auth_fail", "decrypt_fail"} & set(end.peers[0].drops)


def test_answers_carry_the_transaction_of_the_page() -> None:
    world = World()
    hellos = world.seen
    world.run(lambda: any(way == "up" and any(frame[88:120]) for way, frame in hellos))
    client_random = hellos[0][1][10:42]
    boot, sent = world.ground.peers[0].send_boot_control, []

    def note(send: Any) -> Any:
        def noting(kind: Control, transaction: int, *fields: Any) -> None:
            sent.append((kind, transaction, *fields))
            send(kind, transaction, *fields)

        return noting

    world.ground.peers[0].send_boot_control = note(boot)  # type: ignore[method-assign]
    world.ground.peers[0].send_control = note(world.ground.peers[0].send_control)  # type: ignore
    world.drone.peer.send_control = note(world.drone.peer.send_control)  # type: ignore
    world.connect()
    assert {t for kind, t, *_ in sent if kind in (Control.LATER, Control.CONFIRM)} == {
        int.from_bytes(client_random[:4], "big")
    }

    sent.clear()
    assert world.rekey(ratchet=True) is None
    (ratchet, *_) = (message for message in sent if message[0] is Control.RATCHET)
    (answer, *_) = (message for message in sent if message[0] is Control.RATCHET_OK)
    assert ratchet[1] == answer[1] == int.from_bytes(ratchet[3][:4], "big")

    sent.clear()
    assert world.rekey() is None
    (want, *_) = (message for message in sent if message[0] is Control.WANT)
    (later, *_) = (message for message in sent if message[0] is Control.LATER)
    assert want[1] == later[1]
    at_once = {Control.KEEPALIVE, Control.TIME_REQ, Control.LINK_REPORT, Control.STREAM_ACK}
    assert {t for kind, t, *_ in sent if kind in at_once} == {0}


def test_the_ground_station_answers_new_keys_at_once() -> None:
    latency = 0.1
    world = connected(link=Link(latency_s=latency), same={"keepalive_interval_s": 60.0})
    world.run(lambda: world.drone.peer.slots.confirmed)
    outcome = world.begin_rekey(ratchet=True)
    start = world.now
    world.run(outcome.done)
    assert world.now - start == pytest.approx(4 * latency)


def test_a_prekey_that_was_sent_ahead_makes_a_rekey_one_round_trip() -> None:
    latency = 0.05
    world = connected(drone={"prefetch_max_bytes": 1 << 20}, link=Link(latency_s=latency))
    world.run(lambda: world.drone.prekeys.fetching)
    world.run(lambda: not world.drone.prekeys.fetching)
    start, sent = world.now, len(world.seen)
    outcome = world.begin_rekey()
    keys = world.drone.peer.slots.sending
    world.run(lambda: world.drone.peer.slots.sending is not keys)
    assert world.now - start == pytest.approx(2 * latency, abs=0.02)
    bytes_up = sum(len(d) for direction, d in world.seen[sent:] if direction == "up")
    assert bytes_up < 768 + 700
    world.run(outcome.done)
    assert outcome.result() is None


def test_no_prekey_is_fetched_beyond_the_memory_for_it() -> None:
    world = connected(drone={"prefetch_max_bytes": 800})
    world.pass_time(10.0)
    assert world.drone.prekeys.due() == float("inf")
    assert world.drone.prekeys.take(world.drone.suite) is None


def test_a_confirmation_is_repeated_until_it_arrives() -> None:
    world = connected()
    lost = []

    def lose(datagram: bytes, direction: str) -> bytes | None:
        installed = world.ground.handshakes == 2 and len(lost) < 3
        if direction == "down" and installed:
            lost.append(datagram)
            return None
        return datagram

    world.link.change = lose
    assert world.rekey() is None
    assert len(lost) == 3
    world.check_data()


def test_no_end_sends_under_new_keys_before_the_other_can_receive_them() -> None:
    world = connected()
    blocked = []

    def block_finish(datagram: bytes, direction: str) -> bytes | None:
        if direction == "up" and len(datagram) > 300:
            blocked.append(datagram)
            return None
        return datagram

    world.link.change = block_finish
    outcome = world.begin_rekey()
    world.run(lambda: len(blocked) > 3)
    world.check_data()
    assert not outcome.done()
    world.link.change = lambda datagram, _: datagram
    world.run(outcome.done)
    assert outcome.result() is None


def test_a_rekey_that_is_never_answered_fails_without_blame() -> None:
    world = connected()
    world.link.change = lambda d, direction: None if direction == "up" and len(d) > 300 else d
    outcome = world.begin_rekey(SMALL)
    world.run(outcome.done)
    assert "does not answer" in (outcome.result() or "")
    assert world.drone.rollbacks == 0
    world.link.change = lambda datagram, _: datagram
    assert world.rekey(SMALL) is None


def test_a_new_session_follows_epoch_255() -> None:
    world = connected(drone={"max_ratchets": 1000})
    first = world.keys[0]
    while world.keys[0] is not None and world.keys[0].epoch < 255:
        assert world.rekey(ratchet=True) is None
    assert world.rekey(SMALL) is None
    last = world.keys[0]
    assert first is not None and last is not None
    assert (last.epoch, last.suite.name) == (0, SMALL)
    assert last.session.id != first.session.id
    world.check_data()


def test_after_so_many_ratchets_a_full_rekey_follows() -> None:
    world = connected(drone={"max_ratchets": 2})
    assert world.rekey(ratchet=True) is None
    assert world.drone.handshakes == 1
    assert world.rekey(ratchet=True) is None
    world.run(lambda: world.drone.handshakes == 2 and world.in_step)
    assert world.drone.ratchets == 0


def test_old_keys_ask_for_a_rekey_and_ratchets_do_not_make_them_young() -> None:
    world = connected(same={"max_key_age_s": 100.0})
    start = world.now
    world.pass_time(50.0)
    assert world.rekey(ratchet=True) is None
    world.run(lambda: world.drone.handshakes == 2)
    assert world.now == pytest.approx(start + 100.0, abs=2.0)


def test_used_up_keys_lead_to_a_new_session() -> None:
    world = connected()
    first = world.drone.peer.slots.sending
    first.sent = (1 << 28) - 1
    world.run(lambda: world.heard("drone", "used up"))
    world.run(lambda: world.in_step and world.keys[0] is not first)
