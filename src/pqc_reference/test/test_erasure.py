# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ground station that has a drone erase its keys."""

from __future__ import annotations

from pathlib import Path

from pqc_reference.wire.control import Control, Erased
from world import World, connected


def keys_in(folder: Path) -> Path:
    (folder / "gcs").mkdir(parents=True)
    for name in ("drone.identity", "gcs/mldsa44.pub"):
        (folder / name).write_bytes(b"key")
    return folder


def ask(world: World) -> str | None:
    outcome = world.ground.request_erase(world.now)
    world.run(outcome.done)
    return outcome.result()


def test_a_drone_that_allows_it_erases_its_keys_and_begins_no_session(tmp_path: Path) -> None:
    keys = keys_in(tmp_path / "keys")
    world = connected(drone={"erase_on_request": True, "identity_dir": keys})
    assert ask(world) is None
    assert not list(keys.iterdir())
    world.pass_time(60.0)
    assert world.drone.peers[0].slots.sending is None
    assert world.drone.attempt is None


def test_a_drone_that_does_not_allow_it_flies_on(tmp_path: Path) -> None:
    keys = keys_in(tmp_path / "keys")
    world = connected(drone={"identity_dir": keys})
    assert ask(world) == f"the drone answers {Erased.NOT_ALLOWED.value}"
    assert (keys / "drone.identity").exists()
    world.check_data()


def test_a_request_that_proves_no_psk_or_is_of_another_session_is_ignored(tmp_path: Path) -> None:
    keys = keys_in(tmp_path / "keys")
    world = connected(drone={"erase_on_request": True, "identity_dir": keys})
    peer, live = world.ground.peers[0], world.keys[1]
    assert live is not None
    psk = world.ground.drones[0].psk.keys(live.suite.wire_id)
    for mac in (bytes(32), psk.erase_mac(bytes(8), 7), psk.erase_mac(live.session.id, 8)):
        peer.send_control(Control.ERASE, 7, mac)
        world.check_data()
    assert (keys / "drone.identity").exists()
