# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The load `mavlink`: the simulated vehicle at one end, an idle ground program at the other.

Both ends are one process, so that each datagram's way through the tunnel is timed by one clock and
compared byte for byte. The ground sends its heartbeat once a second and TIMESYNC ten times a
second, as MAVROS does; the vehicle's answers give the round trip.
"""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from typing import Any

from pqc_sim.datagrams.counting import FlowCount, compare
from pqc_sim.datagrams.mavlink_frames import split_frames
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_bench.cell.control import Control
from pqc_bench.cell.distribution import distribution
from pqc_bench.cell.flow_match import FlowMatch
from pqc_bench.cell.seen_vehicle import SeenVehicle
from pqc_bench.cell.stamped_port import StampedPort
from pqc_bench.harness.blaster import Applications

_NS = 1_000_000_000
_GROUND_SYSTEM = 255
_SYNC_NS = _NS // 10
_SYNCS_PER_HEARTBEAT = 10
# Longest wait for datagrams under way after the end of sending.
DRAIN_S = 5.0
STRAGGLERS_S = 1.5
_WAIT_S = 0.05


class GroundPulse:
    """The messages of an idle ground program; times in ns."""

    def __init__(
        self, now_ns: int, system: int = _GROUND_SYSTEM, *, heartbeats: bool = True
    ) -> None:
        self._heartbeats = heartbeats
        self.sent = FlowCount()
        self.round_trips_ms: list[float] = []
        self._codec = mavlink.MAVLink(None, system, mavlink.MAV_COMP_ID_MISSIONPLANNER)
        self._asked: dict[int, int] = {}
        self._count = 0
        self.next_ns = now_ns

    def due(self, now_ns: int) -> list[bytes]:
        datagrams = []
        while self.next_ns <= now_ns:
            if self._heartbeats and self._count % _SYNCS_PER_HEARTBEAT == 0:
                datagrams.append(
                    self._encode(
                        mavlink.MAVLink_heartbeat_message(
                            mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0, 3
                        )
                    )
                )
            asked = time.time_ns()
            self._asked[asked] = asked
            datagrams.append(self._encode(mavlink.MAVLink_timesync_message(0, asked)))
            self._count += 1
            self.next_ns += _SYNC_NS
        return datagrams

    def handle(self, datagram: bytes, arrived_ns: int) -> None:
        for frame in split_frames(datagram).frames:
            if frame.message_id == mavlink.MAVLINK_MSG_ID_TIMESYNC:
                answer = self._codec.decode(bytearray(frame.data))
                asked = self._asked.pop(answer.ts1, None)
                if answer.tc1 != 0 and asked is not None:
                    self.round_trips_ms.append((arrived_ns - asked) / 1e6)

    def _encode(self, message: mavlink.MAVLink_message) -> bytes:
        datagram = bytes(message.pack(self._codec))
        self._codec.seq = (self._codec.seq + 1) % 256
        self.sent.note(datagram)
        return datagram


class MavlinkLoad:
    """Sends and receives at both ends until it is stopped."""

    def __init__(self, where: Applications, rate_hz: int) -> None:
        """Open both ends' sockets; nothing is sent yet. OSError if an address can't be used."""
        self._where = where
        self._rate_hz = rate_hz
        self._drone = StampedPort(where.drone_bind)
        self._ground = StampedPort(where.ground_bind)
        self._down = FlowMatch()
        self._up = FlowMatch()
        self._received = FlowCount()
        self._seen = {"drone": SeenVehicle(), "gcs": SeenVehicle()}

    def open_window(self, name: str) -> None:
        """Count datagrams sent from now on under this name."""
        self._down.open_window(name)
        self._up.open_window(name)

    def run(self, control: Control) -> dict[str, Any]:
        """Send until `control` stops the load, wait for datagrams under way; return the report."""
        began_ns = time.monotonic_ns()
        vehicle = Vehicle(VehicleOptions(rate_hz=self._rate_hz), began_ns, time.time_ns())
        pulse = GroundPulse(began_ns)
        while not control.stopped(self):
            now_ns = time.monotonic_ns()
            self._send_down(vehicle.advance(now_ns))
            for datagram in pulse.due(now_ns):
                self._send(self._ground, self._up, datagram, up=True)
            wake_ns = min(vehicle.next_ns(), pulse.next_ns)
            self._receive(vehicle, pulse, control.sources(), (wake_ns - time.monotonic_ns()) / _NS)
        seconds = (time.monotonic_ns() - began_ns) / _NS
        self._drain(vehicle, pulse)
        return self._report(vehicle, pulse, seconds)

    def _receive(
        self, vehicle: Vehicle, pulse: GroundPulse, others: list[object], wait_s: float
    ) -> None:
        sources = [self._drone, self._ground, *others]
        ready, _, _ = select.select(sources, [], [], min(max(wait_s, 0.0), _WAIT_S))
        if self._ground in ready:
            for datagram, arrived_ns in self._ground.receive_stamped():
                self._down.note_arrived(datagram, arrived_ns)
                self._received.note(datagram)
                self._seen["gcs"].note(datagram)
                pulse.handle(datagram, arrived_ns)
        if self._drone in ready:
            for datagram, arrived_ns in self._drone.receive_stamped():
                self._up.note_arrived(datagram, arrived_ns)
                self._seen["drone"].note(datagram)
                self._send_down(vehicle.handle(datagram, time.monotonic_ns()))

    def _drain(self, vehicle: Vehicle, pulse: GroundPulse) -> None:
        began = time.monotonic()
        while self._down.under_way + self._up.under_way > 0:
            # Read the clock first: this process may be preempted while it receives.
            passed_s = time.monotonic() - began
            self._receive(vehicle, pulse, [], _WAIT_S)
            overtaken = self._down.overtaken and self._up.overtaken
            if passed_s >= (STRAGGLERS_S if overtaken else DRAIN_S):
                break

    def _send_down(self, datagrams: list[bytes]) -> None:
        for datagram in datagrams:
            self._send(self._drone, self._down, datagram, up=False)

    def _send(self, port: StampedPort, flow: FlowMatch, datagram: bytes, *, up: bool) -> None:
        flow.note_sent(datagram, time.time_ns())
        if not port.send(datagram, self._where.ground if up else self._where.drone):
            flow.forget_sent(datagram)

    def _report(self, vehicle: Vehicle, pulse: GroundPulse, seconds: float) -> dict[str, Any]:
        counts = {"drone": (vehicle.sent, vehicle.received), "gcs": (pulse.sent, self._received)}
        ways = {
            "drone_to_gcs": (self._down, self._ground),
            "gcs_to_drone": (self._up, self._drone),
        }
        down, up = self._down.windows(), self._up.windows()
        state = vehicle.as_dict()
        return {
            "load": "mavlink",
            "seconds": seconds,
            "real_time": None,
            "flows": {
                way: {
                    **flow.as_dict(),
                    "receiver_drops": port.kernel_drops,
                    "slips": state["slips"] if way == "drone_to_gcs" else 0,
                }
                for way, (flow, port) in ways.items()
            },
            "latency": {way: flow.latency() for way, (flow, _) in ways.items()},
            "round_trip": distribution(pulse.round_trips_ms),
            "windows": {
                name: {"drone_to_gcs": down[name], "gcs_to_drone": up[name]} for name in down
            },
            "mavlink": mavlink_of_ends(counts, self._seen, {"drone": {"vehicle": state}}),
        }


def mavlink_of_ends(
    counts: Mapping[str, tuple[FlowCount, FlowCount]],
    seen: Mapping[str, SeenVehicle],
    results: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the part of a report about MAVLink.

    Of each end it takes what it sent and received, what came out of its tunnel, and its result:
    the drone's has the simulated `vehicle` or the `source`, each may have a `program`.
    """
    went, came = ({end: both[at].as_dict() for end, both in counts.items()} for at in (0, 1))
    return {
        **{
            name: results["drone"][name]
            for name in ("vehicle", "source")
            if name in results["drone"]
        },
        "seen": seen["gcs"].as_dict(),
        "ends": {
            end: {
                "sent": went[end],
                "received": came[end],
                "types": dict(sorted(seen[end].types.items())),
                "program": results.get(end, {}).get("program"),
            }
            for end in counts
        },
        "compared": {
            "drone_to_gcs": compare(went["drone"], came["gcs"]).as_dict(),
            "gcs_to_drone": compare(went["gcs"], came["drone"]).as_dict(),
        },
    }
