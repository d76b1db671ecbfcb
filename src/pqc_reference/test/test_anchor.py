# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sessions with the ground station's anchor, and the secret that one session hands to the next."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from pqc_reference.anchor import AnchorKeys, AnchorSecrets, UnknownAnchor, anchor_id
from pqc_reference.crypto import liboqs
from pqc_reference.crypto.suites import KEMS, Kem
from pqc_reference.key_files import Kind, encode
from world import NAME, World, connected, identities, suite

KEM = next(kem for kem in KEMS if kem.token == "classicmceliece348864")
OWNER = b"drone__1".ljust(32, b"\0")


@cache
def pair(number: int) -> tuple[bytes, bytes]:
    """Return a public and a secret key, the same for each call."""
    del number
    return liboqs.generate_key(KEM)


def _write(folder: Path, kind: Kind, number: int, kem: Kem) -> None:
    public, secret = pair(number)
    name = f"{number:06}-{kem.level}-{anchor_id(public).hex()}"
    suffix, content = (".pub", public) if kind is Kind.ANCHOR_PUBLIC else (".key", secret)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name + suffix)
    path.write_bytes(encode(kind, kem.code, OWNER, content))
    path.chmod(0o600)


class Disks:
    """The anchor's folders of a drone and its ground station: two one-time keys, and the last."""

    def __init__(self, folder: Path) -> None:
        self.drone, self.gcs = folder / "drone", folder / "gcs"
        for number in (1, 2):
            _write(self.drone / "anchor/one_time", Kind.ANCHOR_PUBLIC, number, KEM)
            _write(self.gcs / "anchor/one_time" / NAME, Kind.ANCHOR_SECRET, number, KEM)
        _write(self.drone / "anchor/last_resort", Kind.ANCHOR_PUBLIC, 3, KEM)
        _write(self.gcs / "anchor/last_resort", Kind.ANCHOR_SECRET, 3, KEM)

    @property
    def keys(self) -> AnchorKeys:
        return AnchorKeys(self.drone, OWNER)

    @property
    def secrets(self) -> AnchorSecrets:
        return AnchorSecrets(self.gcs, NAME, OWNER)

    def left(self) -> int:
        return len(list((self.gcs / "anchor/one_time" / NAME).glob("*.key")))

    def world(self, **changes: object) -> World:
        drone, gcs, record = identities()
        ends = (replace(drone, anchor=self.keys), gcs, replace(record, anchor=self.secrets))
        return World(identity=ends, **changes)  # type: ignore[arg-type]


@pytest.fixture
def disks(tmp_path: Path) -> Disks:
    return Disks(tmp_path)


def test_a_key_that_was_used_is_refused_and_the_next_one_taken(disks: Disks) -> None:
    used = disks.keys.take(1)
    disks.secrets.erase(disks.secrets.find(used.id))
    shutil.rmtree(disks.drone)
    again = Disks(disks.drone.parent / "again")
    shutil.copytree(again.drone, disks.drone)
    world = disks.world()
    world.connect()
    assert world.heard("gcs", "used before")
    assert disks.left() == 0


def test_a_copy_that_comes_back_brings_no_used_key_back(disks: Disks, tmp_path: Path) -> None:
    for folder in (disks.drone, disks.gcs):
        shutil.copytree(folder, tmp_path / "copy" / folder.name)
    first = disks.keys.take(1)
    disks.secrets.erase(disks.secrets.find(first.id))
    for folder in (disks.drone, disks.gcs):
        shutil.copytree(tmp_path / "copy" / folder.name, folder, dirs_exist_ok=True)
    with pytest.raises(UnknownAnchor):
        disks.secrets.find(first.id)
    assert disks.left() == 1
    assert disks.keys.take(1).id != first.id


@pytest.mark.parametrize(("drone", "gcs"), [("off", "required"), ("auto", "off")])
def test_ends_that_disagree_have_no_session(disks: Disks, drone: str, gcs: str) -> None:
    world = disks.world(drone={"anchor": drone}, gcs={"anchor": gcs})
    world.run(lambda: world.heard("drone", "policy mismatch"))
    assert disks.left() == 2


def test_an_anchor_that_was_replaced_gets_an_answer(disks: Disks) -> None:
    for path in (disks.gcs / "anchor").rglob("*.key"):
        path.unlink()
    world = disks.world()
    world.run(lambda: world.heard("drone", "does not know the key of the anchor"))


def test_an_anchor_that_can_not_be_read_is_not_taken_for_an_unknown_one(disks: Disks) -> None:
    for path in (disks.gcs / "anchor").rglob("*.key"):
        path.write_bytes(b"damaged")
    world = disks.world()
    world.run(lambda: world.heard("drone", "it can't use its anchor"))


@pytest.mark.parametrize("mtu", [1500, 200])  # RATCHET leaves whole, and in fragments
def test_a_one_time_key_goes_into_a_ratchet_and_its_secret_is_erased(
    disks: Disks, mtu: int
) -> None:
    # RATCHET is repeated meanwhile.
    world = disks.world(job_s=0.5, same={"link_mtu_bytes": mtu})
    world.connect()
    assert disks.left() == 1
    assert world.rekey(one_time_key=True) is None
    assert disks.left() == 0
    world.check_data()
    assert world.drone.ratchets == 1
    for end, words in ((world.drone, "no one-time key"), (world.ground, "refuses")):
        assert words in str(world.rekey(one_time_key=True, end=end))
    world.check_data()


def test_a_one_time_key_that_the_ground_station_has_not_ends_the_ratchet(disks: Disks) -> None:
    world = disks.world()
    world.connect()
    for path in (disks.gcs / "anchor/one_time").rglob("*.key"):
        path.unlink()
    assert "does not know the key of the anchor" in str(world.rekey(one_time_key=True))
    world.check_data()


def test_a_damaged_one_time_key_is_left_out_and_the_next_one_taken(disks: Disks) -> None:
    first, second = sorted((disks.drone / "anchor/one_time").glob("*.pub"))
    first.write_bytes(first.read_bytes()[:1000])
    taken = disks.keys.take(1)
    assert taken.one_time and taken.id.hex() in second.name
    assert not disks.keys.take(1).one_time


def test_the_ground_station_knows_the_former_session_after_two_that_the_drone_never_saw_made() -> (
    None
):
    world = connected()
    proves_nothing = True

    def lose(datagram: bytes, direction: str) -> bytes | None:
        keys, attempt = world.drone.peer.slots.sending, world.ground.drones[0].new_session._attempt
        if datagram[0] >> 6 != 0b01:
            return datagram
        if direction == "up":
            key_id = int.from_bytes(datagram[:3], "big") & 0x3FFFFF
            return None if keys and proves_nothing and key_id == keys._send_id else datagram
        made = attempt is not None and attempt.finish
        return None if made and world.drone.handshakes > 1 else datagram

    world.link.change = lose
    world.drone.begin_attempt(suite("cs-frodokem640aes-aesgcm-mldsa44"))
    world.run(lambda: world.drone.handshakes == 2)
    former = world.drone.peer.slots.sending
    world.run(lambda: world.ground.handshakes == 4)
    assert former is world.drone.peer.slots.sending
    pending = world.ground.peers[0].slots.pending
    assert len(pending) == 2 and former.session.id not in {keys.session.id for keys in pending}
    world.link.change = lambda datagram, _: datagram
    proves_nothing = False
    world.run(lambda: world.in_step and world.drone.peer.slots.sending is not former)
    for end in world.keys:
        assert ("lattices", "plain", "ephemeral") in end.layers
    assert not world.ground.drones[0].new_session.formers
    world.check_data()


def test_a_new_session_takes_the_secret_of_the_one_before_along() -> None:
    world = connected()
    hellos = [datagram for way, datagram in world.seen if datagram[0] == 0x81]
    assert all(hello[80:88] == bytes(8) for hello in hellos)
    world.seen.clear()
    world.drone.begin_attempt(world.drone.suite)
    world.run(lambda: world.drone.handshakes == 2 and world.ground.peers[0].slots.confirmed)
    hellos = [datagram for way, datagram in world.seen if datagram[0] == 0x81]
    assert hellos and all(hello[80:88] != bytes(8) for hello in hellos)
    world.check_data()
