# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`ground_messenger_node`: publishes what drones report, and asks them what is asked for here."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from rclpy.node import NodeNameNonExistentError
from rclpy.qos import DurabilityPolicy, QoSProfile

from pqc_msgs.msg import DroneComputer, DroneDecision, PeerMessage, TunnelStatus
from pqc_msgs.srv import CapturePower, HoldSuite
from pqc_policy.messages.asker import Asker
from pqc_policy.messages.content import Kind
from pqc_policy.messages.fleet import WARNING, FleetWarnings
from pqc_policy.messages.reports import read_computer, read_decision
from pqc_policy.messages.requests import Answer, State, Wish, fault_of, read_piece
from pqc_policy.nodes.messengers.messenger import Channel, Messenger
from pqc_policy.nodes.process.polled import PolledService, PolledSubscription
from pqc_policy.shown_text import shown

TUNNEL = "tunnel"  # the node beside this one
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_REPORTS = QoSProfile(depth=10)
_NO_SESSION = "There is no session with the drone."
_TOO_MANY = "Too many requests wait for the drone's answers."
_SILENT = "The drone has not answered: whether it has done it is unknown."
_MOST_DRONES = 256


class Drone:
    """The topics and services of one drone."""

    def __init__(
        self, node: Messenger, prefix: str, tell: Callable[[str, DroneDecision], None]
    ) -> None:
        """Create them; `tell` gets the drone's prefix and each decision."""
        self._prefix = prefix
        self._tell = tell
        self._asker = Asker(random.getrandbits(32))
        self._waiting: dict[int, Callable[[bool, Answer], None]] = {}
        self._suite = ""  # of the session
        self.channel = Channel(node, prefix, self._take)
        self._computers = node.create_publisher(DroneComputer, f"{prefix}drone_computer", _REPORTS)
        self._decisions = node.create_publisher(DroneDecision, f"{prefix}decision", _REPORTS)
        self._status = PolledSubscription(
            node, TunnelStatus, f"{prefix}status", self._note_session, _LATCHED
        )
        self._services = [
            PolledService(node, HoldSuite, f"{prefix}hold_suite", self._ask),
            PolledService(node, CapturePower, f"{prefix}capture_power", self._ask),
        ]

    def step(self, now_s: float) -> None:
        """Take what has arrived, repeat requests, and answer those that have ended."""
        self._status.poll()
        self.channel.poll()
        for service in self._services:
            service.poll()
        self.channel.send(self._asker.message(now_s))
        for request_id, answered, answer in self._asker.ended(now_s):
            self._waiting.pop(request_id)(answered, answer)

    def _note_session(self, status: TunnelStatus) -> None:
        self._suite = status.suite

    def _take(self, message: PeerMessage) -> None:
        content = bytes(message.content)
        if message.kind == Kind.COMPUTER and (computer := read_computer(content)) is not None:
            computer.stamp = message.stamp
            self._computers.publish(computer)
        elif message.kind == Kind.DECISION and (decision := read_decision(content)) is not None:
            decision.stamp = message.stamp
            self._decisions.publish(decision)
            self._tell(self._prefix, decision)
        elif message.kind == Kind.ANSWER and (piece := read_piece(content)) is not None:
            self._asker.take(piece, time.monotonic())

    def _ask(self, wish: Wish, respond: Callable[[Any], None]) -> None:
        fault = fault_of(wish) or ("" if self._suite else _NO_SESSION)
        request_id = None if fault else self._asker.ask(wish, time.monotonic())
        if request_id is None:
            respond(response_to(wish, True, Answer(State.REFUSED, fault or _TOO_MANY)))
        else:
            self._waiting[request_id] = lambda *end: respond(response_to(wish, *end))


class GroundMessenger(Messenger):
    """Serves the drones whose messages the tunnel beside it carries."""

    def __init__(self) -> None:
        self._drones: dict[str, Drone] = {}
        self._fleet = FleetWarnings()
        self._look_s = 0.0
        super().__init__()

    def due(self) -> bool:
        """Return True: an operator may wait for an answer."""
        return True

    def step(self) -> None:
        """Serve each drone; those of the tunnel are looked for once a second."""
        now_s = time.monotonic()
        if now_s >= self._look_s:
            self._look_s = now_s + 1.0
            for prefix in self._prefixes():
                if prefix not in self._drones and len(self._drones) < _MOST_DRONES:
                    self._drones[prefix] = Drone(self, prefix, self._warn)
        for drone in self._drones.values():
            drone.step(now_s)

    def _prefixes(self) -> Iterator[str]:
        """Yield what precedes the names of a drone's topics: nothing if it is the only one."""
        namespace = self.get_namespace()
        try:
            topics = self.get_publisher_names_and_types_by_node(TUNNEL, namespace)
        except NodeNameNonExistentError:
            return
        for topic, _ in topics:
            if topic.endswith("/messages_in"):
                within = topic.removeprefix(namespace).removeprefix("/")
                yield within.removesuffix("messages_in")

    def _warn(self, by: str, decision: DroneDecision) -> None:
        for prefix in self._fleet.warned(self._drones, by, decision, time.monotonic()):
            self._drones[prefix].channel.send(WARNING)


def response_to(wish: Wish, answered: bool, answer: Answer) -> Any:
    """Return the response to a request that has ended, with or without an answer."""
    text = answer.text if answered or answer.text else _SILENT
    done = answered and answer.state is State.DONE
    if isinstance(wish, HoldSuite.Request):
        return HoldSuite.Response(success=done, message=shown(text))
    response = CapturePower.Response(success=done, message=shown(text))
    if answered and answer.samples:
        response.file = f"{wish.name.removesuffix('.csv')}.csv"
        response.samples, response.seconds = answer.samples, answer.seconds
        response.energy_j = answer.energy_j
        response.mean_w = answer.energy_j / answer.seconds if answer.seconds > 0 else 0.0
    return response
