# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A log, as MAVProxy downloads it (mavproxy_log.py, handle_log_data_missing)."""

from __future__ import annotations

from pqc_sim.vehicle.log_transfer import CHUNK
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.radio.dialogue import MS, VEHICLE, Dialogue, Sent

_SILENT_NS = 700 * MS
_AT_ONCE = 20
_LOG = 1
_ALL = 0xFFFFFFFF


class LogFetch(Dialogue):
    """Asks for the whole log, and after 0.7 s of silence for up to 20 gaps."""

    def __init__(self) -> None:
        super().__init__()
        self._chunks: dict[int, bytes] = {}
        self._end: int | None = None  # the number of chunks
        self._heard_ns = 0

    @property
    def content(self) -> bytes:
        return b"".join(self._chunks[number] for number in sorted(self._chunks))

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Sent:
        if message.get_type() != "LOG_DATA":
            return []
        self._heard_ns = now_ns
        number = message.ofs // CHUNK
        if message.count < CHUNK:
            self._end = number + (message.count > 0)
        if message.count > 0 and number not in self._chunks:
            self._move(now_ns)
            self._chunks[number] = bytes(message.data[: message.count])
        if self._end is not None and len(self._chunks) == self._end:
            self._done(now_ns)
            return [[mavlink.MAVLink_log_request_end_message(*VEHICLE)]]
        return []

    def due(self, now_ns: int) -> Sent:
        if now_ns - self._heard_ns <= _SILENT_NS:
            return []
        self._heard_ns = now_ns
        highest = max(self._chunks, default=-1)
        missing = sorted(set(range(highest)) - set(self._chunks))
        gaps = _runs(missing)[:_AT_ONCE] or [(highest + 1, None)]
        self.asked_again += len(gaps)
        return [[_request(first, count)] for first, count in gaps]

    def _first(self, now_ns: int) -> Sent:
        self._heard_ns = now_ns
        return [[_request(0, None)]]


def _runs(numbers: list[int]) -> list[tuple[int, int | None]]:
    """Return the first and the length of each run in rising numbers."""
    runs: list[tuple[int, int | None]] = []
    for number in numbers:
        if runs and runs[-1][0] + (runs[-1][1] or 0) == number:
            runs[-1] = (runs[-1][0], (runs[-1][1] or 0) + 1)
        else:
            runs.append((number, 1))
    return runs


def _request(first: int, count: int | None) -> mavlink.MAVLink_message:
    octets = _ALL if count is None else count * CHUNK
    return mavlink.MAVLink_log_request_data_message(*VEHICLE, _LOG, first * CHUNK, octets)
