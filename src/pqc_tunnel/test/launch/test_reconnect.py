# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Either end is killed and restarted: the tunnel recovers by itself."""

from __future__ import annotations

import os
import signal
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
from launch import LaunchDescription
from launch_ros.actions import Node

from pqc_msgs.msg import TunnelStatus
from pqc_msgs.srv import Rekey

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, introduce
from graph_client import LATCHED, GraphClient
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends; launch restarts either."""
    pair = make_tunnel_pair()
    for end in (pair.drone, pair.gcs):
        end.update(peer_timeout_s=3.0, keepalive_interval_s=0.2)
    drone, gcs = pair.nodes(respawn=True, respawn_delay=0.5)
    return (
        LaunchDescription([drone, gcs, launch_testing.actions.ReadyToTest()]),
        {"pair": pair, "drone": drone, "gcs": gcs},
    )


class TestReconnect(unittest.TestCase):
    """Recovery from a crash."""

    def setUp(self) -> None:
        self.graph = GraphClient()
        self.addCleanup(self.graph.close)
        self.drone_status = self.graph.listen(TunnelStatus, "/pqc/status", LATCHED)
        self.gcs_status = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)

    def common_session(self, other_than: str = "") -> str:
        """Return the session of both ends, once it differs from the given one."""

        def session() -> str:
            if not self.drone_status or not self.gcs_status:
                return ""
            drone, gcs = self.drone_status[-1], self.gcs_status[-1]
            agreed = drone.encrypted and gcs.encrypted and drone.session == gcs.session
            return drone.session if agreed and drone.session != other_than else ""

        return self.graph.wait_for(session, "both ends to agree on a session")

    def check_traffic(self, pair: TunnelPair) -> None:
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)
        introduce(drone, ground)
        introduce(ground, drone)

    def check_recovery_from_death_of(self, node: Node, pair: TunnelPair) -> None:
        before = self.common_session()
        self.check_traffic(pair)
        details = node.process_details
        assert details is not None
        os.kill(details["pid"], signal.SIGKILL)
        self.common_session(other_than=before)
        self.check_traffic(pair)

    def test_killing_the_ground_ends_in_a_new_session(self, gcs: Node, pair: TunnelPair) -> None:
        self.check_recovery_from_death_of(gcs, pair)

    def test_killing_the_drone_ends_in_a_new_session(self, drone: Node, pair: TunnelPair) -> None:
        self.check_recovery_from_death_of(drone, pair)

    def test_then_a_rekey_works_too(self) -> None:
        self.common_session()
        answer = self.graph.call(Rekey, "/pqc/rekey", Rekey.Request())
        self.assertTrue(answer.success, answer.message)
