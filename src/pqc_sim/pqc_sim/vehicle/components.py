# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Other components of the vehicle: each has its own sequence numbers and time stamps."""

from __future__ import annotations

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.schedule import Pacer

_COMPONENTS = {
    mavlink.MAV_COMP_ID_GIMBAL: mavlink.MAV_TYPE_GIMBAL,
    mavlink.MAV_COMP_ID_ONBOARD_COMPUTER: mavlink.MAV_TYPE_ONBOARD_CONTROLLER,
}
_RATE_HZ = 5  # messages of each: a heartbeat, and four values


class Components:
    """A gimbal and a computer, which send a heartbeat and values."""

    def __init__(self, system: int, now_ns: int) -> None:
        self.codecs = [mavlink.MAVLink(None, system, component) for component in _COMPONENTS]
        self._pacer = Pacer(_RATE_HZ, now_ns)
        self._count = 0
        self._began_ns = now_ns

    def next_ns(self) -> int:
        """Return when something is due, in ns."""
        return self._pacer.next_ns()

    def due(self, now_ns: int) -> list[tuple[mavlink.MAVLink, mavlink.MAVLink_message]]:
        """Return the messages that are due, each with its sender."""
        messages = []
        for _ in range(self._pacer.take(now_ns)):
            for codec in self.codecs:
                messages.append((codec, self._message(codec.srcComponent, now_ns)))
            self._count += 1
        return messages

    def _message(self, component: int, now_ns: int) -> mavlink.MAVLink_message:
        if self._count % _RATE_HZ == 0:
            return mavlink.MAVLink_heartbeat_message(
                _COMPONENTS[component], mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0, 3
            )
        boot_ms = (now_ns - self._began_ns) // 1_000_000
        return mavlink.MAVLink_named_value_float_message(boot_ms, b"load", self._count % 100)
