# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and a ground station with a mobile network between them."""

from __future__ import annotations

import json
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from ament_index_python.packages import get_package_prefix, get_package_share_path
from launch import LaunchDescription
from launch.actions import ExecuteProcess
from pqc_testing.ports import LOOPBACK, free_ports
from pqc_testing.ros_graph import isolate_graph

from pqc_msgs.msg import TunnelStatus
from pqc_msgs.srv import Rekey

sys.path.insert(0, str(Path(__file__).parent))

from tunnel_test_helpers import (
    GREETING,
    LATCHED,
    OTHER_SUITE,
    Application,
    GraphClient,
    TunnelPair,
    introduce,
    make_tunnel_pair,
)

isolate_graph()
EMULATOR = Path(get_package_prefix("pqc_tools"), "lib", "pqc_tools", "pqc_link_emulator")
DIRECTIONS = ("drone_to_gcs", "gcs_to_drone")
QUIET_S = 5.0  # longer than any datagram is in flight
sent: dict[str, int] = {}
received: dict[str, int] = {}


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends and the link; the drone knows the link's port only."""
    pair = make_tunnel_pair()
    (port,) = free_ports(1)
    summary = pair.folder / "link.json"
    emulator = ExecuteProcess(
        cmd=[
            str(EMULATOR),
            *("--profile", str(get_package_share_path("pqc_tools") / "links/lte.yaml")),
            *("--udp-listen", f"{LOOPBACK}:{port}"),
            *("--udp-forward", f"{LOOPBACK}:{pair.drone['gcs_datagram_port']}"),
            *("--summary", str(summary)),
        ],
        output="screen",
        sigterm_timeout="30",
    )
    pair.drone.update(gcs_datagram_port=port)
    drone, gcs = pair.nodes()
    return (
        LaunchDescription([emulator, drone, gcs, launch_testing.actions.ReadyToTest()]),
        {"pair": pair, "summary": summary},
    )


class Transfer:
    """Numbered datagrams from one application to another while something else happens."""

    def __init__(self, near: Application, far: Application, count: int = 400) -> None:
        self.sent = [f"datagram {number} ".encode() * 8 for number in range(count)]
        self.received: list[bytes] = []
        self._near, self._far = near, far
        self._sent_all = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._send, self._receive)
        ]
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Return once everything was sent and nothing arrives any more."""
        for thread in self._threads:
            thread.join()

    def _send(self) -> None:
        for datagram in self.sent:
            self._near.send(datagram)
            time.sleep(1 / 320)
        self._sent_all.set()

    def _receive(self) -> None:
        while True:
            try:
                self.received.append(self._far.receive(timeout_s=QUIET_S))
            except TimeoutError:
                if self._sent_all.is_set():
                    return


class TestLink(unittest.TestCase):
    """Traffic over a link that delays and loses."""

    def test_traffic_and_a_rekey_lose_no_more_than_the_link_takes(self, pair: TunnelPair) -> None:
        graph = GraphClient()
        self.addCleanup(graph.close)
        heard = graph.listen(TunnelStatus, "/pqc/status", LATCHED)
        graph.wait_for(lambda: heard and heard[-1].encrypted, "the tunnel")
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)
        introduce(drone, ground)
        introduce(ground, drone)

        transfers = {
            "drone_to_gcs": Transfer(drone, ground),
            "gcs_to_drone": Transfer(ground, drone),
        }
        answer = graph.call(Rekey, "/pqc/rekey", Rekey.Request(suite=OTHER_SUITE))
        for direction, transfer in transfers.items():
            transfer.wait()
            sent[direction] = len(transfer.sent)
            received[direction] = len(transfer.received)
            self.assertLessEqual(set(transfer.received), set(transfer.sent))
            self.assertEqual(len(set(transfer.received)), len(transfer.received))
        self.assertTrue(answer.success, answer.message)
        self.assertGreaterEqual(answer.timing.total_s, 0.07)  # the link's round trip


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_all_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)

    def test_what_is_missing_is_in_the_links_counts(self, summary: Path) -> None:
        link = json.loads(summary.read_text())
        self.assertEqual(link["state"], "finished")
        for direction in DIRECTIONS:
            counts = link["udp"][direction]
            taken = counts["in"] - counts["out"] + counts["unsent"]
            self.assertGreaterEqual(counts["in"], sent[direction])
            self.assertLessEqual(sent[direction] - received[direction], taken)
