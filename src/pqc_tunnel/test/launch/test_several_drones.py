# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One ground station, two drones: each has its own keys, ports, topics and services."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription

from pqc_msgs.msg import TunnelEvent, TunnelStatus
from pqc_msgs.srv import ListSuites, Rekey

sys.path.insert(0, str(Path(__file__).parent))

from applications import Application, introduce
from graph_client import LATCHED, GraphClient
from tunnel_pair import TunnelPair, isolate_graph, make_tunnel_pair, tunnel_node

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start the ground's end and both drones'."""
    pair = make_tunnel_pair(drones=("alpha", "bravo2"))
    alpha, gcs = pair.nodes()
    bravo = tunnel_node("bravo/pqc", pair.drones["bravo2"])
    return (
        LaunchDescription([alpha, gcs, bravo, launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


class TestSeveralDrones(unittest.TestCase):
    """What keeps the drones apart."""

    def setUp(self) -> None:
        self.graph = GraphClient()
        self.addCleanup(self.graph.close)

    def encrypted(self, topic: str) -> list[TunnelStatus]:
        """Return what is heard on a status topic, once it is encrypted."""
        heard = self.graph.listen(TunnelStatus, topic, LATCHED)
        self.graph.wait_for(
            lambda: any(status.encrypted for status in heard), f"{topic} to be encrypted"
        )
        return heard

    def test_each_drone_has_a_status_of_its_own(self) -> None:
        alpha = self.encrypted("/gcs/pqc/alpha/status")[-1]
        bravo = self.encrypted("/gcs/pqc/bravo2/status")[-1]
        self.assertEqual((alpha.peer, bravo.peer), ("alpha", "bravo2"))
        self.assertNotEqual(alpha.session, bravo.session)
        self.assertEqual(alpha.session, self.encrypted("/pqc/status")[-1].session)
        self.assertEqual(bravo.session, self.encrypted("/bravo/pqc/status")[-1].session)

    def test_traffic_goes_to_the_drone_whose_port_it_was_sent_to(self, pair: TunnelPair) -> None:
        for name in pair.drones:
            air = Application(pair.drone_plaintexts[name])
            ground = Application(pair.gcs_plaintexts[name])
            self.addCleanup(air.close)
            self.addCleanup(ground.close)
            ground.send(b"here I am")
            introduce(air, ground)
            introduce(ground, air)
            ground.send(b"for " + name.encode())
            heard = air.receive()
            while heard == b"hello":
                heard = air.receive()
            self.assertEqual(heard, b"for " + name.encode())

    def test_a_rekey_of_one_leaves_the_keys_of_the_other_alone(self) -> None:
        alpha = self.encrypted("/gcs/pqc/alpha/status")
        before = self.encrypted("/gcs/pqc/bravo2/status")[-1]
        events = self.graph.listen(TunnelEvent, "/gcs/pqc/events")
        self.graph.wait_for(
            lambda: self.graph.node.count_publishers("/gcs/pqc/events") > 0,
            "the events' publisher",
        )
        answer = self.graph.call(Rekey, "/gcs/pqc/alpha/rekey", Rekey.Request())
        self.assertTrue(answer.success, answer.message)
        self.graph.wait_for(lambda: alpha[-1].epoch == answer.epoch, "alpha's new epoch")
        self.graph.wait_for(lambda: events, "an event")
        self.assertEqual({event.peer for event in events}, {"alpha"})
        after = self.encrypted("/gcs/pqc/bravo2/status")[-1]
        self.assertEqual((after.session, after.epoch), (before.session, before.epoch))

    def test_each_drone_has_a_list_of_suites_of_its_own(self) -> None:
        for name in ("alpha", "bravo2"):
            response = self.graph.call(
                ListSuites, f"/gcs/pqc/{name}/list_suites", ListSuites.Request()
            )
            self.assertGreater(len(response.suites), 72)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """What is left after SIGINT."""

    def test_all_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
