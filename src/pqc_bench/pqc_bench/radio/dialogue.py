# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The dialogue of a ground program with the vehicle; no I/O, times in ns."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pymavlink.dialects.v20 import ardupilotmega as mavlink

MS = 1_000_000
VEHICLE = (1, mavlink.MAV_COMP_ID_AUTOPILOT1)
# The messages of each datagram
Sent = list[list[mavlink.MAVLink_message]]
# A program, or its user, gives up when nothing has moved for so long.
_PATIENCE_NS = 60_000 * MS


class Dialogue(ABC):
    """A transfer; `took_s` is None until it is done."""

    def __init__(self) -> None:
        """Prepare; nothing is asked yet."""
        self.took_s: float | None = None
        self.asked_again = 0
        self._began_ns = self._moved_ns = 0

    def begin(self, now_ns: int) -> Sent:
        self._began_ns = self._moved_ns = now_ns
        return self._first(now_ns)

    def over(self, now_ns: int) -> bool:
        return self.took_s is not None or now_ns - self._moved_ns > _PATIENCE_NS

    @abstractmethod
    def handle(self, message: mavlink.MAVLink_message, now_ns: int) -> Sent:
        """Take a message of the vehicle; return what it is answered with."""

    @abstractmethod
    def due(self, now_ns: int) -> Sent:
        """Return what is to be asked again."""

    @abstractmethod
    def _first(self, now_ns: int) -> Sent: ...

    def _move(self, now_ns: int) -> None:
        self._moved_ns = now_ns

    def _done(self, now_ns: int) -> None:
        self.took_s = (now_ns - self._began_ns) / 1e9
