# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flight import MLKEM1024
from policy_graph import LATCHED, Graph, policy_process
from recorded import MLKEM768
from ros_graph import NodeProcess, own_graph

from pqc_msgs.msg import TunnelStatus
from pqc_msgs.srv import HoldSuite

YEAR_2038_S = 2_145_916_800
FLOOD_HZ = 1000


class RealTime(Graph):
    """Publishes calm inputs each second, with stamps of the system's clock."""

    def __init__(self, process: NodeProcess) -> None:
        super().__init__(process)
        self.node.create_timer(1.0, self._publish_all)

    def _publish(self, topic: str, **fields: Any) -> None:
        publisher = self._publishers[topic]
        message = publisher.msg_type(**fields)
        message.stamp = self.node.get_clock().now().to_msg()
        if isinstance(message, TunnelStatus):
            message.key_age_s = 1.0
        publisher.publish(message)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[RealTime]:
    with own_graph(tmp_path):
        process = policy_process(tmp_path, f"state_dir:={tmp_path}", sim_time=False)
        graph = RealTime(process)
        yield graph
        graph.close()
        print(process.output)
        process.close()


def test_a_flood_of_statuses_from_the_future_does_not_take_the_real_ones_away(
    graph: RealTime,
) -> None:
    decisions = graph.decisions
    graph.wait_for(lambda: decisions and decisions[-1].inputs.session_suite, "a first session")
    forged = graph.node.create_publisher(TunnelStatus, "status", LATCHED)
    lie = TunnelStatus(suite=MLKEM1024, epoch=9, encrypted=True, key_age_s=1e6)
    lie.stamp.sec = YEAR_2038_S
    stopping = threading.Event()
    began_s = time.monotonic()

    def flood() -> None:
        while not stopping.wait(1.0 / FLOOD_HZ):
            lie.stamp.nanosec = (lie.stamp.nanosec + 1) % 1_000_000_000
            forged.publish(lie)

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        seen = len(decisions)
        graph.wait_for(lambda: len(decisions) >= seen + 8, "decisions during the flood")
    finally:
        stopping.set()
        thread.join()
    for decision in decisions[seen + 1 :]:
        assert decision.inputs.session_suite == MLKEM768
        assert 0.0 <= decision.inputs.session_age_s <= 3.0 + time.monotonic() - began_s
    assert graph.process is not None
    said = [line for line in graph.process.output.splitlines() if "is from the future" in line]
    assert 1 <= len(said) <= 1 + (time.monotonic() - began_s) // 60.0, "once a minute"
    assert "A stamp on /pqc/status is from the future" in said[0]


def test_refused_calls_write_one_line_now_and_then(graph: RealTime) -> None:
    graph.wait_for(lambda: graph.decisions, "a first decision")
    client = graph.node.create_client(HoldSuite, "hold_suite")
    graph.wait_for(client.service_is_ready, "the service")
    for number in range(200):
        call = client.call_async(HoldSuite.Request(suite=f"cs-{number}", seconds=1.0))
        graph.wait_for(call.done, "the answer")
        assert call.result().message == f"There is no suite cs-{number}."
    assert graph.process.output.count("There is no suite") <= 1 + 200 // 20
