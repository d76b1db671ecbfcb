# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes battery and state of the vehicle, from MAVROS or else from the tunnel's mirror."""

from __future__ import annotations

import socket
import time

from builtin_interfaces.msg import Time as TimeMessage
from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper
from mavros_msgs.msg import ExtendedState, State, VfrHud
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rclpy.time import Time
from sensor_msgs.msg import BatteryState

from pqc_msgs.msg import BatteryPrediction, VehicleState
from pqc_policy.nodes.availability import Availability
from pqc_policy.nodes.local_socket import listen
from pqc_policy.nodes.process.polled import PolledSubscription
from pqc_policy.nodes.process.steady_node import SteadyNode
from pqc_policy.policy.inputs import or_nan
from pqc_policy.policy.wording import capital
from pqc_policy.sensing.battery.mavros import battery_of
from pqc_policy.sensing.battery.monitor import Report
from pqc_policy.sensing.battery.reading import BatteryReading
from pqc_policy.sensing.mirror import LandedReading, Mirror, Reading, VehicleReading
from pqc_policy.sensing.mission_phase import Motion, Phase, PhaseConfig
from pqc_policy.sensing.phase_tracker import PhaseTracker
from pqc_policy.sensing.sensing_settings import SensingSettings
from pqc_policy.sensing.source_fallback import SourceFallback

# MAVROS publishes the motion as often as the autopilot sends it.
_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
_DATAGRAM_BYTES = 65535
_MOST_AT_ONCE = 5000
_STREAM_RATES = (
    ", although the autopilot is heard. Its stream rates may be 0 (ArduPilot: SRn_EXT_STAT, since "
    "4.7 MAVn_EXT_STAT), or SYS_STATUS and BATTERY_STATUS have to be requested by "
    "SET_MESSAGE_INTERVAL"
)
_STAMP_S = 1.0  # a stamp further from now is from another clock


class VehiclePublisher:
    """Publishes `battery` and `vehicle` whenever a source has something new."""

    def __init__(self, node: SteadyNode, settings: SensingSettings) -> None:
        self._node = node
        self.sources = SourceFallback(settings.mavros_silence_s)
        self._monitor = settings.make_battery_monitor()
        self._availability = {
            name: Availability(node.get_logger(), name.capitalize())
            for name in ("battery", "vehicle")
        }
        self._received_s: dict[str, float] = {}
        self._unusable: tuple[float, str] | None = None  # when a battery was, and why
        self._connected: bool | None = None  # MAVROS to the autopilot; None: not known
        self._started_s = time.monotonic()
        self._report: tuple[str, Report] | None = None
        self._state: tuple[str, bool, str] | None = None
        self._phases = PhaseTracker(PhaseConfig())
        self._published_phase = Phase.UNKNOWN
        qos = qos_profile_sensor_data
        self._battery = node.create_publisher(BatteryPrediction, "battery", qos)
        self._vehicle = node.create_publisher(VehicleState, "vehicle", qos)
        mavros = settings.mavros_namespace.rstrip("/")
        self._battery_in, self._state_in, *_ = self._mavros = [
            PolledSubscription(node, kind, f"{mavros}/{topic}", take, inputs)
            for kind, topic, take, inputs in (
                (BatteryState, "battery", self._mavros_battery, qos),
                (State, "state", self._mavros_state, qos),
                (ExtendedState, "extended_state", self._mavros_landed, qos),
                (VfrHud, "vfr_hud", self._mavros_motion, _NEWEST),
            )
        ]
        self._socket: socket.socket | None = None
        if settings.mirror_port:
            self._mirror = Mirror(settings.autopilot_system_id)
            self._socket = listen(settings.mirror_address, settings.mirror_port, "mirror_address")

    def apply(self, settings: SensingSettings) -> None:
        """Apply changed settings; a new pack or predictor starts without an estimate."""
        self.sources.silence_s = settings.mavros_silence_s
        monitor = settings.make_battery_monitor()
        if monitor.predictor.pack != self._monitor.predictor.pack:
            self._monitor = monitor

    def tick(self) -> None:
        """Detect sources that have become silent."""
        now_s = time.monotonic()
        for name, availability in self._availability.items():
            if now_s - self._received_s.get(name, self._started_s) > self._silence_s:
                availability.lost(self._why_silent(name, now_s))

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def diagnose_battery(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        if self._report is None or not self._availability["battery"].available:
            why = self._why_silent("battery", time.monotonic())
            status.summary(DiagnosticStatus.WARN, capital(why))
            return status
        source, report = self._report
        prediction = report.prediction
        status.add("source", source)
        status.add("voltage (V)", f"{report.reading.voltage_v:.2f}")
        if prediction is None:
            status.summary(DiagnosticStatus.WARN, "The current is unknown: no prediction")
            return status
        status.summary(DiagnosticStatus.OK, f"{prediction.charge:.0%}")
        if prediction.endurance_s is not None:
            status.add("minutes left", f"{prediction.endurance_s / 60.0:.1f}")
        estimate = self._monitor.estimate
        if estimate is not None:
            capacity_ah = self._monitor.predictor.pack.capacity_ah / estimate.wear
            status.add("learned capacity (Ah)", f"{capacity_ah:.2f}")
            status.add("learned cell resistance (ohm)", f"{estimate.resistance_ohm:.4f}")
        return status

    def diagnose_vehicle(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        if self._state is None or not self._availability["vehicle"].available:
            why = self._why_silent("vehicle", time.monotonic())
            status.summary(DiagnosticStatus.WARN, capital(why))
            return status
        source, armed, mode = self._state
        status.summary(DiagnosticStatus.OK, "Armed" if armed else "Disarmed")
        status.add("source", source)
        if source == "mirror" and self._mirror.autopilot is not None:
            status.add("autopilot (system:component)", "{}:{}".format(*self._mirror.autopilot))
        status.add("mode", mode)
        status.add("phase", _phase_text(self._published_phase))
        return status

    @property
    def _armed(self) -> bool | None:
        if self._state is None or not self._availability["vehicle"].available:
            return None  # not known
        return self._state[1]

    @property
    def _silence_s(self) -> float:
        return 1.5 * self.sources.silence_s

    def _why_silent(self, name: str, now_s: float) -> str:
        """Return why battery or vehicle state is unknown, as the end of a sentence."""
        mirror = " or from the mirror" if self._socket is not None else ""
        if name == "battery":
            if self._unusable is not None and now_s - self._unusable[0] <= self._silence_s:
                return self._unusable[1]
            why = f"no battery is reported on {self._battery_in.topic_name}{mirror}"
            return why + (_STREAM_RATES if self._availability["vehicle"].available else "")
        if self._connected is False:
            mirror = " and the mirror is silent" if mirror else ""
            why = f"MAVROS has no connection to the autopilot{mirror}"
        else:
            why = f"no state of the vehicle is reported on {self._state_in.topic_name}{mirror}"
        return f"{why}, so the armed state is unknown"

    def _mavros_battery(self, message: BatteryState) -> None:
        # MAVROS numbers the first of several batteries id0.
        if message.location not in ("", "id0"):
            return
        topic = self._battery_in.topic_name
        battery = battery_of(message)
        if battery is None:
            mirror = " or from the mirror" if self._socket is not None else ""
            why = f"no voltage of the battery is reported on {topic}{mirror}"
            self._unusable = (time.monotonic(), why)
        elif self._plausible(topic, battery):
            self.sources.first("battery", time.monotonic())
            self._publish_battery(topic, self._stamp(message.header.stamp), battery)

    def _mavros_state(self, message: State) -> None:
        # Without a connection `armed` is only a default.
        self._connected = message.connected
        if not message.connected:
            return
        self.sources.first("vehicle", time.monotonic())
        self._publish_state(
            self._state_in.topic_name,
            self._stamp(message.header.stamp),
            message.armed,
            message.mode,
        )

    def _mavros_landed(self, message: ExtendedState) -> None:
        now_s = time.monotonic()
        self.sources.first("landed", now_s)
        self._phases.note_landed(now_s, message.landed_state)
        self._phase_may_have_changed(now_s)

    def _mavros_motion(self, message: VfrHud) -> None:
        now_s = time.monotonic()
        self.sources.first("motion", now_s)
        motion = Motion(message.climb, message.groundspeed, message.throttle)
        self._phases.note_motion(now_s, motion)
        self._phase_may_have_changed(now_s)

    def _phase_may_have_changed(self, now_s: float) -> None:
        """Publish the state again if the phase is another one."""
        if self._state is None or not self._availability["vehicle"].available:
            return
        source, armed, mode = self._state
        phase, _ = self._phases.phase(now_s, armed, mode)
        if phase is not self._published_phase:
            self._publish_state(source, self._node.get_clock().now(), armed, mode)

    def drain(self) -> None:
        """Read the messages of MAVROS and the datagrams that the mirror has sent."""
        for one in self._mavros:
            one.poll()
        if self._socket is None:
            return
        now_s = time.monotonic()
        for _ in range(_MOST_AT_ONCE):
            try:
                datagram = self._socket.recv(_DATAGRAM_BYTES)
            except BlockingIOError:
                return
            except OSError:
                continue
            for reading in self._mirror.take(datagram, now_s):
                self._from_mirror(reading, now_s)

    def _from_mirror(self, reading: Reading, now_s: float) -> None:
        if isinstance(reading, VehicleReading):
            if self.sources.second_counts("vehicle", now_s):
                stamp = self._node.get_clock().now()
                self._publish_state("mirror", stamp, reading.armed, reading.mode)
        elif isinstance(reading, LandedReading):
            if self.sources.second_counts("landed", now_s):
                self._phases.note_landed(now_s, reading.landed)
                self._phase_may_have_changed(now_s)
        elif isinstance(reading, Motion):
            if self.sources.second_counts("motion", now_s):
                self._phases.note_motion(now_s, reading)
                self._phase_may_have_changed(now_s)
        elif self.sources.second_counts("battery", now_s) and self._plausible("mirror", reading):
            self._publish_battery("mirror", self._node.get_clock().now(), reading)

    def _plausible(self, source: str, reading: BatteryReading) -> bool:
        """Return whether the pack can have such a voltage; if not, it counts as not reported."""
        why = reading.implausible(self._monitor.predictor.pack.cells)
        if why:
            where = "from the mirror" if source == "mirror" else f"on {source}"
            self._unusable = (time.monotonic(), f"the battery {where} is unknown, since {why}")
        return not why

    def _publish_battery(self, source: str, stamp: Time, reading: BatteryReading) -> None:
        self._node.flight_ns()
        time_ns = self._node.of_stamp(stamp.nanoseconds)
        assert time_ns is not None, "stamps are near the present: see _stamp()"
        self._received("battery", source)
        reading = reading.of_vehicle(self._armed)
        self._monitor, report = self._monitor.taken(time_ns / 1e9, reading)
        if report is None:
            return
        self._report = (source, report)
        left = report.prediction
        self._battery.publish(
            BatteryPrediction(
                stamp=stamp.to_msg(),
                source=source,
                voltage_v=reading.voltage_v,
                cells=self._monitor.predictor.pack.cells,
                current_a=or_nan(reading.current_a),
                temperature_c=or_nan(reading.temperature_c),
                rate_mv_per_min=or_nan(report.rate_mv_per_min),
                charge=or_nan(left and left.charge),
                charge_sigma=or_nan(left and left.charge_sigma),
                endurance_s=or_nan(left and left.endurance_s),
                endurance_sigma_s=or_nan(left and left.endurance_sigma_s),
            )
        )

    def _publish_state(self, source: str, stamp: Time, armed: bool, mode: str) -> None:
        self._received("vehicle", source)
        self._state = (source, armed, mode)
        phase, motion = self._phases.phase(time.monotonic(), armed, mode)
        self._published_phase = phase
        self._vehicle.publish(
            VehicleState(
                stamp=stamp.to_msg(),
                source=source,
                armed=armed,
                mode=mode,
                phase=phase,
                phase_text=_phase_text(phase),
                climb_m_s=or_nan(motion.climb_m_s),
                speed_m_s=or_nan(motion.speed_m_s),
                throttle=or_nan(motion.throttle),
            )
        )

    def _received(self, name: str, source: str) -> None:
        self._received_s[name] = time.monotonic()
        self._availability[name].found(f"received from {source}")

    def _stamp(self, stamp: TimeMessage) -> Time:
        now = self._node.get_clock().now()
        given = Time.from_msg(stamp, clock_type=now.clock_type)
        far_ns = abs((now - given).nanoseconds)
        return now if far_ns > _STAMP_S * 1e9 else given


def _phase_text(phase: Phase) -> str:
    return phase.name.lower()
