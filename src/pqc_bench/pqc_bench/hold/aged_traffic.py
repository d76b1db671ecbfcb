# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Numbered MAVLink messages in both directions, and how old each one is when it is delivered."""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
import time
from collections import defaultdict

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.harness.live_pair import LivePair
from pqc_bench.harness.places import DRONE, GROUND
from pqc_bench.harness.worker import Worker
from pqc_bench.hold.adversary import DOWN, UP

_LARGEST = 65535
_PAYLOAD = 10  # where the payload of a MAVLink 2 frame begins


class AgedTraffic(Worker):
    """Telemetry goes up and commands go down, at a rate each; use it as a context manager."""

    def __init__(self, pair: LivePair, rate: float) -> None:
        """Bind the sockets of both applications."""
        super().__init__()
        self._period_s = 1.0 / rate
        self._sockets = {UP: pair.application(DRONE), DOWN: pair.application(GROUND)}
        for port in self._sockets.values():
            port.setblocking(False)
        self._codecs = {UP: _Telemetry(), DOWN: _Commands()}
        self._sent: dict[str, list[float]] = {UP: [], DOWN: []}
        self._ages: dict[str, list[float]] = defaultdict(list)
        self._lock = threading.Lock()

    def take_ages(self, way: str) -> list[float]:
        """Return the ages, in s, of what was delivered since the last call."""
        with self._lock:
            return self._ages.pop(way, [])

    def _work(self) -> None:
        # The ground's application receives what goes up, and the drone's what goes down.
        arriving = {UP: self._sockets[DOWN], DOWN: self._sockets[UP]}
        next_time = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for way, port in arriving.items():
                selector.register(port, selectors.EVENT_READ, way)
            while not self._over.is_set():
                if time.monotonic() >= next_time:
                    next_time += self._period_s
                    for way in (UP, DOWN):
                        self._send(way)
                wait_s = max(0.0, next_time - time.monotonic())
                for key, _ in selector.select(wait_s):
                    self._receive(key.data, arriving[key.data])

    def _send(self, way: str) -> None:
        datagram = self._codecs[way].encode(len(self._sent[way]))
        self._sent[way].append(time.monotonic())
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            self._sockets[way].send(datagram)

    def _receive(self, way: str, port: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            while True:
                datagram = port.recv(_LARGEST)
                number = self._codecs[way].number(datagram)
                if number is not None and number < len(self._sent[way]):
                    with self._lock:
                        self._ages[way].append(time.monotonic() - self._sent[way][number])


class _Codec:
    message_id: int
    first_field: str  # of the payload, which holds the number

    def __init__(self, system: int, component: int) -> None:
        self._mavlink = mavlink.MAVLink(None, srcSystem=system, srcComponent=component)

    def _pack(self, message: mavlink.MAVLink_message) -> bytes:
        packed = message.pack(self._mavlink)
        self._mavlink.seq = (self._mavlink.seq + 1) % 256
        return bytes(packed)

    def number(self, datagram: bytes) -> int | None:
        """Return the number of a datagram; None if it is none of these."""
        if len(datagram) < _PAYLOAD + 4 or datagram[7:10] != self.message_id.to_bytes(3, "little"):
            return None
        return int(struct.unpack_from(self.first_field, datagram, _PAYLOAD)[0])


class _Telemetry(_Codec):
    message_id, first_field = mavlink.MAVLINK_MSG_ID_ATTITUDE, "<I"

    def __init__(self) -> None:
        super().__init__(1, mavlink.MAV_COMP_ID_AUTOPILOT1)

    def encode(self, number: int) -> bytes:
        """Return ATTITUDE with the number as its time."""
        return self._pack(self._mavlink.attitude_encode(number, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6))


class _Commands(_Codec):
    message_id, first_field = mavlink.MAVLINK_MSG_ID_COMMAND_LONG, "<f"

    def __init__(self) -> None:
        super().__init__(255, mavlink.MAV_COMP_ID_MISSIONPLANNER)

    def encode(self, number: int) -> bytes:
        """Return COMMAND_LONG with the number as its first parameter."""
        command = mavlink.MAV_CMD_USER_1
        return self._pack(
            self._mavlink.command_long_encode(1, 1, command, 0, number, 0, 0, 0, 0, 0, 0)
        )
