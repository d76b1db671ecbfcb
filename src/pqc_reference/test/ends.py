# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reference peer in this process and the tunnel as another process, as two ends."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from pqc_reference.config import make_config
from pqc_reference.crypto.suites import Suite
from pqc_reference.datagrams import enlarge_receive_buffer
from pqc_reference.drone import Drone
from pqc_reference.end import Datagram, End
from pqc_reference.ground import Ground
from pqc_reference.reference_command import make_end, make_shell
from pqc_reference.session.epoch_keys import EpochKeys, Kind
from pqc_reference.shell import Shell
from pqc_testing.child import die_with_parent
from pqc_testing.ports import LOOPBACK, free_ports

DRONE = "drone1"
LIMIT_S = 120.0
FIRST_SUITE = "cs-mlkem768-aesgcm-mldsa65"

_Value = TypeVar("_Value")


def wait_for(what: str, look: Callable[[], _Value | None]) -> _Value:
    """Wait until something is there, and return it."""
    deadline = time.monotonic() + LIMIT_S
    while (value := look()) is None:
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.01)
    return value


def program(name: str) -> str:
    """Return a program of the tunnel; the test is skipped if that isn't built."""
    try:
        return str(Path(get_package_prefix("pqc_tunnel")) / "lib" / "pqc_tunnel" / name)
    except PackageNotFoundError as missing:
        pytest.skip(f"needs the built workspace: {missing}")


def make_identities(folder: Path, one_time: int = 2) -> Path:
    """Make a ground station and a drone that know each other, with keys of the anchor."""
    keys = folder / "keys"
    command = [program("pqc"), "identity", "init", "--out", str(keys), "--drone", DRONE]
    command += ["--one-time", str(one_time)]
    subprocess.run([*command, "--drone-signatures", "all"], check=True, capture_output=True)
    return keys


@dataclass
class Site:
    """Ports, keys and parameters that both ends of one tunnel have in common."""

    folder: Path
    keys: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    drone_parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.gcs_link, self.drone_link, *plain = free_ports(6)
        self.gcs_plain, self.drone_plain, self.ground_program, self.drone_program = plain

    def of(self, role: str) -> dict[str, Any]:
        common: dict[str, Any] = {
            "bind_address": LOOPBACK,
            "plaintext_bind_address": LOOPBACK,
            "allow_experimental": True,
            "min_level": 1,
            "report_interval_s": 0.2,
            "keepalive_interval_s": 0.2,
            **self.parameters,
        }
        if role == "gcs":
            return common | {
                "identity_dir": str(self.keys / "gcs"),
                "datagram_port": self.gcs_link,
                "prekey_pool.max_bytes": 0,  # keys are made on request
                "plaintext_port": self.gcs_plain,
                "plaintext_peer_address": LOOPBACK,
                "plaintext_peer_port": self.ground_program,
            }
        return (
            {"suite": FIRST_SUITE}
            | common
            | {
                "identity_dir": str(self.keys / DRONE),
                "gcs_address": LOOPBACK,
                "gcs_datagram_port": self.gcs_link,
                "datagram_port": self.drone_link,
                "plaintext_port": self.drone_plain,
                "plaintext_peer_address": LOOPBACK,
                "plaintext_peer_port": self.drone_program,
                "radio_status": "off",  # a busy machine looks like a link that is full
                **self.drone_parameters,
            }
        )


class Reference:
    """A reference peer in an event loop of its own; a context manager."""

    def __init__(self, site: Site, role: str) -> None:
        """Load its identity and open its sockets."""
        self.events: list[str] = []
        self._loop = asyncio.new_event_loop()
        config = make_config(role, site.of(role))

        async def make() -> Shell:
            return make_shell(config, lambda text, _: self.events.append(text))

        self._shell = self._loop.run_until_complete(make())
        self.end = self._shell.end
        self.peer = self.end.peers[0]
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        self._running = self._loop.create_task(self._shell.run())
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._running)
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(lambda: self._running.cancel())
        self._thread.join()

    @property
    def session(self) -> EpochKeys | None:
        """The keys in use, once they are confirmed."""
        slots = self.peer.slots
        return slots.sending if slots.confirmed else None

    def wait_for_session(self) -> EpochKeys:
        """Wait until both ends have keys."""
        return wait_for("a session", lambda: self.session)

    def rekey(self, suite: Suite | None = None, **kind: bool) -> str | None:
        request = self._shell.request_rekey(suite, **kind)
        return asyncio.run_coroutine_threadsafe(request, self._loop).result(LIMIT_S)

    def erase_drone(self) -> str | None:
        """Have the drone erase its keys; return why it did not, or None; a ground station only."""

        async def ask() -> str | None:
            assert isinstance(self.end, Ground)
            return await asyncio.wrap_future(self.end.request_erase(self.end.now))

        return asyncio.run_coroutine_threadsafe(ask(), self._loop).result(LIMIT_S)

    def prefetch(self, suite: Suite) -> str | None:
        """Fetch a key in the background; return why not, or None; a drone only."""

        async def begin() -> str | None:
            return self._shell.prefetch(suite)

        return asyncio.run_coroutine_threadsafe(begin(), self._loop).result(LIMIT_S)

    def has_key(self, suite: Suite) -> bool:
        """Whether the key for a rekey to a suite is in stock; a drone only."""
        assert isinstance(self.end, Drone)
        return self.end.prekeys.holds(suite)

    def echo(self, number: int, padding: int) -> Any:
        """Ask the other end to answer; return the fields of its ECHO_RSP."""
        self._loop.call_soon_threadsafe(self._shell.ask_for_echo, number, padding)
        return wait_for("an echo", lambda: self.peer.echoes.get(number))

    def begin_session(self) -> None:
        """Begin a new session beside the live one; a drone only."""

        async def begin() -> None:
            assert isinstance(self.end, Drone)
            self.end.begin_attempt(self.end.suite)

        asyncio.run_coroutine_threadsafe(begin(), self._loop).result(LIMIT_S)

    def seal(self, kind: Kind, text: bytes) -> bytes:
        """Return a frame under the keys in use."""

        async def seal() -> bytes:
            return self.session.seal(kind, text, self.end.now)

        self.wait_for_session()
        return asyncio.run_coroutine_threadsafe(seal(), self._loop).result(LIMIT_S)


class ByHand:
    """An end of the reference peer that acts only in `run`, on a socket of its own."""

    def __init__(self, end: End, port: int) -> None:
        self.end = end
        # Returns a datagram as it shall arrive, or None for one that shall not.
        self.change: Callable[[bytes, str], bytes | None] = lambda datagram, _: datagram
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((LOOPBACK, port))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def run(self, what: str, until: Callable[[], bool]) -> None:
        """Act until something is the case."""
        limit = time.monotonic() + LIMIT_S
        while not until():
            now = time.monotonic()
            assert now < limit, f"never came: {what}"
            due = self.end.next_timeout()
            if due <= now:
                self.send(self.end.handle_timeout(now))
            elif select.select([self._socket], [], [], min(due - now, 0.1))[0]:
                self._receive()

    def give(self, datagram: bytes) -> None:
        """Let a datagram of the other end arrive."""
        address = self.end.peers[0].address
        self.send(self.end.handle_datagram(datagram, address, time.monotonic()))

    def _receive(self) -> None:
        datagram, sender = self._socket.recvfrom(65535)
        changed = self.change(datagram, "in")
        if changed is not None:
            self.send(self.end.handle_datagram(changed, sender, time.monotonic()))

    def send(self, outgoing: list[Datagram]) -> None:
        for datagram in outgoing:
            changed = self.change(datagram.payload, "out")
            if changed is not None:
                with suppress(ConnectionRefusedError):  # the other end is not there
                    self._socket.sendto(changed, datagram.address)
        for job in self.end.take_jobs():
            self.send(self.end.handle_outcome(job, job.run(), time.monotonic()))


def by_hand(site: Site, role: str, events: list[str]) -> ByHand:
    """Return an end of the reference peer in this thread."""
    config = make_config(role, site.of(role))
    end = make_end(config, lambda text, _: events.append(text), lambda *_: None)
    if isinstance(end, Drone):
        end.home = [(LOOPBACK, site.gcs_link)]
    return ByHand(end, config.datagram_port)


class Tunnel:
    """A pqc_tunneld; a context manager."""

    def __init__(self, site: Site, role: str) -> None:
        self._folder = site.folder
        self._control = site.folder / f"{role}.sock"
        self._program = program("pqc_tunneld")
        self._role = role
        parameters = (f"{name}:={_yaml(value)}" for name, value in site.of(role).items())
        self._command = [self._program, "--role", role, "--control", str(self._control)]
        for parameter in parameters:
            self._command += ["-p", parameter]

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            self._command, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent
        )
        wait_for("the tunnel's control socket", lambda: self._control.exists() or None)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, command: str, *words: str) -> Any:
        """Return the JSON that a command of `pqc` prints for this tunnel."""
        run = subprocess.run(
            [program("pqc"), command, self._role, *words, "--json"],
            env={**os.environ, "PQC_RUN_DIR": str(self._folder)},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return json.loads(run.stdout)

    @property
    def peer(self) -> dict[str, Any]:
        return self.ask("show")[0]["peers"][0]

    def rekey(self, suite: Suite | None = None, **kind: bool) -> str | None:
        """Rekey, or ask the drone to; return why that failed, or None."""
        words = [suite.name] if suite is not None else []
        words += ["--" + name.replace("_", "-") for name in kind]
        words += ["--drone", DRONE] if self._role == "gcs" else []
        answer = self.ask("rekey", *words)
        return None if answer["success"] else answer["message"]

    def erase_drone(self) -> str | None:
        """Have the drone erase its keys; return why it did not, or None; a ground station only."""
        done = subprocess.run(
            [program("pqc"), "wipe", self._role, "--drone", DRONE, "--at-drone"],
            env={**os.environ, "PQC_RUN_DIR": str(self._folder)},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return None if done.returncode == 0 else done.stderr

    def prefetch(self, suite: Suite) -> str | None:
        """Fetch a key in the background; return why not, or None; a drone only."""
        answer = self.ask("prefetch", suite.name)
        return None if answer["success"] else answer["message"]

    def has_key(self, suite: Suite) -> bool:
        """Whether the key for a rekey to a suite is in stock, as the status says it of its KEM."""
        return any(one["suite"] == suite.name and one["ready"] for one in self.peer["fetches"])


class Application:
    """A program on the plaintext side of one end."""

    def __init__(self, own_port: int, plaintext_port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        enlarge_receive_buffer(self._socket)
        self._socket.bind((LOOPBACK, own_port))
        self._socket.connect((LOOPBACK, plaintext_port))

    def send(self, datagram: bytes) -> None:
        self._socket.send(datagram)

    def receive(self) -> bytes:
        ready, _, _ = select.select([self._socket], [], [], LIMIT_S)
        assert ready, "no datagram came"
        return self._socket.recv(65535)

    def close(self) -> None:
        self._socket.close()


def _yaml(value: Any) -> str:
    return json.dumps(value)
