# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keys are fetched in the background: asked for by service, seen in the status, used at once."""

from __future__ import annotations

import sys
import unittest
from itertools import pairwise
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription

from pqc_msgs.msg import KemFetch, TunnelStatus
from pqc_msgs.srv import Prefetch, Rekey

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import make_tunnel_pair

isolate_graph()

PLAIN = "cs-frodokem976aes-aesgcm-mldsa65"
LARGE = "cs-classicmceliece460896-aesgcm-mldsa65"
RADIO = {"links": ["radio"], "link.radio.rate_kbit": 2000.0}


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends on a link of known rate, so that a large key takes some seconds."""
    pair = make_tunnel_pair()
    pair.gcs.update(RADIO)
    pair.drone.update(RADIO | {"prefetch.airtime": 0.2, "prefetch.max_bytes": 1 << 20})
    return (
        LaunchDescription([*pair.nodes(), launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


def fetch_of(status: TunnelStatus, suite: str) -> KemFetch:
    """Return what a status says of the KEM of a suite."""
    return next(one for one in status.fetches if one.suite == suite)


class TestPrefetch(GraphTestCase):
    """While both ends run."""

    def prefetch(self, suite: str) -> Prefetch.Response:
        """Ask the drone to fetch a key."""
        return self.graph.call(Prefetch, "/pqc/prefetch", Prefetch.Request(suite=suite))

    def setUp(self) -> None:
        self.statuses = self.graph.listen(TunnelStatus, "/pqc/status", LATCHED)
        self.graph.wait_for(
            lambda: self.statuses and self.statuses[-1].encrypted and self.statuses[-1].fetches,
            "the session",
        )

    def test_keys_are_fetched_beside_each_other_and_a_ratchet_and_then_serve_at_once(self) -> None:
        for suite in (LARGE, PLAIN):
            answer = self.prefetch(suite)
            self.assertTrue(answer.success, answer.message)
            self.assertIn(suite, answer.message)
        self.graph.wait_for(
            lambda: 0.0 < fetch_of(self.statuses[-1], LARGE).progress < 1.0, "some of the key"
        )
        ratchet = self.graph.call(Rekey, "/pqc/rekey", Rekey.Request(ratchet=True))
        self.assertTrue(ratchet.success, ratchet.message)
        for suite in (PLAIN, LARGE):
            self.graph.wait_for(
                lambda suite=suite: fetch_of(self.statuses[-1], suite).ready, f"the key of {suite}"
            )
        fetching = [s for s in self.statuses if fetch_of(s, LARGE).progress >= 0.0]
        self.assertTrue(any(fetch_of(s, PLAIN).ready for s in fetching), "the small key is first")
        self.assertTrue(any(s.ratchets for s in fetching), "the ratchet does not wait")
        self.assertEqual({s.state for s in fetching}, {TunnelStatus.STATE_ESTABLISHED})
        for before, after in pairwise(fetching):
            self.assertLessEqual(fetch_of(before, LARGE).progress, fetch_of(after, LARGE).progress)

        for suite in (PLAIN, LARGE):
            answer = self.graph.call(Rekey, "/pqc/rekey", Rekey.Request(suite=suite))
            self.assertTrue(answer.success, answer.message)
            self.assertEqual((answer.suite, answer.fetch_bytes), (suite, 0))
            self.assertTrue(answer.timing.prepared_ahead)

    def test_each_kem_has_its_cost_on_this_link(self) -> None:
        plain, large = (fetch_of(self.statuses[-1], suite) for suite in (PLAIN, LARGE))
        self.assertGreater(large.fetch_bytes, 20 * plain.fetch_bytes)
        self.assertGreater(plain.rekey_bytes, large.rekey_bytes)
        self.assertGreater(large.fetch_s, 20.0 * plain.fetch_s)
        self.assertGreater(plain.fetch_s, 0.0)
        kems = [one.suite.split("-")[1] for one in self.statuses[-1].fetches]
        self.assertEqual(len(kems), len(set(kems)))

    def test_what_cannot_be_fetched_is_refused_with_a_sentence(self) -> None:
        answer = self.prefetch("cs-mlkem768-aesgcm-mldsa66")
        self.assertFalse(answer.success)
        self.assertIn("did you mean cs-mlkem768-aesgcm-mldsa65?", answer.message)
        answer = self.prefetch("cs-hqc192-aesgcm-mldsa65")  # allow_experimental is false
        self.assertFalse(answer.success)
        self.assertNotEqual(answer.message, "")

    def test_a_ground_station_offers_no_fetches(self) -> None:
        self.graph.wait_for(
            lambda: "/gcs/pqc/rekey" in dict(self.graph.node.get_service_names_and_types()),
            "the ground's services",
        )
        names = dict(self.graph.node.get_service_names_and_types())
        self.assertNotIn("/gcs/pqc/prefetch", names)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_both_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
