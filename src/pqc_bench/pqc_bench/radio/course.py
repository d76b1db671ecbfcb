# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The course of a vehicle and its ground program at the two ends of a link, bare or tunnelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from random import Random
from statistics import median
from typing import Any, TypeVar

from pqc_sim.datagrams.mavlink_frames import FrameStream
from pqc_sim.vehicle.transfers import FILE, Channel
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions

from pqc_bench.radio.command_delays import CommandDelays
from pqc_bench.radio.dialogue import Dialogue
from pqc_bench.radio.ends import End, send_each
from pqc_bench.radio.ground_files import FileFetch, FilePut
from pqc_bench.radio.ground_log import LogFetch
from pqc_bench.radio.ground_parameters import ParameterFetch
from pqc_bench.radio.ground_program import GroundProgram

# An ArduCopter streams some 25 messages (GCS_Mavlink.cpp) at 4 Hz, for which MAVProxy asks unless
# it is told otherwise (its setting streamrate).
_USUAL_HZ, _BUSY_HZ = 100, 320
_COMMANDS_HZ, _BUSY_COMMANDS_HZ = 1, 5
_PUT_BYTES = 40_000
# A lost message costs a whole second of waiting, and the first transfer meets a link whose rate the
# tunnel does not know yet: one transfer tells little.
_LEAST_TRIES, _MOST_TRIES, _SOON_S = 3, 5, 20.0
_TICK_NS = 5_000_000
_SETTLE_S = 3.0
_T = TypeVar("_T", bound=Dialogue)


class Course:
    """Sends and receives at both ends; `over` is set at the end of the script."""

    def __init__(
        self, ends: tuple[End, End], channel: Channel, seconds: float, stream: bool
    ) -> None:
        """Begin now; with a `stream` frames come in pieces, as from a serial line."""
        self._drone, self._ground = ends
        self.now_ns = self._began_ns = time.monotonic_ns()
        options = VehicleOptions(rate_hz=_USUAL_HZ, channel=channel)
        self._vehicle = Vehicle(options, self.now_ns, time.time_ns())
        self._frames = FrameStream() if stream else None
        self._program = GroundProgram(self.now_ns, seed=1)
        self._delays = CommandDelays(self._program)
        self._busy_commands = range(0)
        self._result: dict[str, Any] = {}
        self._seconds, self._puts = seconds, 0
        self._script = self._play()
        self.over = False

    @property
    def ends(self) -> tuple[End, End]:
        return self._drone, self._ground

    def next_ns(self) -> int:
        """Return when `work` is to be called even if nothing arrives."""
        return min(self._vehicle.next_ns(), self.now_ns + _TICK_NS)

    def work(self) -> None:
        """Receive what has arrived, and send what is due."""
        self.now_ns = time.monotonic_ns()
        for octets in self._drone.receive():
            for datagram in [octets] if self._frames is None else self._frames.feed(octets):
                self._delays.note(datagram, self.now_ns)
                send_each(self._drone, self._vehicle.handle(datagram, self.now_ns))
        send_each(self._drone, self._vehicle.advance(self.now_ns))
        for octets in self._ground.receive():
            send_each(self._ground, self._program.handle(octets, self.now_ns))
        send_each(self._ground, self._program.due(self.now_ns))
        if not self.over:
            self.over = next(self._script, True)

    def result(self) -> dict[str, Any]:
        program, vehicle = self._program, self._vehicle
        p99_ms, arrived = self._delays.summary(self._busy_commands)
        signing = (program.signing, vehicle.signing)
        return {
            "seconds": round((self.now_ns - self._began_ns) / 1e9, 1),
            "received": program.received,
            "lost": program.lost,
            "ground_lost_share": _share(program.lost, program.received),
            "signed_accepted": sum(end.goodsig_count for end in signing),
            "signed_rejected": sum(end.badsig_count for end in signing),
            **self._result,
            "command_p99_ms": p99_ms,
            "commands": len(self._busy_commands),
            "commands_arrived": arrived,
        }

    def _play(self) -> Iterator[bool]:
        """Go through all of it; yield False whenever it has to wait."""
        self._program.count(False)
        yield from self._wait(_SETTLE_S)
        self._program.count(True)
        self._program.command_hz = _COMMANDS_HZ
        transfers = self._vehicle.transfers
        assert transfers is not None
        lists = yield from self._carry_on("parameters", ParameterFetch)
        self._result["parameters"] = min(len(one.received) for one in lists)
        logs = yield from self._carry_on("log", LogFetch)
        self._result["log_whole"] = all(one.content == transfers.log_content for one in logs)
        file = transfers.ftp.files[FILE]
        fetches = yield from self._carry_on("ftp", lambda: FileFetch(FILE))
        self._result["ftp_whole"] = all(one.content == file for one in fetches)
        puts = yield from self._carry_on("ftp_upload", self._make_put)
        written = (transfers.ftp.files.get(one.name) == one.content for one in puts)
        self._result["ftp_upload_whole"] = all(written)
        yield from self._be_busy()
        self._program.sign(self.now_ns, time.time_ns())
        yield from self._wait(self._seconds / 3)
        while self.now_ns - self._began_ns < self._seconds * 1e9:
            yield False

    def _be_busy(self) -> Iterator[bool]:
        """Measure commands beside much telemetry, most of which a thin radio has no room for."""
        program = self._program
        program.count(False)
        self._vehicle.set_rate(_BUSY_HZ, self.now_ns)
        yield from self._wait(_SETTLE_S)
        program.command_hz = _BUSY_COMMANDS_HZ
        first = len(program.commands_ns)
        yield from self._wait(self._seconds / 3)
        self._busy_commands = range(first, len(program.commands_ns))
        program.command_hz = _COMMANDS_HZ
        self._vehicle.set_rate(_USUAL_HZ, self.now_ns)
        yield from self._wait(_SETTLE_S)
        program.count(True)

    def _make_put(self) -> FilePut:
        self._puts += 1
        return FilePut(f"logs/{self._puts}.txt", Random(self._puts).randbytes(_PUT_BYTES))

    def _carry_on(self, name: str, make: Callable[[], _T]) -> Generator[bool, None, list[_T]]:
        """Go through a transfer three times, and oftener if it is over soon; return all of them."""
        began_ns, tries = self.now_ns, []
        while len(tries) < _LEAST_TRIES or (
            len(tries) < _MOST_TRIES and self.now_ns - began_ns < _SOON_S * 1e9
        ):
            dialogue = make()
            tries.append(dialogue)
            send_each(self._ground, self._program.begin(dialogue, self.now_ns))
            while not dialogue.over(self.now_ns):
                yield False
            self._program.dialogue = None
            yield from self._wait(_SETTLE_S)
        took = [one.took_s for one in tries if one.took_s is not None]
        whole = len(took) == len(tries)
        self._result[f"{name}_s"] = round(median(took), 1) if whole else None
        self._result[f"{name}_tries_s"] = [round(one, 1) for one in took]
        self._result[f"{name}_asked_again"] = round(median(one.asked_again for one in tries))
        return tries

    def _wait(self, seconds: float) -> Iterator[bool]:
        until_ns = self.now_ns + int(seconds * 1e9)
        while self.now_ns < until_ns:
            yield False


def _share(lost: int, received: int) -> float:
    return round(lost / max(1, lost + received), 4)
