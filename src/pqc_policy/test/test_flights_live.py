# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded flight played to a real policy node gives the log that it gives offline.

One takes long enough for every run; PQC_LIVE_FLIGHTS="calm hot ..." names others.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from pqc_policy.flights.recording import PARAMETERS, read_log, read_parameters
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.log import fold, fold_messages
from pqc_policy.replay.recording import read_recording
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

from pqc_msgs.msg import PolicyDecision

FLIGHTS = Path(__file__).parent.parent / "flights"
RATE = 10
SETTLE_S = 0.9  # at this rate what was measured before a second comes later by the played clock
LIMIT_S = 300.0
PLAYS = 3  # a player does not wait for its listeners; it may have begun without them
DOMAIN = 40 + os.getpid() % 60


class Listener:
    """Collects the decisions of the policy node."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self.node = Node("listener", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.decisions: list[Any] = []
        self.node.create_subscription(
            PolicyDecision, "/pqc/decision", self.decisions.append, QoSProfile(depth=1000)
        )

    def until(self, condition: Callable[[], bool]) -> None:
        """Listen until a condition holds."""
        deadline = time.monotonic() + LIMIT_S
        while not condition():
            assert time.monotonic() < deadline, self.decisions[-1:]
            self.executor.spin_once(timeout_sec=0.05)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    yield listening
    listening.close()


def start(*command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
        stdout=subprocess.DEVNULL,
    )


def play(listener: Listener, flight: Path, last_s: float) -> list[Any]:
    """Return the decisions while a flight is played, until the one for the last second."""
    ros2 = shutil.which("ros2")
    assert ros2 is not None
    listener.decisions.clear()
    player = start(ros2, "bag", "play", str(flight), "--clock", "100", "--rate", str(RATE))
    try:
        listener.until(lambda: any(d.stamp.sec >= last_s for d in listener.decisions))
        assert player.wait(LIMIT_S) == 0
    finally:
        player.kill()
        player.wait()
    return [d for d in listener.decisions if d.stamp.sec <= last_s]


@pytest.mark.parametrize("name", os.environ.get("PQC_LIVE_FLIGHTS", "crash").split())
def test_a_flight_played_to_the_node_gives_its_decision_log(listener: Listener, name: str) -> None:
    flight = FLIGHTS / name
    parameters = flight / PARAMETERS
    history = read_recording(flight, settle_s=SETTLE_S)
    # The player's clock may end before the last seconds are over.
    offline = list(Policy(read_parameters(flight)).replay(history))[:-2]
    node = start(
        *(sys.executable, "-m", "pqc_policy.nodes.policy_node"),
        *("--ros-args", "-r", "__ns:=/pqc", "-p", "use_sim_time:=true"),
        *("-p", f"settle_s:={SETTLE_S}"),
        *(("--params-file", str(parameters)) if parameters.exists() else ()),
    )
    try:
        topics = ("/clock", "/pqc/status", "/pqc/thermal", "/pqc/events")
        listener.until(lambda: all(listener.node.count_subscribers(t) for t in topics))
        listener.until(lambda: listener.node.count_publishers("/pqc/decision") > 0)
        for _ in range(PLAYS):
            live = play(listener, flight, offline[-1].t)
            if live[0].guard == offline[0].guard:
                break
    finally:
        node.terminate()
        assert node.wait(LIMIT_S) == 0
    assert [d.stamp.sec for d in live] == [int(d.t) for d in offline]
    log = fold_messages(live)
    assert log == fold(offline)
    assert log == read_log(flight)[: len(log)]
