# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked for on the ground is done on the drone, and its answer comes back, in band."""

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

from pqc_msgs.msg import TunnelStatus
from pqc_msgs.srv import CapturePower, HoldSuite

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import SUITE, make_tunnel_pair, messengers

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends."""
    pair = make_tunnel_pair()
    return (
        LaunchDescription([*pair.nodes(), *messengers(), launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


class TestGroundRequests(GraphTestCase):
    """While both ends run, with nodes of the drone's that stand in for policy and sensing."""

    def setUp(self) -> None:
        statuses = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)
        self.graph.wait_for(lambda: statuses and statuses[-1].encrypted, "the session")

    def offer(self, kind: Any, name: str, answer: dict[str, Any]) -> list[Any]:
        """Offer a service of the drone that answers so; return the requests that it gets."""
        requests: list[Any] = []

        def respond(request: Any, response: Any) -> Any:
            requests.append(request)
            for field, value in answer.items():
                setattr(response, field, value)
            return response

        service = self.graph.node.create_service(kind, name, respond)
        self.addCleanup(self.graph.node.destroy_service, service)
        return requests

    def answered(self, kind: Any, name: str, request: Any, until: str) -> Any:
        """Call a service of the ground until its answer has these words; return the answer."""

        def asked() -> Any:
            response = self.graph.call(kind, name, request)
            return response if until in response.message else None

        return self.graph.wait_for(asked, until)

    def test_a_hold_is_asked_once_of_the_policy_whose_answer_comes_back(self) -> None:
        """Long sentences come whole."""
        request = HoldSuite.Request(suite=SUITE, seconds=90.5)
        refused = self.answered(HoldSuite, "/gcs/pqc/hold_suite", request, "No node")
        assert not refused.success
        sentence = "The policy holds " + 20 * "this suite " + "for 90.5 s."
        requests = self.offer(HoldSuite, "/pqc/hold_suite", {"success": True, "message": sentence})
        answer = self.answered(HoldSuite, "/gcs/pqc/hold_suite", request, "The policy holds")
        assert answer.success
        assert answer.message == sentence[:250]
        assert [(one.suite, one.seconds) for one in requests] == [(SUITE, 90.5)]
        release = HoldSuite.Request(suite="")
        self.answered(HoldSuite, "/gcs/pqc/hold_suite", release, "The policy holds")
        assert requests[-1].suite == ""

    def test_what_makes_no_sense_does_not_travel(self) -> None:
        """The ground refuses it."""
        requests = self.offer(HoldSuite, "/pqc/hold_suite", {"success": True})
        answer = self.graph.call(
            HoldSuite, "/gcs/pqc/hold_suite", HoldSuite.Request(suite="cs-none", seconds=9.0)
        )
        assert (answer.success, answer.message) == (False, "There is no suite cs-none.")
        assert not requests

    def test_a_capture_of_power_brings_its_result(self) -> None:
        """The file stays on the drone."""
        told = {"success": True, "message": "Captured.", "samples": 500, "seconds": 2.0}
        requests = self.offer(
            CapturePower, "/pqc/capture_power", {**told, "energy_j": 9.0, "file": "/tmp/hover.csv"}
        )
        request = CapturePower.Request(seconds=2.0, name="hover", rate_hz=250.0)
        answer = self.answered(CapturePower, "/gcs/pqc/capture_power", request, "Captured.")
        assert (answer.success, answer.samples, answer.file) == (True, 500, "hover.csv")
        assert answer.mean_w == pytest.approx(4.5)
        assert [(one.name, one.seconds, one.rate_hz) for one in requests] == [("hover", 2.0, 250.0)]


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """After both ends were asked to stop."""

    def test_both_ends_end_without_an_error(self, proc_info: Any) -> None:
        """The exit code of both is 0."""
        launch_testing.asserts.assertExitCodes(proc_info)
