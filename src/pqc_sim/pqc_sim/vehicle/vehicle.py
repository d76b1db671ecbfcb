# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The whole vehicle without I/O: datagrams in, datagrams out, time as an argument."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.datagrams.counting import FlowCount
from pqc_sim.datagrams.mavlink_frames import split_frames
from pqc_sim.physics.battery_pack import Pack, PackType
from pqc_sim.vehicle.body import Body, Place
from pqc_sim.vehicle.commands import Commands
from pqc_sim.vehicle.components import Components
from pqc_sim.vehicle.flight import AIR_C, Flight
from pqc_sim.vehicle.mission import Mission, MissionProtocol
from pqc_sim.vehicle.parameter_table import TABLE, filled_table
from pqc_sim.vehicle.parameters import ParameterProtocol, Parameters
from pqc_sim.vehicle.readings import Readings
from pqc_sim.vehicle.reply import Reply, notice
from pqc_sim.vehicle.telemetry import Telemetry
from pqc_sim.vehicle.transfers import Channel, Transfers

_STEP_NS = 20_000_000
_STEP_S = _STEP_NS / 1e9
_MAX_STEPS = 250
# The field where ArduPilot's developers fly, and its simulator by default.
_HOME = Place(-35.363262, 149.165237, 584.0)
_SYSTEM, _COMPONENT = 1, mavlink.MAV_COMP_ID_AUTOPILOT1
_RADIO = (ord("3"), ord("D"))  # system and component of a SiK radio


@dataclass(frozen=True)
class VehicleOptions:
    """The message rate of the vehicle in Hz, its battery, its seed.

    The charge is from 0 to 1; without a capacity in mAh it is the parameter's default. With a
    channel the vehicle sends at this port all that an ArduCopter does: bulk at its pace, other
    components, signatures.
    """

    rate_hz: int = 320
    charge: float = 1.0
    capacity_mah: float | None = None
    seed: int = 1
    channel: Channel | None = None


class Vehicle:
    """A simulated quadcopter with its own MAVLink sequence numbers, counting both directions."""

    def __init__(self, options: VehicleOptions, now_ns: int, wall_ns: int) -> None:
        """Power up at a time (monotonic, ns); `wall_ns` is the wall clock at that time."""
        self.sent = FlowCount()
        self.received = FlowCount()
        channel = options.channel
        self.transfers = None if channel is None else Transfers(channel, options.seed)
        self._components = None if channel is None else Components(_SYSTEM, now_ns)
        table = TABLE if channel is None else filled_table(channel.parameters)
        self._parameters = Parameters(table)
        if options.capacity_mah is not None:
            self._parameters.set("BATT_CAPACITY", options.capacity_mah)
        mission = Mission()
        kind = PackType(capacity_ah=self._parameters["BATT_CAPACITY"] / 1000.0)
        battery = Pack(kind, options.charge, AIR_C)
        self._flight = Flight(Body(_HOME), battery, self._parameters, mission)
        self._missions = MissionProtocol(mission)
        self._readings = Readings(
            self._flight, self._missions, now_ns, wall_ns, Random(options.seed)
        )
        self._telemetry = Telemetry(self._readings, options.rate_hz, now_ns)
        listing = None if self.transfers is None else self.transfers.listing
        self._parameter_protocol = ParameterProtocol(self._parameters, listing)
        self._commands = Commands(self._flight, self._missions, self._telemetry)
        self._codec = mavlink.MAVLink(None, _SYSTEM, _COMPONENT)
        self._stepped_ns = now_ns
        self._greeting: Reply = [
            notice(mavlink.MAV_SEVERITY_INFO, "PQC-MAV simulated copter"),
            notice(mavlink.MAV_SEVERITY_INFO, "Frame: QUAD/X"),
        ]

    def next_ns(self) -> int:
        """Return when `advance` is to be called next, in ns."""
        parts = (self._telemetry, self.transfers, self._components)
        return min(part.next_ns() for part in parts if part is not None)

    def set_rate(self, rate_hz: int, now_ns: int) -> None:
        """Send so many messages of telemetry per second from now on."""
        self._telemetry.set_total(rate_hz, now_ns)

    @property
    def signing(self) -> mavlink.MAVLinkSigning:
        """The signing key and the counts of what has arrived signed."""
        return self._codec.signing

    def advance(self, now_ns: int) -> list[bytes]:
        """Move to a time, monotonic in ns; return the datagrams to send."""
        self._fly_until(now_ns)
        self._readings.set_time(now_ns)
        due: Reply = []
        for name in self._telemetry.due(now_ns, *self._restraint()):
            due.append(self._telemetry.build(name))
            due += self._parameter_protocol.next_listed()
        if due:
            due += self._missions.advance(now_ns)
            due += self._take_events()
        if self.transfers is not None:
            due += self.transfers.due(now_ns)
        datagrams = self._encode(due)
        if self._components is not None:
            for codec, message in self._components.due(now_ns):
                datagrams.append(self._packed(message, codec))
        return datagrams

    def handle(self, datagram: bytes, now_ns: int) -> list[bytes]:
        """Handle a datagram; return the datagrams to send in answer."""
        self.listen(datagram)
        replies: Reply = []
        for frame in split_frames(datagram).frames:
            try:
                message = self._codec.decode(bytearray(frame.data))
            except mavlink.MAVError:
                # A frame of another dialect
                continue
            replies += self._react(message, now_ns)
        return self._encode(replies)

    def listen(self, datagram: bytes) -> None:
        """Count a datagram that the ground sent, which the report of a radio is not."""
        senders = {(frame.system, frame.component) for frame in split_frames(datagram).frames}
        if senders != {_RADIO}:
            self.received.note(datagram)

    def as_dict(self) -> dict[str, Any]:
        flight = self._flight
        place = flight.body.place
        return {
            "armed": flight.armed,
            "armed_once": flight.armed_once,
            "highest_m": round(flight.highest_m, 2),
            "mode": flight.mode.name,
            "latitude_deg": round(place.latitude, 7),
            "longitude_deg": round(place.longitude, 7),
            "height_m": round(flight.body.height, 2),
            "speed_m_s": round(flight.body.velocity.horizontal, 2),
            "battery_v": round(flight.battery.voltage_v, 3),
            "battery_charge": round(flight.battery.charge, 4),
            "mission_items": len(flight.mission.items),
            "mission_current": flight.mission.current,
            "parameters": len(self._parameters),
            "slips": self._telemetry.slips,
        }

    def _react(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        if getattr(message, "target_system", 0) not in (0, self._codec.srcSystem):
            return []
        kind = message.get_type()
        if kind == "HEARTBEAT":
            return self._greet(message) + self._transfer(message, now_ns)
        if kind.startswith("PARAM_"):
            return self._parameter_protocol.handle(message, now_ns)
        if kind.startswith("MISSION_"):
            return self._missions.handle(message, now_ns)
        if kind in ("COMMAND_LONG", "COMMAND_INT", "SET_MODE"):
            self._readings.set_time(now_ns)
            return self._commands.handle(message) + self._take_events()
        if kind == "TIMESYNC" and message.tc1 == 0:
            return [mavlink.MAVLink_timesync_message(now_ns, message.ts1)]
        if kind == "PING" and message.target_system == 0:
            sender = (message.get_srcSystem(), message.get_srcComponent())
            return [mavlink.MAVLink_ping_message(message.time_usec, message.seq, *sender)]
        if kind == "SETUP_SIGNING" and self._components is not None:
            self._sign(message)
            return []
        return self._transfer(message, now_ns)

    def _transfer(self, message: mavlink.MAVLink_message, now_ns: int) -> Reply:
        return [] if self.transfers is None else self.transfers.handle(message, now_ns)

    def _restraint(self) -> tuple[int, int]:
        """Return by how many ms, and how many times, telemetry is slower."""
        if self.transfers is None:
            return 0, 1
        return self.transfers.flow.slowdown_ms, self.transfers.penalty

    def _sign(self, message: mavlink.MAVLink_setup_signing_message) -> None:
        """Sign from now on, and accept nothing else but the radio's reports."""
        assert self._components is not None
        key = bytes(message.secret_key)
        for codec in (self._codec, *self._components.codecs):
            if codec.signing.secret_key != key:
                codec.signing.secret_key = key
                codec.signing.timestamp = message.initial_timestamp
                codec.signing.sign_outgoing = True
                codec.signing.allow_unsigned_callback = _is_report

    def _greet(self, message: mavlink.MAVLink_message) -> Reply:
        if message.type != mavlink.MAV_TYPE_GCS:
            return []
        self._flight.note_station()
        greeting, self._greeting = self._greeting, []
        return greeting

    def _fly_until(self, now_ns: int) -> None:
        # After a long stall the simulation skips time.
        behind = (now_ns - self._stepped_ns) // _STEP_NS
        self._stepped_ns += max(0, behind - _MAX_STEPS) * _STEP_NS
        for _ in range(min(behind, _MAX_STEPS)):
            self._flight.step(_STEP_S)
            self._stepped_ns += _STEP_NS

    def _take_events(self) -> Reply:
        events, self._flight.events = self._flight.events, []
        return events

    def _encode(self, messages: Reply) -> list[bytes]:
        return [self._packed(message, self._codec) for message in messages]

    def _packed(self, message: mavlink.MAVLink_message, codec: mavlink.MAVLink) -> bytes:
        datagram = bytes(message.pack(codec))
        codec.seq = (codec.seq + 1) % 256
        self.sent.note(datagram)
        return datagram


def _is_report(_: mavlink.MAVLink, message_id: int) -> bool:
    return message_id in (mavlink.MAVLINK_MSG_ID_RADIO, mavlink.MAVLINK_MSG_ID_RADIO_STATUS)
