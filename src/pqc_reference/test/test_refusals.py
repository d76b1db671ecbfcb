# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends reject strangers and altered bytes; the reference peer rejects open key files."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from ends import DRONE, LOOPBACK, Reference, Site, Tunnel, by_hand, make_identities, wait_for
from pqc_reference.crypto.key_schedule import SHA256, PskKeys
from pqc_reference.identity import load_drone_identity, load_gcs_identity
from pqc_reference.key_files import IdentityError
from pqc_reference.session.epoch_keys import Kind

ROLES = ("drone", "gcs")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Identities, made once."""
    return make_identities(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def other_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_identities(tmp_path_factory.mktemp("others"))


# Directions, numbers of datagrams, and places in them from 0 to 1
ALTERATIONS = (
    ("out", 0, 0.0),
    ("out", 0, 0.5),
    ("in", 0, 0.3),
    ("in", 0, 0.9),
    ("out", 1, 0.6),
    ("out", 1, 0.999),
    ("in", 1, 0.0),
    ("in", 2, 0.5),
    ("out", 2, 0.1),
    ("out", 3, 0.7),
    ("in", 3, 0.999),
)


def altering(direction: str, number: int, place: float) -> Callable[[bytes, str], bytes]:
    """Return a change that flips a bit of one datagram."""
    numbers = count()

    def change(datagram: bytes, way: str) -> bytes:
        if way != direction or next(numbers) != number:
            return datagram
        altered = bytearray(datagram)
        altered[int(place * len(datagram))] ^= 0x10
        return bytes(altered)

    return change


@pytest.mark.parametrize("role", ROLES)
def test_a_flipped_bit_anywhere_delays_a_session_but_blames_no_suite(
    role: str, keys: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path, keys, {"peer_timeout_s": 0.6})
    with Tunnel(site, "drone" if role == "gcs" else "gcs") as tunnel:
        for alteration in ALTERATIONS:
            with by_hand(site, role, []) as reference:
                slots, end = reference.end.peers[0].slots, reference.end
                reference.change = altering(*alteration)
                reference.run(f"a session after {alteration}", lambda: slots.confirmed)  # noqa: B023
                assert end.rollbacks == 0
        assert tunnel.peer["rollbacks"] == 0


@pytest.mark.parametrize("role", ROLES)
def test_another_pre_shared_key_is_met_with_silence(
    role: str, keys: Path, other_keys: Path, tmp_path: Path
) -> None:
    # The id and the ground station's signing keys are right, so that the key alone is wrong.
    site = Site(tmp_path, keys)
    wrong = tmp_path / "wrong"
    shutil.copytree(keys, wrong)
    identity, stranger = (folder / DRONE / "drone.identity" for folder in (wrong, other_keys))
    identity.write_bytes(with_psk_of(identity.read_bytes(), stranger.read_bytes()))
    events: list[str] = []
    if role == "drone":
        heard: list[bytes] = []

        def note(datagram: bytes, way: str) -> bytes:
            heard.extend([datagram] if way == "in" else [])
            return datagram

        with Tunnel(site, "gcs") as tunnel:
            site.keys = wrong
            with by_hand(site, "drone", events) as reference:
                reference.change = note
                reference.run("the end of the attempt", lambda: bool(events))
            assert not heard
            assert "does not answer" in events[0]
            assert tunnel.peer["handshakes"] == 0
    else:
        with Reference(site, "gcs") as reference:
            site.keys = wrong
            with Tunnel(site, "drone") as tunnel:
                wait_for(
                    "the refusal",
                    lambda: any("does not prove" in event for event in reference.events) or None,
                )
                assert tunnel.peer["handshakes"] == reference.end.handshakes == 0


def with_psk_of(file: bytes, other: bytes) -> bytes:
    """Return a drone's identity file with the pre-shared key of another's."""
    body = file[:44] + other[44:76] + file[76:-32]
    return body + sha256(body).digest()


@pytest.mark.parametrize("role", ROLES)
def test_altered_and_repeated_datagrams_are_counted_by_either_end(
    role: str, keys: Path, tmp_path: Path
) -> None:
    """The reference peer seals a frame; the tunnel counts its changed and repeated copies."""
    site = Site(tmp_path, keys)
    with Reference(site, "gcs") if role == "gcs" else Tunnel(site, "gcs") as first:
        other = Tunnel(site, "drone") if role == "gcs" else Reference(site, "drone")
        with other as second:
            reference, tunnel = (first, second) if role == "gcs" else (second, first)
            assert isinstance(reference, Reference) and isinstance(tunnel, Tunnel)
            reference.wait_for_session()
            frame = reference.seal(Kind.DATA, b"only once")
            unknown = bytes([frame[0] ^ 1]) + frame[1:]
            link = site.drone_link if role == "gcs" else site.gcs_link
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                # The genuine one comes between: altered ones must not use up its number.
                for datagram in (frame[:-1] + bytes([frame[-1] ^ 1]), frame, frame, unknown, b"?"):
                    sender.sendto(datagram, (LOOPBACK, link))
            drops = {"auth_fail": 1, "replay": 1}
            wait_for(
                "the counts",
                lambda: drops.items() <= tunnel.peer["traffic"]["drops"].items() or None,
            )
            assert tunnel.peer["traffic"]["plain_out_packets"] == 1


def test_key_files_open_to_others_are_refused(keys: Path, tmp_path: Path) -> None:
    copied = tmp_path / "keys"
    shutil.copytree(keys, copied)
    load_drone_identity(copied / DRONE)
    load_gcs_identity(copied / "gcs")
    for path, load in (
        (copied / DRONE / "drone.identity", lambda: load_drone_identity(copied / DRONE)),
        (copied / "gcs" / "signing" / "mldsa65.key", lambda: load_gcs_identity(copied / "gcs")),
        (copied / "gcs", lambda: load_gcs_identity(copied / "gcs")),
    ):
        mode = path.stat().st_mode
        path.chmod(mode | 0o040)
        with pytest.raises(IdentityError, match="open to others"):
            load()
        path.chmod(mode)


def test_damaged_key_files_are_refused(keys: Path, tmp_path: Path) -> None:
    copied = tmp_path / DRONE
    shutil.copytree(keys / DRONE, copied)
    file = copied / "drone.identity"
    content = bytearray(file.read_bytes())
    content[60] ^= 1
    file.write_bytes(content)
    with pytest.raises(IdentityError, match="checksum"):
        load_drone_identity(copied)


@pytest.mark.parametrize("missing", ["gcs/mldsa65.pub", "signing/mldsa65.key"])
def test_a_drone_without_a_key_that_its_suite_needs_does_not_start(
    missing: str, keys: Path, tmp_path: Path
) -> None:
    copied = tmp_path / "keys"
    shutil.copytree(keys, copied)
    (copied / DRONE / missing).unlink()
    with pytest.raises(IdentityError, match=r"There is no .* key of the .* for cs-mlkem768-aesgcm"):
        Reference(Site(tmp_path, copied, {"drone_signature": True}), "drone")


def test_secrets_are_never_shown(keys: Path) -> None:
    identity = load_drone_identity(keys / DRONE)
    shown = repr(identity) + repr(PskKeys.of(identity.psk, SHA256))
    assert repr(identity.psk)[2:-1] not in shown
    assert "psk" not in shown


def test_it_runs_from_parameter_files_and_ends_on_a_signal(keys: Path, tmp_path: Path) -> None:
    def summary_of(role: str) -> dict[str, Any]:
        file = tmp_path / f"{role}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    site = Site(tmp_path, keys)
    running = {}
    for role in ("gcs", "drone"):
        config = tmp_path / f"{role}.yaml"
        section = {"/**/tunnel": {"ros__parameters": site.of(role)}}
        config.write_text(yaml.safe_dump(section), encoding="utf-8")
        more = ["--rekey", "cs-mlkem512-aesgcm-mldsa44@0.2"] if role == "drone" else []
        summary = str(tmp_path / f"{role}.json")
        command = [sys.executable, "-m", "pqc_reference", role, "--config", str(config)]
        running[role] = subprocess.Popen(
            [*command, "--summary", summary, *more], stdout=subprocess.PIPE, text=True
        )
        wait_for(role, lambda: summary_of(role) or None)  # noqa: B023

    try:
        for role in running:
            wait_for("the rekey", lambda: summary_of(role).get("rekeys") or None)  # noqa: B023
    finally:
        for process in running.values():
            process.send_signal(signal.SIGTERM)
    for role, process in running.items():
        output = process.communicate()[0]
        assert process.returncode == 0
        assert "handshake completed" in output
        final = summary_of(role)
        assert final["state"] == "finished"
        assert (final["handshakes"], final["rekeys"]) == (2, 1)
        assert final["peers"][0]["suite"] == "cs-mlkem512-aesgcm-mldsa44"
        assert final["peers"][0]["epoch"] == 1


def test_bad_parameters_are_one_clear_sentence(tmp_path: Path) -> None:
    for arguments, sentence in (
        (["drone", "-p", "suite:=cs-nothing"], "names 'cs-nothing', which is no suite"),
        (["gcs", "-p", f"identity_dir:={tmp_path}"], "holds no drone"),
        (["gcs", "--config", str(tmp_path / "none")], "can't be read"),
    ):
        command = [sys.executable, "-m", "pqc_reference", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == 1
        assert sentence in run.stderr
        assert run.stderr.count("\n") == 1
