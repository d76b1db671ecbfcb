# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One ground station, three drones with suites, keys, ports, topics and services of their own.

A fourth misbehaves: it holds the keys of another ground station and knocks for ever.
"""

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

from pqc_msgs.msg import FleetWarning, PolicyDecision, PolicyInputs, TunnelEvent, TunnelStatus
from pqc_msgs.srv import ListSuites, Rekey

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, introduce
from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import (
    OTHER_SUITE,
    SUITE,
    TunnelPair,
    make_identities,
    make_tunnel_pair,
    messengers,
    tunnel_node,
)

SUITES = {"alpha": SUITE, "bravo2": OTHER_SUITE, "charlie": "cs-mlkem768-ascon128a-mldsa65"}

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start the ground's end and the drones'."""
    pair = make_tunnel_pair(drones=(*SUITES, "mallory"))
    for name, suite in SUITES.items():
        pair.drones[name]["suite"] = suite
    elsewhere = pair.folder / "elsewhere"
    make_identities(elsewhere, ("mallory",))
    pair.drones["mallory"]["identity_dir"] = str(elsewhere / "mallory")
    gcs = tunnel_node("gcs/pqc", pair.gcs)
    drones = [tunnel_node(f"{name}/pqc", parameters) for name, parameters in pair.drones.items()]
    return (
        LaunchDescription(
            [
                *(gcs, *drones, *messengers(tuple(f"{name}/pqc" for name in SUITES))),
                launch_testing.actions.ReadyToTest(),
            ]
        ),
        {"pair": pair},
    )


class TestSeveralDrones(GraphTestCase):
    """Separation of the drones."""

    def encrypted(self, topic: str) -> list[TunnelStatus]:
        """Return the messages of a status topic, once it is encrypted."""
        heard = self.graph.listen(TunnelStatus, topic, LATCHED)
        self.graph.wait_for(
            lambda: any(status.encrypted for status in heard), f"{topic} to be encrypted"
        )
        return heard

    def test_each_drone_has_a_status_of_its_own(self) -> None:
        sessions = set()
        for name, suite in SUITES.items():
            ground = self.encrypted(f"/gcs/pqc/{name}/status")[-1]
            air = self.encrypted(f"/{name}/pqc/status")[-1]
            self.assertEqual((ground.peer, ground.suite, air.suite), (name, suite, suite))
            self.assertEqual(ground.session, air.session)
            sessions.add(ground.session)
        self.assertEqual(len(sessions), len(SUITES))

    def test_one_that_misbehaves_gets_nothing_and_is_reported(self) -> None:
        events = self.graph.listen(TunnelEvent, "/gcs/pqc/events")
        self.graph.wait_for(
            lambda: any("the id of no known drone" in event.text for event in events),
            "the refusal of the drone with the wrong keys",
        )
        statuses = self.graph.listen(TunnelStatus, "/gcs/pqc/mallory/status", LATCHED)
        self.graph.wait_for(lambda: statuses, "a status of it")
        self.assertFalse(any(status.encrypted for status in statuses))

    def test_traffic_goes_to_the_drone_whose_port_it_was_sent_to(self, pair: TunnelPair) -> None:
        for name in SUITES:
            air = Application(pair.drone_plaintexts[name])
            ground = Application(pair.gcs_plaintexts[name])
            self.addCleanup(air.close)
            self.addCleanup(ground.close)
            ground.send(GREETING)
            introduce(air, ground)
            introduce(ground, air)
            ground.send(b"for " + name.encode())
            self.assertEqual(air.receive(), b"for " + name.encode())

    def test_a_rekey_of_one_leaves_the_keys_of_the_other_alone(self) -> None:
        alpha = self.encrypted("/gcs/pqc/alpha/status")
        before = self.encrypted("/gcs/pqc/bravo2/status")[-1]
        events = self.graph.listen(TunnelEvent, "/gcs/pqc/events")

        def rekeyed() -> bool:
            answer = self.graph.call(Rekey, "/gcs/pqc/alpha/rekey", Rekey.Request())
            self.assertTrue(answer.success, answer.message)
            self.graph.wait_for(lambda: alpha[-1].epoch == answer.epoch, "alpha's new epoch")
            return self.graph.comes(
                lambda: any(event.kind_text == "rekey_confirmed" for event in events)
            )

        # The node may not have discovered the subscriber yet.
        self.graph.wait_for(rekeyed, "the last event of a rekey")
        rekeyed = {event.peer for event in events if event.kind_text.startswith("rekey")}
        self.assertEqual(rekeyed, {"alpha"})
        after = self.encrypted("/gcs/pqc/bravo2/status")[-1]
        self.assertEqual((after.session, after.epoch), (before.session, before.epoch))

    def test_each_drone_has_a_list_of_suites_of_its_own(self) -> None:
        for name in ("alpha", "bravo2"):
            response = self.graph.call(
                ListSuites, f"/gcs/pqc/{name}/list_suites", ListSuites.Request()
            )
            self.assertGreater(len(response.suites), 72)

    def test_an_attack_that_one_reports_warns_the_others(self) -> None:
        for name in SUITES:
            self.encrypted(f"/gcs/pqc/{name}/status")
        warnings = {
            name: self.graph.listen(FleetWarning, f"/{name}/pqc/fleet_warning") for name in SUITES
        }
        decision = self.graph.node.create_publisher(PolicyDecision, "/alpha/pqc/decision", 10)

        def warned() -> bool:
            inputs = PolicyInputs(advisor_verdict="attack", advisor_age_s=0.1)
            decision.publish(PolicyDecision(action=PolicyDecision.HOLD, inputs=inputs))
            return bool(warnings["bravo2"] and warnings["charlie"])

        self.graph.wait_for(warned, "the warnings")
        self.assertEqual(warnings["alpha"], [])


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_all_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
