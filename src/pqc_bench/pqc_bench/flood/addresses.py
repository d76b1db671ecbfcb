# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What addresses get that have not proved themselves."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pqc_sim.pair.ports import LOOPBACK, free_ports

from pqc_bench.flood.between import Between
from pqc_bench.harness.daemons import GROUND, Daemons
from pqc_bench.harness.machine import commit, machine_kind

_DRONE, _LINK = "alpha", "lte"
# Rates of the link in kbit/s, and of the recorded hellos from ever new ports, per second.
_FLOODS = ((64, 200), (256, 700), (1000, 3000))
_COMMANDS_PER_S = 20
_TELEMETRY_PER_S = 100
_COMMAND_LONG, _COMMAND_BYTES = 76, 33
_AGAIN_S = 2.5  # between frames from elsewhere
_MOST = 3.0  # times what came from there
_PORTS_OPEN = 200
_DRAIN_S = 1.0


def measure(folder: Path, seconds: int) -> dict[str, Any]:
    """Flood links of known rate, then have frames come from the address of a third party."""
    phases = []
    for rate_kbit, hellos in _FLOODS:
        with _pair(folder / f"{rate_kbit}", rate_kbit) as pair:
            phases.append(_flooded(pair, rate_kbit, hellos, seconds))
    with _pair(folder / "elsewhere", 0) as pair:
        reflection = {end: _reflected(pair, end, seconds) for end in ("gcs", "drone")}
    return {
        "floods": phases,
        "reflection": reflection,
        "machine": machine_kind(),
        "commit": commit(),
    }


def judge(result: dict[str, Any]) -> list[str]:
    """Return the faults, a sentence each."""
    faults = []
    for one in result["floods"]:
        name = f"{one['rate_kbit']} kbit/s"
        if one["lost"]:
            faults.append(f"{name}: {one['lost']} of {one['commands']} commands got lost")
        if not one["rekeyed"]:
            faults.append(f"{name}: the rekey failed")
        if not one["said"]:
            faults.append(f"{name}: no event tells of the flood")
    for end, one in result["reflection"].items():
        if one["received"] > _MOST * one["sent"]:
            times = one["received"] / one["sent"]
            faults.append(f"the {end} sent {times:,.1f} times as much elsewhere as came from there")
    return faults


def lines(result: dict[str, Any], faults: list[str]) -> list[str]:
    """Return the whole result as text."""
    text = ["", "  recorded hellos       commands lost     rekey    bytes/s of answers"]
    for one in result["floods"]:
        text.append(
            f"  {one['hellos']:5}/s, {one['rate_kbit']:4} kbit/s {one['lost']:7} of"
            f" {one['commands']:5}{'good' if one['rekeyed'] else 'failed':>10}"
            f"{one['answer_bytes_per_s']:14,.0f}"
        )
    for end, one in result["reflection"].items():
        text.append(
            f"  from elsewhere to the {end}: {one['sent']:,} bytes; it sent there"
            f" {one['received']:,}"
        )
    text.append(f"  machine          {result['machine']}")
    return text + [f"  failed: {fault}" for fault in faults]


class _Pair:
    """A drone and its ground station, somebody between them, and the applications of both."""

    def __init__(self, folder: Path, rate_kbit: int, stack: contextlib.ExitStack) -> None:
        """Start all, and wait for the session."""
        self.tunnels = Daemons(folder, [_DRONE], stack)
        self.port, own_port, *sides = free_ports(4)
        self.applications = {end: stack.enter_context(_udp()) for end in ("drone", "gcs")}
        self.plaintext = dict(zip(("drone", "gcs"), sides, strict=True))
        self.between = stack.enter_context(Between((LOOPBACK, self.port)))
        link = {"links": [_LINK], f"link.{_LINK}.rate_kbit": float(rate_kbit)} if rate_kbit else {}
        ground = {
            f"drone.{_DRONE}.plaintext_port": sides[1],
            f"drone.{_DRONE}.plaintext_peer_address": LOOPBACK,
            f"drone.{_DRONE}.plaintext_peer_port": _port_of(self.applications["gcs"]),
            "datagram_port": self.port,
            "drones": [_DRONE],
        }
        drone = {
            "gcs_address": LOOPBACK,
            "gcs_datagram_port": self.between.port,
            "datagram_port": own_port,
            "plaintext_port": sides[0],
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": _port_of(self.applications["drone"]),
        }
        self.tunnels.start(GROUND, {**ground, **link})
        self.tunnels.start(_DRONE, {**drone, **link})
        self.tunnels.wait_encrypted(_DRONE)


@contextlib.contextmanager
def _pair(folder: Path, rate_kbit: int) -> Iterator[_Pair]:
    with contextlib.ExitStack() as stack:
        yield _Pair(folder, rate_kbit, stack)


def _flooded(pair: _Pair, rate_kbit: int, hellos: int, seconds: int) -> dict[str, Any]:
    hello = pair.between.hello
    over = threading.Event()
    answers: list[int] = []
    flood = threading.Thread(target=_flood, args=(hello, pair.port, hellos, over, answers))
    flood.start()
    rekeyed: list[bool] = []
    rekey = threading.Thread(
        target=lambda: rekeyed.append(pair.tunnels.ask(_DRONE, "rekey")["success"])
    )
    rekey.start()
    commands = _send(pair, "gcs", _COMMANDS_PER_S, seconds)
    time.sleep(_DRAIN_S)
    arrived = _arrived(pair.applications["drone"])
    rekey.join()
    over.set()
    flood.join()
    return {
        "rate_kbit": rate_kbit,
        "hellos": hellos,
        "commands": commands,
        "lost": commands - arrived,
        "rekeyed": rekeyed == [True],
        "said": "repeats recorded ones" in pair.tunnels.said(GROUND),
        "answer_bytes_per_s": sum(answers) / seconds,
    }


def _reflected(pair: _Pair, end: str, seconds: int) -> dict[str, Any]:
    pair.between.begin(end, _AGAIN_S)
    rekey = threading.Thread(target=lambda: pair.tunnels.ask(_DRONE, "rekey"))
    rekey.start()
    _send(pair, "drone", _TELEMETRY_PER_S, seconds)
    rekey.join()
    return pair.between.finish()


def _send(pair: _Pair, end: str, per_second: int, seconds: int) -> int:
    """Send commands into an end; return how many."""
    sent, begun = 0, time.monotonic()
    while (elapsed := time.monotonic() - begun) < seconds:
        while sent < elapsed * per_second:
            frame = bytes([0xFD, _COMMAND_BYTES, 0, 0, sent % 256, 255, 1, _COMMAND_LONG, 0, 0])
            frame += sent.to_bytes(4, "big") + bytes(_COMMAND_BYTES - 2)
            pair.applications[end].sendto(frame, (LOOPBACK, pair.plaintext[end]))
            sent += 1
        time.sleep(0.2 / per_second)
    return sent


def _arrived(application: socket.socket) -> int:
    different = set()
    application.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            different.add(application.recv(2048))
    return len(different)


def _flood(
    hello: bytes, port: int, per_second: int, over: threading.Event, answers: list[int]
) -> None:
    ports: deque[socket.socket] = deque()
    sent, begun = 0, time.monotonic()
    while not over.is_set():
        while sent < (time.monotonic() - begun) * per_second:
            ports.append(_udp())
            ports[-1].sendto(hello, (LOOPBACK, port))
            sent += 1
            if len(ports) > _PORTS_OPEN:
                _close(ports.popleft(), answers)
        time.sleep(0.001)
    for one in ports:
        _close(one, answers)


def _close(port: socket.socket, answers: list[int]) -> None:
    with port, contextlib.suppress(BlockingIOError):
        port.setblocking(False)
        answers.append(len(port.recv(2048)))


def _udp() -> socket.socket:
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((LOOPBACK, 0))
    return udp


def _port_of(udp: socket.socket) -> int:
    return udp.getsockname()[1]
