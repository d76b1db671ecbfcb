# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node for which time goes on evenly while the clock is set."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_service import ParameterService
from rclpy.publisher import Publisher
from rclpy.service import Service
from rclpy.timer import Timer

from pqc_policy.nodes.process.polled import EVENTS, Gate, answer_requests
from pqc_policy.policy.flight_time import FlightTime
from pqc_policy.policy.telemetry import NANOSECONDS

BEATS_PER_S = 5
_AGAIN_S = 60.0
_SAME_TIME = (
    "use_sim_time can't change while the node runs, because all its times would jump: start the "
    "node with it."
)


class SteadyNode(Node):
    """Its timers, also those of a library, run by the monotonic clock, or by simulated time.

    A timer of the ROS clock stands still for as long as the system's clock is set back.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, start_parameter_services=False)
        self._services_of_parameters = self._polled_parameter_services()
        self.simulated = bool(self.get_parameter("use_sim_time").value)
        self._flight_time = FlightTime()
        # It is asked before the callback of rclpy that would follow the new clock.
        self.add_on_set_parameters_callback(self._objection)

    def due(self) -> bool:
        """Return whether there is something that must not wait for the next look."""
        return False

    def pulse(self) -> None:
        """Do what must not wait; called BEATS_PER_S times a second."""

    def poll(self) -> None:
        """Take what waits; called about twice a second."""
        for service in self._services_of_parameters:
            answer_requests(service)

    def create_timer(
        self, timer_period_sec: float, callback: Callable[[], None], *arguments: Any, **options: Any
    ) -> Timer:
        """Create a timer that run_timers() runs, in the pulse."""
        if options.get("clock") is None and not self.simulated:
            options["clock"] = Clock(clock_type=ClockType.STEADY_TIME)
        options["callback_group"] = Gate()
        return super().create_timer(timer_period_sec, callback, *arguments, **options)

    def run_timers(self) -> None:
        """Call the callbacks of the timers that are due."""
        for timer in list(self.timers):
            if timer.is_ready():
                with timer.handle:
                    timer.handle.call_timer_with_info()
                timer.callback()

    def create_publisher(self, *arguments: Any, **options: Any) -> Publisher[Any]:
        """Create a publisher as any node does; what it can't match is reported within a second."""
        return super().create_publisher(*arguments, **{"callback_group": EVENTS} | options)

    @property
    def set_ns(self) -> int:
        """The time by which the clock was set since the start."""
        return self._flight_time.ahead_ns

    def flight_ns(self) -> int:
        clock_ns = self.get_clock().now().nanoseconds
        if self.simulated:
            return clock_ns
        before_ns = self.set_ns
        now_ns = self._flight_time.advance(clock_ns, time.monotonic_ns())
        if by_ns := self.set_ns - before_ns:
            self.get_logger().info(f"The clock was set by {by_ns / NANOSECONDS:+.1f} s.")
        return now_ns

    def of_stamp(self, stamp_ns: int) -> int | None:
        """Return the time of the flight at the stamp of a message that has just arrived.

        None refuses a stamp from the future. Simulated time may arrive later than its messages.
        """
        return stamp_ns if self.simulated else self._flight_time.of_stamp(stamp_ns)

    def note_refused(self, topic: str) -> None:
        """Say that messages of a topic are refused, now and then."""
        self.get_logger().warning(
            f"A stamp on {self.resolve_topic_name(topic)} is from the future: such messages are "
            "not used. None of this drone's nodes sends them.",
            throttle_duration_sec=_AGAIN_S,
        )

    def _objection(self, parameters: list[Parameter]) -> SetParametersResult:
        """Refuse another kind of time: every age and every timer would be wrong from then on."""
        changes = any(
            one.name == "use_sim_time" and bool(one.value) is not self.simulated
            for one in parameters
        )
        return SetParametersResult(successful=not changes, reason=_SAME_TIME if changes else "")

    def _polled_parameter_services(self) -> list[Service]:
        before, executed = list(self.services), self._default_callback_group
        self._default_callback_group = Gate()
        ParameterService(self)
        self._default_callback_group = executed
        return [service for service in self.services if service not in before]
