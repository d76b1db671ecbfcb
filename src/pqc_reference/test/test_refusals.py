# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends reject strangers and altered bytes; the reference peer rejects open key files."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from ends import DRONE, LOOPBACK, Reference, Site, Tunnel, make_identities, wait_for
from pqc_reference.channel import Channel, ChannelClosed
from pqc_reference.config import make_config
from pqc_reference.drone_handshake import DroneTerms, shake_hands
from pqc_reference.epoch_keys import FrameType
from pqc_reference.handshake import Failure, HandshakeFailed
from pqc_reference.identity import IdentityError, load_drone_identity, load_gcs_identity
from pqc_reference.key_schedule import PskKeys, SessionSecrets

ROLES = ("drone", "gcs")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Identities, made once."""
    return make_identities(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def other_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Identities of others, with the same names."""
    return make_identities(tmp_path_factory.mktemp("others"))


def attempt(site: Site, keys: Path, port: int) -> SessionSecrets:
    """Do the drone's half of one handshake by hand."""
    config = make_config("drone", site.of("drone"))
    assert config.suite is not None
    identity = load_drone_identity(keys / DRONE)
    psk = PskKeys.of(identity.psk)
    terms = DroneTerms(identity, psk, config.policy, config.suite, None, lambda _: True)

    async def attempt() -> SessionSecrets:
        channel = await Channel.connect(LOOPBACK, port, 10.0)
        try:
            return await shake_hands(channel, terms)
        finally:
            channel.close()

    return asyncio.run(attempt())


def succeed(site: Site, keys: Path, port: int) -> SessionSecrets:
    """Do it again if it failed: the ground station waits only one second for a hello."""
    for _ in range(2):
        with suppress(HandshakeFailed):
            return attempt(site, keys, port)
    return attempt(site, keys, port)


class AlteringRelay:
    """Relays handshakes, and flips one bit of one message: the n-th of those of one direction."""

    def __init__(self, target: int) -> None:
        """Relay to a TCP port."""
        self.alteration: tuple[str, int, float] | None = None  # direction, n, place from 0 to 1
        self._target = target
        self._sources = count(1)
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, LOOPBACK, 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def close(self) -> None:
        """Stop relaying."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        # Each from another address of this machine: the tunnel limits connections per address.
        number = socket.INADDR_LOOPBACK + 512 + next(self._sources)
        source = (socket.inet_ntoa(number.to_bytes(4, "big")), 0)
        with suppress(OSError):  # the test is over
            far = await asyncio.open_connection(LOOPBACK, self._target, local_addr=source)
            ends = ((reader, far[1], "up"), (far[0], writer, "down"))
            await asyncio.gather(*(self._relay(*end) for end in ends))
        writer.close()

    async def _relay(self, source: StreamReader, sink: StreamWriter, direction: str) -> None:
        channel = Channel(source, sink, 20.0)
        with suppress(ChannelClosed):
            for number in count():
                body = bytearray(await channel.receive(range(1 << 20)))
                if self.alteration is not None and self.alteration[:2] == (direction, number):
                    body[int(self.alteration[2] * len(body))] ^= 0x10
                await channel.send(bytes(body))
        channel.close()


@contextmanager
def relay_to(port: int) -> Iterator[AlteringRelay]:
    """A relay, closed at the end."""
    relay = AlteringRelay(port)
    try:
        yield relay
    finally:
        relay.close()


MESSAGES = (("up", 0), ("down", 0), ("up", 1), ("down", 1), ("up", 2), ("down", 2))
PLACES = (0.0, 0.1, 0.35, 0.6, 0.85, 0.999)


@pytest.mark.parametrize("ground", ["tunnel", "reference"])
def test_a_flipped_bit_anywhere_ends_the_handshake_and_blames_no_suite(
    ground: str, keys: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path, keys)
    gcs: Callable[[Site, str], Tunnel | Reference] = Tunnel if ground == "tunnel" else Reference
    with gcs(site, "gcs"), relay_to(site.tcp) as relay:
        assert succeed(site, keys, relay.port).session_id
        for message in MESSAGES:
            for place in PLACES:
                relay.alteration = (*message, place)
                with pytest.raises(HandshakeFailed) as failed:
                    attempt(site, keys, relay.port)
                assert failed.value.failure is Failure.UNPROVED, (relay.alteration, failed.value)
        relay.alteration = None
        assert succeed(site, keys, relay.port).session_id


def test_a_drone_of_the_tunnel_survives_flipped_bits_of_the_reference_ground_station(
    keys: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path, keys)
    with Reference(site, "gcs") as reference, relay_to(site.tcp) as relay:
        relay.alteration = ("down", 1, 0.5)
        site.gate = relay.port
        with Tunnel(site, "drone") as tunnel:
            wait_for("failures", lambda: len(reference.events) >= 2 or None)
            assert reference.role.handshakes == 0
            assert tunnel.peer["handshakes"] == tunnel.peer["rollbacks"] == 0
            relay.alteration = None
            reference.wait_for_session()


@pytest.mark.parametrize("role", ROLES)
def test_another_pre_shared_key_is_rejected(
    role: str, keys: Path, other_keys: Path, tmp_path: Path
) -> None:
    # The id and the ground station's signing keys are right, so that the key alone is wrong.
    site = Site(tmp_path, keys)
    wrong = tmp_path / "wrong"
    shutil.copytree(keys, wrong)
    identity, stranger = (folder / DRONE / "drone.identity" for folder in (wrong, other_keys))
    identity.write_bytes(with_psk_of(identity.read_bytes(), stranger.read_bytes()))
    if role == "drone":
        with Tunnel(site, "gcs"), pytest.raises(HandshakeFailed) as failed:
            attempt(site, wrong, site.tcp)
        assert failed.value.failure is Failure.UNPROVED
    else:
        with Reference(site, "gcs") as reference:
            site.keys = wrong
            with Tunnel(site, "drone") as tunnel:
                # Before that, a slow drone may be rejected because of its delay.
                wait_for(
                    "the refusal",
                    lambda: any("does not prove" in event for event in reference.events) or None,
                )
                assert tunnel.peer["handshakes"] == reference.role.handshakes == 0


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
            frame = reference.seal(FrameType.DATA, b"only once")
            unknown = frame[:5] + bytes(8) + frame[13:]
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
    shown = repr(identity) + repr(PskKeys.of(identity.psk))
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
        (["gcs", "-p", "drones:=[]"], "Parameter drones names no drone"),
        (["gcs", "--config", str(tmp_path / "none")], "can't be read"),
    ):
        command = [sys.executable, "-m", "pqc_reference", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == 1
        assert sentence in run.stderr
        assert run.stderr.count("\n") == 1
