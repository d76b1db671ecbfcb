# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded flight that is played to a real policy node gives the same decisions as offline.

Whole messages are compared, with all inputs and their ages. Every run plays two flights only, to
save time; PQC_LIVE_FLIGHTS="calm hot ..." selects others.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pqc_policy.nodes.decision_message import decision_message
from pqc_policy.policy.explain.decision_log import fold
from pqc_policy.policy.telemetry import NANOSECONDS
from pqc_policy.replay.recording import read_recording
from rclpy.qos import QoSProfile
from recorded_flights import FLIGHTS, log_of, parameter_file, policy_of
from ros_graph import Listener, NodeProcess, own_graph

from pqc_msgs.msg import PolicyDecision

RATE = 20
SETTLE_S = 0.9  # at this rate what was measured before a second comes later by the played clock
LIMIT_S = 300.0
PLAYS = 3  # attempts: on a busy machine a message may arrive after the settle time, 45 ms here
DISCOVERY_S = 3.0  # the player does not wait for subscribers


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    with own_graph(tmp_path):
        listening = Listener(LIMIT_S)
        yield listening
        listening.close()


@contextlib.contextmanager
def policy_node(listener: Listener, name: str, log: Path) -> Iterator[None]:
    """Run a policy with the flight's parameters on the player's clock."""
    parameters = parameter_file(name)
    node = NodeProcess(
        "policy_node",
        log,
        *("-r", "__ns:=/pqc", "-p", "use_sim_time:=true", "-p", f"settle_s:={SETTLE_S}"),
        *(("--params-file", str(parameters)) if parameters else ()),
    )
    try:
        topics = ("/clock", "/pqc/status", "/pqc/thermal", "/pqc/events")
        listener.wait_for(
            lambda: all(listener.node.count_subscribers(t) for t in topics), "the node"
        )
        listener.wait_for(
            lambda: listener.node.count_publishers("/pqc/decision") > 0, "its decisions"
        )
        yield
        assert node.stop() == 0
    finally:
        node.close()


def play(listener: Listener, flight: Path, last_s: float) -> list[Any]:
    """Play a flight; return the decisions up to the one for the last second."""
    ros2 = shutil.which("ros2")
    assert ros2 is not None
    decisions = listener.subscribe(PolicyDecision, "/pqc/decision", QoSProfile(depth=1000))
    how = ("--clock", "100", "--rate", str(RATE), "--delay", str(DISCOVERY_S))
    player = subprocess.Popen([ros2, "bag", "play", str(flight), *how], stdout=subprocess.DEVNULL)
    try:
        listener.wait_for(
            lambda: any(d.stamp.sec >= last_s for d in decisions), "the last second's decision"
        )
        assert player.wait(LIMIT_S) == 0
    finally:
        player.kill()
        player.wait()
    return [d for d in decisions if d.stamp.sec <= last_s]


@pytest.mark.parametrize("name", os.environ.get("PQC_LIVE_FLIGHTS", "crash jammed").split())
def test_a_flight_played_to_the_node_gives_its_decisions_to_the_last_digit(
    listener: Listener, tmp_path: Path, name: str
) -> None:
    flight = FLIGHTS / name
    history = read_recording(flight, settle_s=SETTLE_S)
    # The player's clock may end before the last seconds are over.
    offline = list(policy_of(name).replay(history))[:-2]
    expected = [str(decision_message(d, round(d.t * NANOSECONDS))) for d in offline]
    for number in range(PLAYS):
        with policy_node(listener, name, tmp_path / f"policy_{number}.log"):
            live = [str(decision) for decision in play(listener, flight, offline[-1].t)]
        if live == expected:
            break
    assert len(live) == len(expected)
    differing = [pair for pair in zip(live, expected, strict=True) if pair[0] != pair[1]]
    assert not differing, f"{len(differing)} differ, the first are {differing[0]}"
    log = fold(offline)
    assert log == log_of(name)[: len(log)]
