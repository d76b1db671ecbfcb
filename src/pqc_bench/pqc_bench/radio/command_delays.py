# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The delays of a ground program's commands on their way to the vehicle."""

from __future__ import annotations

import struct
from collections.abc import Container

from pqc_sim.datagrams.mavlink_frames import split_frames
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.radio.ground_program import GroundProgram

_PARAM7 = 10 + 24  # the header of a frame, and six parameters


class CommandDelays:
    """Notes when each command of a program arrives; times in ns."""

    def __init__(self, program: GroundProgram) -> None:
        self._program = program
        self._arrived: dict[int, float] = {}  # by number, the delay in ms

    def note(self, datagram: bytes, now_ns: int) -> None:
        """Take a datagram that has arrived at the vehicle."""
        for frame in split_frames(datagram).frames:
            if frame.message_id == mavlink.MAVLINK_MSG_ID_COMMAND_LONG:
                number = int(struct.unpack_from("<f", frame.data, _PARAM7)[0])
                delay_ms = (now_ns - self._program.commands_ns[number]) / 1e6
                self._arrived.setdefault(number, delay_ms)

    def summary(self, numbers: Container[int]) -> tuple[float | None, int]:
        """Return the 99th percentile in ms of commands by number, and how many have arrived."""
        delays = sorted(delay for number, delay in self._arrived.items() if number in numbers)
        return (round(delays[int(0.99 * (len(delays) - 1))], 1) if delays else None), len(delays)
