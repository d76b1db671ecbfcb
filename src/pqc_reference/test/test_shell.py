# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both ends over UDP, with real clocks and threads."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from pqc_reference.config import Plaintext
from pqc_reference.crypto.liboqs import STACK_BYTES
from pqc_reference.crypto.policy import every_suite_from
from pqc_reference.datagrams import PlaintextPort
from pqc_reference.drone import Drone
from pqc_reference.ground import Ground
from pqc_reference.session.epoch_keys import Kind
from pqc_reference.shell import Shell
from world import MLKEM, NAME, config, identities, suite

LOOPBACK = "127.0.0.1"
LIMIT_S = 60.0


async def wait_until(condition: Callable[[], Any]) -> None:
    """Wait until something is the case."""
    async with asyncio.timeout(LIMIT_S):
        while not condition():
            await asyncio.sleep(0.005)


class Application:
    """A program on the plaintext side."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((LOOPBACK, 0))
        self.socket.setblocking(False)

    @property
    def plaintext(self) -> Plaintext:
        return Plaintext(LOOPBACK, 0, *self.socket.getsockname())

    async def receive(self) -> bytes:
        async with asyncio.timeout(LIMIT_S):
            return await asyncio.get_running_loop().sock_recv(self.socket, 65535)


class Site:
    """Both ends, and a program at each."""

    def __init__(self, **values: Any) -> None:
        """`values` are of both configurations; call it inside the event loop."""
        threading.stack_size(STACK_BYTES)
        identity, gcs, record = identities()
        policy = every_suite_from(1)
        self.events: list[str] = []
        self.programs = {"": Application(), NAME: Application()}
        self.ports = {name: PlaintextPort(p.plaintext) for name, p in self.programs.items()}
        common = {"bind_address": LOOPBACK, "keepalive_interval_s": 0.1, "report_interval_s": 0.1}
        of = {"policy": policy, "first": suite(MLKEM), **common, **values}

        def report(text: str, _: object) -> None:
            self.events.append(text)

        def deliver(name: str, datagram: bytes) -> None:
            self.ports[name].deliver(datagram)

        ground = Ground(config("gcs", **of), gcs, [record], report, deliver)
        self.ground = Shell(ground, self.ports)
        port = self.ground.port
        drone = Drone(
            config("drone", **of | {"gcs_address": "localhost", "gcs_datagram_port": port}),
            identity,
            report,
            deliver,
        )
        self.drone = Shell(drone, self.ports)

    def address(self, name: str) -> Any:
        """The address that the program of a side sends to."""
        return self.ports[name].socket.getsockname()

    def say(self, name: str, datagram: bytes) -> None:
        self.programs[name].socket.sendto(datagram, self.address(name))


@asynccontextmanager
async def running(**values: Any) -> AsyncIterator[Site]:
    site = Site(**values)
    tasks = [asyncio.create_task(shell.run()) for shell in (site.ground, site.drone)]
    try:
        yield site
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        for program in site.programs.values():
            program.socket.close()


def test_a_datagram_that_waited_too_long_is_dropped_at_both_sides() -> None:
    async def check() -> None:
        async with running(max_age_s=0.0) as site:  # any wait is too long
            site.say("", b"text")
            peer = site.drone.end.peers[0]
            await wait_until(lambda: peer.drops["stale"])
            await wait_until(lambda: site.ground.end.unassigned_drops["stale"])
            assert not peer.packets["plain_in"]

    asyncio.run(check())


def test_plaintext_of_another_than_the_configured_program_is_dropped() -> None:
    async def check() -> None:
        async with running() as site:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.sendto(b"mine", site.address(""))
                await wait_until(lambda: site.drone.end.peers[0].drops["foreign"])
                assert site.drone.end.peers[0].drops == {"foreign": 1}

    asyncio.run(check())


def test_an_end_that_misbehaves_sends_frames_of_any_kind_and_content() -> None:
    async def check() -> None:
        async with running() as site:
            drone, ground = site.drone.end.peers[0], site.ground.end.peers[0]
            await wait_until(lambda: drone.slots.confirmed and ground.slots.confirmed)
            site.drone.send_frame(drone, Kind.DATA, b"of no program")
            assert await site.programs[NAME].receive() == b"of no program"
            site.drone.send_frame(drone, Kind.CONTROL, b"\xff" * 100)
            await wait_until(lambda: ground.packets["control_ignored"])
            site.ground.send_frame(ground, Kind.BUNDLE, b"\0\1a\0\1b")
            assert [await site.programs[""].receive() for _ in range(2)] == [b"a", b"b"]
            assert not drone.drops
            assert not ground.drops

    asyncio.run(check())
