# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters, as MAVProxy fetches them (mavproxy_param.py, fetch_check)."""

from __future__ import annotations

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.radio.dialogue import MS, VEHICLE, Dialogue, Sent

_PERIOD_NS = 1000 * MS
_AT_ONCE = 10


class ParameterFetch(Dialogue):
    """Lists them; after a second without one it asks for ten that are missing, and so on."""

    def __init__(self) -> None:
        super().__init__()
        self.received: set[int] = set()
        self._count = 0
        self._awaited: set[int] = set()
        self._heard_ns = self._looked_ns = 0

    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Sent:
        if message.get_type() != "PARAM_VALUE" or message.param_index >= message.param_count:
            return []
        self._count, self._heard_ns = message.param_count, now_ns
        if message.param_index not in self.received:
            self._move(now_ns)
        self.received.add(message.param_index)
        if len(self.received) == self._count:
            self._done(now_ns)
            return []
        if message.param_index in self._awaited:
            self._awaited.discard(message.param_index)
            if not self._awaited:
                return self._ask()
        return []

    def due(self, now_ns: int) -> Sent:
        """Ask again once a second."""
        if now_ns - self._looked_ns < _PERIOD_NS:
            return []
        self._looked_ns = now_ns
        if not self.received:
            return self._first(now_ns)
        return self._ask() if now_ns - self._heard_ns >= _PERIOD_NS else []

    def _first(self, now_ns: int) -> Sent:
        self._looked_ns = now_ns
        return [[mavlink.MAVLink_param_request_list_message(*VEHICLE)]]

    def _ask(self) -> Sent:
        missing = sorted(set(range(self._count)) - self.received)[:_AT_ONCE]
        self.asked_again += len(missing)
        self._awaited.update(missing)
        return [[mavlink.MAVLink_param_request_read_message(*VEHICLE, b"", i)] for i in missing]
