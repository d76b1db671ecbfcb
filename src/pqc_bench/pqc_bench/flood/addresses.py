# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures what addresses receive that have not proved themselves."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.flood.between import Between
from pqc_bench.harness.live_pair import ENDS, LivePair
from pqc_bench.harness.places import ATTACKER, DRONE, GROUND, Namespaces
from pqc_bench.harness.text import columns

_LINK = "lte"
_HELLO_BYTES = 152
# Rates of the link in kbit/s, and of the recorded hellos from ever new ports, per second.
_FLOODS = ((64, 200), (256, 700), (1000, 3000))
# The same for a link whose rate nobody has configured, and the frames that fill it.
_FOUND_KBIT, _FOUND_HELLOS, _FILLERS_PER_S = 250, 1500, 280
_FIND_S, _SETTLE_S, _SAMPLE_S = 120.0, 10.0, 0.5
_LEAST_SHARE = 0.8  # of the found rate without the flood
_COMMANDS_PER_S = 20
_TELEMETRY_PER_S = 100
_COMMAND_LONG, _COMMAND_BYTES = 76, 33
_FILLERS, _FILLER_KINDS, _FILLER_BYTES = 10_000, 500, 200
_AGAIN_S = 2.5  # between frames from elsewhere
_MOST = 3.0  # times what came from there
_PORTS_OPEN = 200
_DRAIN_S = 1.0


def measure(folder: Path, seconds: int) -> dict[str, Any]:
    """Flood links; then have frames come from the address of a third party."""
    phases = []
    for rate_kbit, hellos in _FLOODS:
        with _pair(folder / f"{rate_kbit}", rate_kbit) as pair:
            phases.append(_flooded(pair, rate_kbit, hellos, seconds))
    with _pair(folder / "found", 0) as pair:
        found = _found(pair, seconds)
    with _pair(folder / "elsewhere", 0) as pair:
        reflection = {end: _reflected(pair, end, seconds) for end in ("gcs", "drone")}
    return {
        "network": pair.places.network,
        "floods": phases,
        "found": found,
        "reflection": reflection,
    }


def judge(result: dict[str, Any]) -> list[str]:
    faults = []
    for one in result["floods"]:
        name = f"{one['rate_kbit']} kbit/s"
        if one["lost"]:
            faults.append(f"{name}: {one['lost']} of {one['commands']} commands got lost")
        if not one["rekeyed"]:
            faults.append(f"{name}: the rekey failed")
        if not one["said"]:
            faults.append(f"{name}: no event tells of the flood")
    if (found := result["found"]) is not None:
        quiet, flood = found["quiet"], found["flood"]
        if flood["lost"] > quiet["lost"]:
            faults.append(
                f"found rate: {flood['lost']} of {flood['commands']} commands got lost,"
                f" {quiet['lost']} without the flood"
            )
        if flood["rate"] < _LEAST_SHARE * quiet["rate"]:
            faults.append(
                f"found rate: it fell to {flood['rate']:,.0f} bytes/s,"
                f" {quiet['rate']:,.0f} without the flood (medians)"
            )
    for end, one in result["reflection"].items():
        if one["received"] > _MOST * one["sent"]:
            times = one["received"] / one["sent"]
            faults.append(f"the {end} sent {times:,.1f} times as much elsewhere as came from there")
    return faults


def lines(result: dict[str, Any]) -> list[str]:
    rows = [("recorded hellos", "link", "commands lost", "rekey", "bytes/s of answers")]
    rows += [
        (
            f"{one['hellos']}/s",
            f"{one['rate_kbit']} kbit/s",
            f"{one['lost']} of {one['commands']}",
            "good" if one["rekeyed"] else "failed",
            f"{one['answer_bytes_per_s']:,.0f}",
        )
        for one in result["floods"]
    ]
    text = ["", *columns(rows)]
    for name in ("quiet", "flood") if result["found"] is not None else ():
        one = result["found"][name]
        text.append(
            f"  found rate, {name + ':':6} {one['lost']} of {one['commands']} commands lost,"
            f" {one['others']:,} others came, {one['rate']:,.0f} bytes/s"
            f" ({one['least_rate']:,.0f} to {one['most_rate']:,.0f})"
        )
    for end, one in result["reflection"].items():
        text.append(
            f"  from elsewhere to the {end}: {one['sent']:,} bytes; it sent there"
            f" {one['received']:,}"
        )
    if result["found"] is None:
        text.append("  found rate       left out: a link that is narrow needs namespaces")
    return text


class _Pair(LivePair):
    """A drone and its ground station, somebody between them, and the applications of both."""

    def __init__(
        self, folder: Path, stack: contextlib.ExitStack, changes: dict[str, Any] | None = None
    ) -> None:
        """Start all, and wait for the session."""
        super().__init__(folder, stack, changes)
        self.sockets = {end: self.application(end) for end in ENDS}
        self.between = stack.enter_context(Between(self.places, self.link(GROUND)))
        hellos = folder / "hellos"
        self.start(self.between.endpoint, hellos)
        self.hello = hellos.read_bytes()[:_HELLO_BYTES]


@contextlib.contextmanager
def _pair(folder: Path, rate_kbit: int) -> Iterator[_Pair]:
    link = {"links": [_LINK], f"link.{_LINK}.rate_kbit": float(rate_kbit)} if rate_kbit else {}
    with contextlib.ExitStack() as stack:
        yield _Pair(folder, stack, link)


def _flooded(pair: _Pair, rate_kbit: int, hellos: int, seconds: int) -> dict[str, Any]:
    rekeyed: list[bool] = []
    rekey = threading.Thread(
        target=lambda: rekeyed.append(pair.tunnels.ask(DRONE, "rekey")["success"])
    )
    with _flood(pair, hellos) as answers:
        rekey.start()
        commands = _send(pair, GROUND, _COMMANDS_PER_S, seconds)
        time.sleep(_DRAIN_S)
        arrived, _ = _arrived(pair)
        rekey.join()
    return {
        "rate_kbit": rate_kbit,
        "hellos": hellos,
        "commands": commands,
        "lost": commands - arrived,
        "rekeyed": rekeyed == [True],
        "said": "repeats recorded ones" in pair.tunnels.said(GROUND),
        "answer_bytes_per_s": sum(answers) / seconds,
    }


def _found(pair: _Pair, seconds: int) -> dict[str, Any] | None:
    """Fill a link until its rate is found; then send commands, without and with a flood."""
    if not isinstance(pair.places, Namespaces):
        return None
    pair.places.narrow(GROUND, _FOUND_KBIT)
    over = threading.Event()
    filler = threading.Thread(
        target=_send, args=(pair, GROUND, _FILLERS_PER_S, _FIND_S + 4.0 * seconds, over)
    )
    filler.start()
    try:
        end = time.monotonic() + _FIND_S
        while _path(pair)["rate_source"] != "saturation":
            if time.monotonic() > end:
                raise RunFault(f"no rate of the link was found within {_FIND_S:.0f} s")
            time.sleep(_SAMPLE_S)
        time.sleep(_SETTLE_S)
        quiet = _stretch(pair, seconds)
        with _flood(pair, _FOUND_HELLOS):
            flood = _stretch(pair, seconds)
    finally:
        over.set()
        filler.join()
    return {"rate_kbit": _FOUND_KBIT, "hellos": _FOUND_HELLOS, "quiet": quiet, "flood": flood}


def _stretch(pair: _Pair, seconds: int) -> dict[str, Any]:
    """Send commands over a link that others fill; return what came, and the rate in use."""
    _arrived(pair)
    sent: list[int] = []
    sender = threading.Thread(
        target=lambda: sent.append(_send(pair, GROUND, _COMMANDS_PER_S, seconds))
    )
    sender.start()
    rates: list[float] = []
    while sender.is_alive():
        rates.append(_path(pair)["rate_bytes_s"])
        time.sleep(_SAMPLE_S)
    time.sleep(_DRAIN_S)
    commands, others = _arrived(pair)
    return {
        "commands": sent[0],
        "lost": sent[0] - commands,
        "others": others,
        "rate": median(rates),  # single cuts are tests of the tunnel
        "least_rate": min(rates),
        "most_rate": max(rates),
    }


def _path(pair: _Pair) -> dict[str, Any]:
    return pair.tunnels.peer(GROUND)["paths"][0]


def _reflected(pair: _Pair, end: str, seconds: int) -> dict[str, Any]:
    pair.between.begin(end, _AGAIN_S)
    rekey = threading.Thread(target=lambda: pair.tunnels.ask(DRONE, "rekey"))
    rekey.start()
    _send(pair, DRONE, _TELEMETRY_PER_S, seconds)
    rekey.join()
    return pair.between.finish()


def _send(
    pair: _Pair, end: str, per_second: int, seconds: float, over: threading.Event | None = None
) -> int:
    """Send commands into an end, or fillers until an event; return how many."""
    sent, begun = 0, time.monotonic()
    while (elapsed := time.monotonic() - begun) < seconds and not (over and over.is_set()):
        while sent < elapsed * per_second:
            message, size = _COMMAND_LONG, _COMMAND_BYTES
            if over:
                message, size = _FILLERS + sent % _FILLER_KINDS, _FILLER_BYTES
            frame = bytes([0xFD, size, 0, 0, sent % 256, 255, 1]) + message.to_bytes(3, "little")
            pair.sockets[end].send(frame + sent.to_bytes(4, "big") + bytes(size - 2))
            sent += 1
        time.sleep(0.2 / per_second)
    return sent


def _arrived(pair: _Pair) -> tuple[int, int]:
    """Return how many different commands came to the drone since the last call, and others."""
    different = set()
    pair.sockets[DRONE].setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            different.add(pair.sockets[DRONE].recv(2048))
    commands = sum(int.from_bytes(one[7:10], "little") == _COMMAND_LONG for one in different)
    return commands, len(different) - commands


@contextlib.contextmanager
def _flood(pair: _Pair, per_second: int) -> Iterator[list[int]]:
    """Send the recorded hello from ever new ports; the list gets the bytes of each answer."""
    over = threading.Event()
    answers: list[int] = []
    flood = threading.Thread(target=_send_hellos, args=(pair, per_second, over, answers))
    flood.start()
    try:
        yield answers
    finally:
        over.set()
        flood.join()


def _send_hellos(pair: _Pair, per_second: int, over: threading.Event, answers: list[int]) -> None:
    ports: deque[socket.socket] = deque()
    sent, begun = 0, time.monotonic()
    while not over.is_set():
        while sent < (time.monotonic() - begun) * per_second:
            ports.append(pair.places.udp(ATTACKER))
            ports[-1].sendto(pair.hello, pair.link(GROUND))
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
