# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`drone_messenger_node`: reports to the ground station, and carries out what that asks for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.qos import QoSProfile, qos_profile_sensor_data
from rclpy.task import Future

from pqc_msgs.msg import (
    ComputerLoad,
    FleetWarning,
    PeerMessage,
    PolicyDecision,
    PowerReading,
    ThermalReading,
)
from pqc_msgs.srv import CapturePower, HoldSuite
from pqc_policy.messages.asker import Answerer
from pqc_policy.messages.content import Kind
from pqc_policy.messages.fleet import is_warning
from pqc_policy.messages.lines import Announcer, LineSender
from pqc_policy.messages.reports import ComputerReadings, DecisionRepeater, decision_report
from pqc_policy.messages.requests import Answer, Request, State, read_request
from pqc_policy.nodes.messengers.messenger import Channel, Messenger
from pqc_policy.nodes.process.polled import PolledSubscription

SERVICE_PATIENCE_S = 5.0
_REPORT_S = 0.9  # least time between reports, so that each second has one
_READINGS = {"computer": ComputerLoad, "thermal": ThermalReading, "power": PowerReading}
_NEWEST = QoSProfile(depth=1, reliability=qos_profile_sensor_data.reliability)


class DroneMessenger(Messenger):
    """Calls the services of policy and sensing as others here do, so that those check requests."""

    def __init__(self) -> None:
        super().__init__()
        self._readings = ComputerReadings()
        self._repeater = DecisionRepeater()
        self._announcer = Announcer()
        self._lines = LineSender(random.randrange(256))
        self._answerer = Answerer()
        self._waiting: dict[int, tuple[float, Callable[[], None]]] = {}
        self._second_s = 0.0
        self._channel = Channel(self, "", self._take)
        self._decisions = PolledSubscription(
            self, PolicyDecision, "decision", self._tell, qos_profile_sensor_data
        )
        self._inputs = [
            PolledSubscription(self, kind, topic, self._read, _NEWEST)
            for topic, kind in _READINGS.items()
        ]
        self._hold = self.create_client(HoldSuite, "hold_suite")
        self._capture = self.create_client(CapturePower, "capture_power")
        self._warnings = self.create_publisher(FleetWarning, "fleet_warning", QoSProfile(depth=10))

    def due(self) -> bool:
        """Return whether the ground station waits for an answer."""
        return bool(self._waiting)

    def step(self) -> None:
        self._channel.poll()
        self._decisions.poll()
        now_s = time.monotonic()
        if now_s < self._second_s:
            return
        self._second_s = now_s + _REPORT_S
        for one in self._inputs:
            one.poll()
        self._channel.send(self._readings.report(now_s))
        self._channel.send(self._lines.message(now_s))
        for request_id in [one for one, (until_s, _) in self._waiting.items() if now_s >= until_s]:
            self._waiting.pop(request_id)[1]()
            self._refuse(request_id, "The drone's node has not answered.")

    def _read(self, reading: Any) -> None:
        self._readings.take(reading, time.monotonic())

    def _tell(self, decision: PolicyDecision) -> None:
        now_s = time.monotonic()
        self._channel.send(decision_report(self._repeater.told(decision, now_s)))
        line = self._announcer.line(decision, now_s)
        if line is not None:
            self._lines.tell(line, now_s)

    def _take(self, message: PeerMessage) -> None:
        content = bytes(message.content)
        if message.kind == Kind.WARNING and is_warning(content):
            self._warnings.publish(FleetWarning(stamp=message.stamp))
        request = read_request(content) if message.kind == Kind.REQUEST else None
        if request is None:
            return
        answer = self._answerer.take(request, time.monotonic())
        if answer is None:
            self._carry_out(request)
        self._channel.send(answer)

    def _carry_out(self, request: Request) -> None:
        wish = request.wish
        if isinstance(wish, CapturePower.Request):
            client, seconds, what = self._capture, wish.seconds, "capture power"
        else:
            client, seconds = self._hold, 0.0
            what = f"hold {wish.suite}" if wish.suite else "release the suite"
        self.get_logger().info(f"The ground station asks to {what}.")
        if not client.service_is_ready():
            self._refuse(request.id, f"No node of the drone offers {client.service_name}.")
            return
        call = client.call_async(wish)
        until_s = time.monotonic() + seconds + SERVICE_PATIENCE_S
        self._waiting[request.id] = until_s, partial(client.remove_pending_request, call)
        call.add_done_callback(partial(self._answered, request.id))

    def _answered(self, request_id: int, call: Future) -> None:
        if self._waiting.pop(request_id, None) is not None:
            answer = answer_of(call.result())
            self._channel.send(self._answerer.finish(request_id, answer))

    def _refuse(self, request_id: int, text: str) -> None:
        self._channel.send(self._answerer.finish(request_id, Answer(State.REFUSED, text)))


def answer_of(response: HoldSuite.Response | CapturePower.Response) -> Answer:
    """Return the answer that a service has given."""
    state = State.DONE if response.success else State.REFUSED
    if isinstance(response, HoldSuite.Response):
        return Answer(state, response.message)
    numbers = response.samples, response.seconds, response.energy_j
    return Answer(state, response.message, *numbers)
