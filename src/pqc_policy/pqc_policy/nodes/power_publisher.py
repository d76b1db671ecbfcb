# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes the computer's power, and writes it into files on request."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future

from pqc_msgs.msg import PowerReading
from pqc_msgs.srv import CapturePower
from pqc_policy.nodes.availability import Availability
from pqc_policy.sensing.computer.energy import Energy
from pqc_policy.sensing.computer.patient_reads import PatientReads
from pqc_policy.sensing.computer.power_capture import Capture, CaptureFault, Plan, plan, record
from pqc_policy.sensing.computer.power_meter import PowerMeter, find_power
from pqc_policy.sensing.sensing_settings import SensingSettings

_SILENT_S = 1.0  # time without a reading after which a sensor counts as lost
_CLOSE_S = 1.0  # for the end of a capture


class PowerPublisher:
    """Samples at each tick; during a capture a thread of its own samples faster."""

    def __init__(self, node: Node, settings: SensingSettings, reads: PatientReads) -> None:
        self._node = node
        self._reads = reads
        self._places = settings.power
        self._retry_s: float = settings.retry_s
        self.capture_dir = settings.capture_dir
        self._meter = PowerMeter(lambda: find_power(self._places))
        self._availability = Availability(node.get_logger(), "Power")
        self._published = Energy()
        self._power_w: float | None = None
        self._look_s = self._answered_s = 0.0
        self._publisher = node.create_publisher(PowerReading, "power", qos_profile_sensor_data)
        self._thread: threading.Thread | None = None
        self._capture_reached: str = ""
        self._stop = threading.Event()
        # A group of its own, so that other callbacks run during a capture, and another request is
        # rejected meanwhile.
        self._service = node.create_service(
            CapturePower,
            "capture_power",
            self._capture,
            callback_group=ReentrantCallbackGroup(),
        )

    def tick(self) -> None:
        """Read the sensor and publish the mean power since the previous message."""
        # Without a sensor there is nothing to read until the next search.
        looks = self._meter.source is not None or time.monotonic() >= self._look_s
        if looks and self._places.source != "none":
            self._reads.begin("power", self._tick)

    def _tick(self) -> None:
        now_s = time.monotonic()
        if not self._there(now_s):
            return
        before = self._meter.energy
        if self._thread is None:
            self._meter.sample(now_s)
        if self._meter.energy is not before or self._thread is not None:
            self._answered_s = now_s
        elif now_s - self._answered_s > _SILENT_S:
            self._lose(now_s)
            return
        self._publish()

    def close(self) -> None:
        """End a capture that is under way and close the sensor."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_S)
        # A read that hangs holds the meter's lock.
        if not self._reads.hangs("power") and (thread is None or not thread.is_alive()):
            self._meter.lose()

    def diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        source = self._meter.source
        if self._places.source == "none":
            status.summary(DiagnosticStatus.OK, "Disabled by power_source")
        elif self._reads.hangs("power"):
            status.summary(DiagnosticStatus.WARN, "The power sensor does not answer")
            status.add("sensor", self._meter.place)
        elif source is None:
            status.summary(DiagnosticStatus.WARN, "No power sensor")
        elif self._power_w is None:
            status.summary(DiagnosticStatus.OK, f"{source}: no reading yet")
        else:
            status.summary(DiagnosticStatus.OK, f"{self._power_w:.2f} W")
            status.add("sensor", self._meter.place)
            status.add("source", source)
            status.add("energy (J)", f"{self._meter.energy.joules:.1f}")
        status.add("capture", "under way" if self._thread is not None else self._capture_reached)
        return status

    def _there(self, now_s: float) -> bool:
        if self._meter.source is not None:
            return True
        self._look_s = now_s + self._retry_s
        if not self._meter.look():
            self._availability.lost("there is no sensor")
            return False
        self._answered_s = now_s
        self._availability.found(f"read from {self._meter.place} ({self._meter.source})")
        return True

    def _lose(self, now_s: float) -> None:
        self._meter.lose()
        self._power_w = None
        self._look_s = now_s + self._retry_s
        self._availability.lost("the sensor has stopped answering")

    def _publish(self) -> None:
        energy, published = self._meter.energy, self._published
        seconds = energy.seconds - published.seconds
        if seconds <= 0.0:
            return
        self._published = energy
        self._power_w = (energy.joules - published.joules) / seconds
        self._publisher.publish(
            PowerReading(
                stamp=self._node.get_clock().now().to_msg(),
                source=self._meter.source or "",
                power_w=self._power_w,
                energy_j=energy.joules,
            )
        )

    async def _capture(
        self, request: CapturePower.Request, response: CapturePower.Response
    ) -> CapturePower.Response:
        try:
            wanted = self._planned(request)
        except CaptureFault as fault:
            response.message = str(fault)
            return response
        self._node.get_logger().info(f"Capturing power for {wanted.seconds:g} s: {wanted.file}.")
        done: Future = Future(executor=self._node.executor)
        self._thread = threading.Thread(
            target=self._record, args=(wanted, done), name="capture", daemon=True
        )
        self._thread.start()
        capture: Capture = await done
        self._thread.join()
        self._thread = None
        self._capture_reached = capture.message
        self._node.get_logger().info(f"Captured power: {capture.message}")
        return _filled(response, wanted, capture)

    def _planned(self, request: CapturePower.Request) -> Plan:
        if self._thread is not None:
            raise CaptureFault("A capture is under way already.")
        folder = Path(self.capture_dir).expanduser()
        wanted = plan(request.name, request.seconds, request.rate_hz, folder)
        if self._meter.source is None:
            raise CaptureFault("There is no power sensor.")
        return wanted

    def _record(self, wanted: Plan, done: Future) -> None:
        try:
            capture = record(wanted, self._meter.sample, self._stop.is_set)
        except Exception as error:
            capture = Capture(False, f"The capture failed: {error}.")
        done.set_result(capture)


def _filled(
    response: CapturePower.Response, wanted: Plan, capture: Capture
) -> CapturePower.Response:
    response.success = capture.success
    response.message = capture.message
    response.file = str(wanted.file) if capture.samples else ""
    response.samples = capture.samples
    response.seconds = capture.seconds
    response.energy_j = capture.energy.joules
    response.mean_w = capture.energy.mean_w or 0.0
    return response
