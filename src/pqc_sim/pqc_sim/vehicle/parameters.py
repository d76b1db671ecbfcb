# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the vehicle, and the protocol that reads and sets them."""

from __future__ import annotations

import math
import struct
from collections import deque

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.outlet import Outlet
from pqc_sim.vehicle.parameter_table import TABLE, Entry, Kind
from pqc_sim.vehicle.reply import Reply, notice

_NAME_BYTES = 16
_UNKNOWN_INDEX = 65535


class Parameters:
    """The values of all parameters; each is within its range."""

    def __init__(self, table: tuple[Entry, ...] = TABLE) -> None:
        """Start from the defaults, as a freshly flashed vehicle does."""
        self._entries = {entry.name: entry for entry in table}
        self.names = [entry.name for entry in table]
        self._values = {entry.name: _as_stored(entry, entry.default) for entry in table}

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: str) -> bool:
        """Return whether there's a parameter of that name."""
        return name in self._entries

    def __getitem__(self, name: str) -> float:
        """Return a value, as a ground station would see it."""
        return self._values[name]

    def set(self, name: str, value: float) -> str | None:
        """Set a value; return the reason if it is rejected, or None."""
        entry = self._entries[name]
        if not math.isfinite(value):
            return f"{name}: not a number"
        if not entry.low <= value <= entry.high:
            return f"{name}: must be {entry.low:g} to {entry.high:g}"
        self._values[name] = _as_stored(entry, value)
        return None

    def message(self, name: str, *, listed: bool = True) -> mavlink.MAVLink_param_value_message:
        """Return the message with a value; without its index if it answers a change."""
        index = self.names.index(name) if listed else _UNKNOWN_INDEX
        return mavlink.MAVLink_param_value_message(
            name.encode("ascii"), self[name], self._entries[name].kind, len(self), index
        )


class ParameterProtocol:
    """PARAM_REQUEST_LIST, PARAM_REQUEST_READ and PARAM_SET; a list is sent one value at a time.

    With an outlet a list goes at its pace.
    """

    def __init__(self, parameters: Parameters, outlet: Outlet | None = None) -> None:
        self._parameters, self._outlet = parameters, outlet
        self._listing: deque[str] = deque()

    def handle(self, message: mavlink.MAVLink_message, now_ns: int = 0) -> Reply:
        if isinstance(message, mavlink.MAVLink_param_request_list_message):
            if self._outlet is not None:
                self._outlet.begin(map(self._parameters.message, self._parameters.names), now_ns)
                return []
            self._listing = deque(self._parameters.names)
            return []
        if isinstance(message, mavlink.MAVLink_param_request_read_message):
            return self._read(message)
        if isinstance(message, mavlink.MAVLink_param_set_message):
            return self._set(message)
        return []

    def next_listed(self) -> Reply:
        """Return the next value of a requested list, if any is left."""
        return [self._parameters.message(self._listing.popleft())] if self._listing else []

    def _read(self, message: mavlink.MAVLink_param_request_read_message) -> Reply:
        names, index = self._parameters.names, message.param_index
        name = _name_of(message.param_id) if index < 0 else (*names[index : index + 1], "")[0]
        return [self._parameters.message(name)] if name in self._parameters else []

    def _set(self, message: mavlink.MAVLink_param_set_message) -> Reply:
        name = _name_of(message.param_id)
        if name not in self._parameters:
            return [notice(mavlink.MAV_SEVERITY_WARNING, f"unknown parameter {name}")]
        refusal = self._parameters.set(name, message.param_value)
        # The answer is the value in effect: a ground station notices a rejection by it.
        replies: Reply = [self._parameters.message(name, listed=False)]
        if refusal is not None:
            replies.append(notice(mavlink.MAV_SEVERITY_WARNING, refusal))
        return replies


def _name_of(field: str | bytes) -> str:
    text = field.decode("ascii", "replace") if isinstance(field, bytes) else field
    return text[:_NAME_BYTES].rstrip("\0")


def _as_stored(entry: Entry, value: float) -> float:
    if entry.kind is not Kind.REAL:
        return float(round(value))
    (single,) = struct.unpack("<f", struct.pack("<f", value))
    return float(single)
