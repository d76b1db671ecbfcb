# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference peer and the tunnel understand each other, whichever end is which."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import cycle
from pathlib import Path

import pytest
from ends import (
    DRONE,
    Application,
    Reference,
    Site,
    Tunnel,
    by_hand,
    make_identities,
    wait_for,
)
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.aead import CIPHERS
from pqc_reference.crypto.suites import KEMS, SIGNATURES, Suite, all_suites, suite_named
from pqc_reference.drone import Drone
from pqc_reference.end import Datagram
from pqc_reference.session.epoch_keys import Kind

# A signature of SPHINCS+-s takes a second, a key of Classic McEliece up to two, and the tunnel
# makes one key a second for each drone. PQC_EVERY_SUITE=1 tries every suite all the same.
EVERY_SUITE = os.environ.get("PQC_EVERY_SUITE") == "1"
SLOWEST_KEM = "classicmceliece8192128"
SLOW_SIGNATURES = ("sphincs128s", "sphincs192s", "sphincs256s")


def representative_suites() -> list[Suite]:
    """Every pair of KEM and signature, with a cipher in turn; slow ones with one partner each."""
    kem_of = dict(zip(SLOW_SIGNATURES, ("hqc", "mlkem", "frodokem"), strict=True))
    signature_of = {SLOWEST_KEM: "mldsa87"}
    ciphers = cycle(CIPHERS)
    return [
        Suite(kem, next(ciphers), signature)
        for kem in KEMS
        for signature in SIGNATURES
        if kem.level == signature.level
        and liboqs.offers(kem)
        and liboqs.offers(signature)
        and kem.token.startswith(kem_of.get(signature.token, ""))
        and signature.token == signature_of.get(kem.token, signature.token)
    ]


@pytest.fixture(params=("drone", "gcs"))
def role(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Identities, made once."""
    return make_identities(tmp_path_factory.mktemp("reference"))


def other(role: str) -> str:
    return "gcs" if role == "drone" else "drone"


@contextmanager
def pair(site: Site, role: str) -> Iterator[tuple[Reference, Tunnel]]:
    """A reference peer in a role, the tunnel in the other, and a session between them."""
    with ExitStack() as stack:
        # The ground station first: a drone waits after a hello without an answer.
        if role == "gcs":
            reference = stack.enter_context(Reference(site, role))
            tunnel = stack.enter_context(Tunnel(site, "drone"))
        else:
            tunnel = stack.enter_context(Tunnel(site, "gcs"))
            reference = stack.enter_context(Reference(site, role))
        reference.wait_for_session()
        # Its status is renewed some times a second.
        wait_for("the tunnel's session", lambda: "suite" in tunnel.peer or None)
        yield reference, tunnel


@contextmanager
def applications(site: Site) -> Iterator[tuple[Application, Application]]:
    """Programs on both sides: the drone's and the ground's."""
    with (
        closing(Application(site.drone_program, site.drone_plain)) as drone,
        closing(Application(site.ground_program, site.gcs_plain)) as ground,
    ):
        yield drone, ground


def check_both_ways(drone: Application, ground: Application, text: bytes) -> None:
    for sender, receiver in ((drone, ground), (ground, drone)):
        sender.send(text)
        assert receiver.receive() == text


def test_sessions_use_up_the_one_time_keys_of_the_anchor(role: str, tmp_path: Path) -> None:
    site = Site(tmp_path, make_identities(tmp_path, one_time=1), {"anchor": "required"})
    for kind in ("one_time", "last_resort"):
        with pair(site, role) as (_, tunnel), applications(site) as (drone, ground):
            assert tunnel.peer["anchor"] == kind
            drone.send(b"telemetry")
            assert ground.receive() == b"telemetry"
    assert not list((site.keys / "gcs/anchor/one_time" / DRONE).glob("*.key"))


def layers_of(tunnel: Tunnel) -> dict[tuple[str, str, str], str]:
    """Return what the tunnel shows, in the reference peer's form."""
    names = ("family", "form", "key")
    return {tuple(layer[n] for n in names): layer["kem"] for layer in tunnel.peer["layers"]}


def test_both_ends_derive_the_same_layers(role: str, tmp_path: Path) -> None:
    hybrid = {"hybrid_x25519": True}
    site = Site(tmp_path, make_identities(tmp_path, one_time=1), hybrid)
    plain = suite_named("cs-frodokem640aes-aesgcm-mldsa44")
    assert plain
    with pair(site, role) as (reference, tunnel):

        def agree(what: str, count: int) -> None:
            keys = lambda: reference.peer.slots.sending  # noqa: E731
            same = lambda: keys() and keys().layers == layers_of(tunnel)  # noqa: E731
            wait_for(what, lambda: (same() and len(layers_of(tunnel)) == count) or None)

        agree("a session", 3)
        assert reference.rekey(plain) is None
        agree("a rekey", 4)
        assert reference.rekey(ratchet=True) is None
        agree("a ratchet", 4)
        if role == "drone":
            first = reference.session
            reference.begin_session()
            wait_for("a new session", lambda: reference.session not in (None, first) or None)
            agree("a session in the chain", 5)


def test_each_end_answers_the_echoes_of_the_other(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys)
    with pair(site, role) as (reference, tunnel):
        echoes = tunnel.ask("ping", "--count", "3")
        assert (echoes["answered"], echoes["lost_there"], echoes["lost_back"]) == (3, 0, 0)
        assert echoes["path_mtu_bytes"] == echoes["configured_mtu_bytes"]
        version = tuple(int(number) for number in echoes["version"].split("."))
        for number, arrived in ((5, 0), (6, 1), (8, 0b110)):
            assert reference.echo(number, 100) == (arrived, bytes(version), 93)


def test_every_suite_carries_data_both_ways(role: str, keys: Path, tmp_path: Path) -> None:
    # Nothing is fetched ahead: the ground station would make keys for many more suites.
    site = Site(tmp_path, keys, drone_parameters={"prefetch.max_bytes": 0})
    every = [s for s in all_suites() if liboqs.offers(s.kem) and liboqs.offers(s.signature)]
    suites = every if EVERY_SUITE else representative_suites()
    with pair(site, role) as (reference, tunnel), applications(site) as (drone, ground):
        for suite in suites:
            assert reference.rekey(suite) is None, (suite.name, reference.events[-3:])
            check_both_ways(drone, ground, f"{suite.name} {role}".encode())
            assert reference.session is not None and reference.session.suite == suite
        assert not reference.peer.drops
        assert {name for name, count in tunnel.peer["traffic"]["drops"].items() if count} == set()
        wait_for("its count of rekeys", lambda: tunnel.peer["rekeys"] == len(suites) or None)


def test_large_keys_pass_a_link_that_loses_datagrams(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys, drone_parameters={"prefetch.max_bytes": 0})
    with Tunnel(site, other(role)), by_hand(site, role, []) as reference:
        end, dice = reference.end, random.Random(1)
        reference.run("a session", lambda: end.peers[0].slots.confirmed)
        reference.change = lambda datagram, _: datagram if dice.random() > 0.15 else None
        for name in (
            "cs-classicmceliece348864-aesgcm-mldsa44",
            "cs-frodokem976aes-chacha20poly1305-sphincs192f",
        ):
            rekey = end.request_rekey(suite_named(name), time.monotonic())
            reference.run(f"the rekey to {name}", rekey.done)
            assert rekey.result() is None


def test_a_session_begins_with_the_slowest_suite(role: str, keys: Path, tmp_path: Path) -> None:
    slowest = "cs-classicmceliece8192128-aesgcm-sphincs256s"
    drone = {"suite": slowest, "prefetch.max_bytes": 0}
    site = Site(tmp_path, keys, drone_parameters=drone)
    with pair(site, role) as (reference, tunnel):
        assert reference.end.handshakes == tunnel.peer["handshakes"] == 1
        assert reference.session is not None and reference.session.suite.name == slowest


def test_both_ends_can_ask_for_a_rekey(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys)
    wanted = suite_named("cs-mlkem512-ascon128a-falcon512")
    again = suite_named("cs-frodokem640aes-chacha20poly1305-mldsa44")
    assert wanted and again
    with pair(site, role) as (reference, tunnel):
        assert tunnel.rekey(wanted) is None
        assert reference.wait_for_session().suite == wanted
        assert reference.rekey(again) is None
        assert reference.wait_for_session().epoch == 2
        wait_for("the same epoch", lambda: tunnel.peer["epoch"] == 2 or None)
        assert tunnel.peer["suite"] == again.name


def test_both_ends_can_ask_for_a_ratchet(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys)
    with pair(site, role) as (reference, tunnel), applications(site) as (drone, ground):
        # Once with each hash
        for suite in (None, suite_named("cs-mlkem1024-ascon128a-mldsa87")):
            assert suite is None or reference.rekey(suite) is None
            assert reference.rekey(ratchet=True) is None
            assert tunnel.rekey(ratchet=True) is None
            reference.wait_for_session()
            check_both_ways(drone, ground, b"after two ratchets")
        wait_for("the same epoch", lambda: tunnel.peer["epoch"] == 5 or None)
        assert reference.session is not None and reference.session.epoch == 5


def test_both_ends_can_ask_for_a_ratchet_with_a_one_time_key(role: str, tmp_path: Path) -> None:
    site = Site(tmp_path, make_identities(tmp_path, one_time=3))
    with pair(site, role) as (reference, tunnel), applications(site) as (drone, ground):
        assert reference.rekey(one_time_key=True) is None
        assert tunnel.rekey(one_time_key=True) is None
        reference.wait_for_session()
        check_both_ways(drone, ground, b"after two ratchets")
        assert tunnel.peer["epoch"] == 2
        left = list((site.keys / "gcs/anchor/one_time" / DRONE).glob("*.key"))
        assert not left, "the session and the ratchets took one each"
        assert "one-time key" in (tunnel.rekey(one_time_key=True) or "")


def test_a_ground_station_has_a_drone_erase_its_keys(role: str, tmp_path: Path) -> None:
    site = Site(tmp_path, make_identities(tmp_path), drone_parameters={"erase_on_request": True})
    with pair(site, role) as (reference, tunnel):
        assert (reference if role == "gcs" else tunnel).erase_drone() is None
    assert not list((site.keys / DRONE).iterdir())


def test_datagrams_longer_than_a_frame_arrive_whole(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys, parameters={"link_mtu_bytes": 256})
    with pair(site, role) as (reference, tunnel), applications(site) as (drone, ground):
        for size in (228 - 25, 228 - 24, 280, 330, 1064, 1500):
            check_both_ways(drone, ground, random.Random(size).randbytes(size))
        assert not reference.peer.drops
        assert {name for name, count in tunnel.peer["traffic"]["drops"].items() if count} == set()


def test_a_prekey_that_was_sent_ahead_is_used(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys, drone_parameters={"prefetch.max_bytes": 1 << 20})
    with pair(site, role) as (reference, tunnel):
        end = reference.end
        prekeys = end.prekeys if isinstance(end, Drone) else end.drones[0].rekeys
        wait_for("a prekey", lambda: prekeys.count or None)
        assert reference.rekey() is None if role == "drone" else tunnel.rekey() is None
        wait_for("the same epoch", lambda: tunnel.peer["epoch"] == 1 or None)


def test_several_keys_are_fetched_at_once_for_rekeys_that_begin_at_once(
    role: str, keys: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path, keys, drone_parameters={"prefetch.max_bytes": 1 << 20})
    names = ("cs-frodokem976aes-aesgcm-mldsa65", "cs-classicmceliece460896-aesgcm-mldsa65")
    wanted = [suite for name in names if (suite := suite_named(name))]
    with pair(site, role) as (reference, tunnel):
        drone = reference if role == "drone" else tunnel
        for suite in wanted:
            assert drone.prefetch(suite) is None
        assert drone.rekey(ratchet=True) is None
        for suite in wanted:
            wait_for(f"the key of {suite.name}", lambda suite=suite: drone.has_key(suite) or None)
        for suite in wanted:
            assert drone.rekey(suite) is None
            assert reference.wait_for_session().suite == suite
            assert not drone.has_key(suite)


def test_rekeys_lose_no_datagrams(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys)
    names = (
        "cs-mlkem512-chacha20poly1305-mldsa44",
        "cs-mlkem1024-aesgcm-falcon1024",
        "cs-classicmceliece348864-aesgcm-mldsa44",
    )
    suites = [suite for name in names if (suite := suite_named(name))]
    with pair(site, role) as (reference, _), applications(site) as (drone, ground):
        done = threading.Event()
        sent = {"up": 0, "down": 0}

        def talk() -> None:
            while not done.wait(0.002):
                drone.send(b"up %d" % sent["up"])
                ground.send(b"down %d" % sent["down"])
                sent["up"] += 1
                sent["down"] += 1

        talker = threading.Thread(target=talk)
        talker.start()
        outcomes = [reference.rekey(suite) for suite in suites]
        done.set()
        talker.join()
        assert outcomes == [None] * len(suites)
        assert [ground.receive() for _ in range(sent["up"])] == [
            b"up %d" % i for i in range(sent["up"])
        ]
        assert [drone.receive() for _ in range(sent["down"])] == [
            b"down %d" % i for i in range(sent["down"])
        ]


def test_what_was_held_through_a_silence_is_stale_at_both_ends(
    role: str, keys: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path, keys, {"peer_timeout_s": 1.0})
    with ExitStack() as stack:
        tunnel = stack.enter_context(Tunnel(site, other(role)))
        drone, ground = stack.enter_context(applications(site))
        reference = stack.enter_context(by_hand(site, role, []))
        partner = ground if role == "drone" else drone
        end, peer = reference.end, reference.end.peers[0]
        reference.run("a session", lambda: peer.slots.confirmed and "suite" in tunnel.peer)
        held: dict[str, bytes] = {}

        # A command each way is the last that is sent, and both are held.
        def hold(datagram: bytes, way: str) -> None:
            if datagram[0] >> 6 == 0b01 and len(datagram) == 25 + len(b"arm the motors, now"):
                held.setdefault(way, datagram)

        reference.change = hold
        partner.send(b"arm the motors, now")
        held["out"] = peer.slots.sending.seal(Kind.DATA, b"arm the motors, now", time.monotonic())
        over = time.monotonic() + 2.0
        reference.run("the silence", lambda: time.monotonic() > over and "in" in held)
        reference.change = lambda datagram, _: None if datagram[0] >> 6 == 0b10 else datagram
        reference.give(held["in"])
        reference.send([Datagram(held["out"], peer.address)])
        stale = lambda: tunnel.peer["traffic"]["drops"]["stale"]  # noqa: E731
        reference.run("both drops", lambda: peer.drops["stale"] == stale() == 1)
        assert peer.packets["plain_out"] == 0
        assert end.handshakes == 1
        reference.send(end.handle_plaintext(peer.name, b"disarm", time.monotonic()))
        assert partner.receive() == b"disarm"
        partner.send(b"disarm")
        reference.run("its datagram", lambda: peer.packets["plain_out"] == 1)


def test_an_idle_tunnel_stays_alive_and_measures_the_link(
    role: str, keys: Path, tmp_path: Path
) -> None:
    timeout_s = 3.0
    site = Site(tmp_path, keys, {"peer_timeout_s": timeout_s})
    with pair(site, role) as (reference, tunnel):
        over_s = time.monotonic() + 2 * timeout_s
        wait_for("reports", lambda: (reference.peer.remote_view or (0,) * 9)[8] >= 20 or None)
        time.sleep(max(0.0, over_s - time.monotonic()))
        status = tunnel.peer
        assert status["state"] == "established"
        assert status["handshakes"] == reference.end.handshakes == 1
        assert status["remote_link"]["lost"] == 0
        assert status["remote_link"]["packets_per_s"] > 0
        assert status["remote_link"]["window_s"] > 0 and status["remote_age_s"] >= 0
        assert min(status[link]["packets"] for link in ("link", "remote_link")) > 0
        assert min(status["traffic"][f"stream_{way}_packets"] for way in ("in", "out")) >= 0
        assert (
            status["traffic"]["control_ignored"] == reference.peer.packets["control_ignored"] == 0
        )
        # Both ends are on one machine, with one clock.
        assert reference.peer.clock.rtt_s is not None
        assert abs(status["clock_offset_s"]) <= status["clock_error_s"]


def test_hybrid_key_exchange_and_drone_signatures(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys, {"hybrid_x25519": True, "drone_signature": True})
    falcon = suite_named("cs-mlkem512-aesgcm-falcon512")
    assert falcon
    with pair(site, role) as (reference, tunnel):
        assert reference.rekey(falcon) is None
        wait_for("the same suite", lambda: tunnel.peer["suite"] == falcon.name or None)


def test_ends_of_different_policy_report_it(role: str, keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys)
    strict = Site(tmp_path, keys, {"min_level": 3})
    for name in ("gcs_link", "drone_link", "gcs_plain", "drone_plain"):
        setattr(strict, name, getattr(site, name))
    with Tunnel(site, other(role)), Reference(strict, role) as reference:
        wait_for(
            "the refusal",
            lambda: any("policy" in event for event in reference.events) or None,
        )
        assert reference.end.handshakes == 0


def test_a_drone_that_lost_its_ground_station_comes_back(keys: Path, tmp_path: Path) -> None:
    site = Site(tmp_path, keys, {"peer_timeout_s": 0.6})
    with Reference(site, "drone") as reference:
        with Tunnel(site, "gcs"):
            first = reference.wait_for_session()
        wait_for("the loss", lambda: any("no packets" in e for e in reference.events) or None)
        with Tunnel(site, "gcs") as tunnel:
            wait_for("a new session", lambda: reference.session not in (None, first) or None)
            wait_for("its end", lambda: tunnel.peer["state"] == "established" or None)
