# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ground station as a node whose drones come and go."""

from __future__ import annotations

import subprocess
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
from pqc_msgs.srv import Reload

sys.path.insert(0, str(Path(__file__).parent))

from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair, program, tunnel_node

isolate_graph()


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start the ground's end, which has a record of the first drone only, and both drones'."""
    pair = make_tunnel_pair(drones=("alpha", "bravo"))
    drones = pair.folder / "gcs" / "drones"
    (drones / "bravo.drone").rename(pair.folder / "bravo.drone")
    nodes = [tunnel_node(f"{name}/pqc", of) for name, of in pair.drones.items()]
    return (
        LaunchDescription(
            [tunnel_node("gcs/pqc", pair.gcs), *nodes, launch_testing.actions.ReadyToTest()]
        ),
        {"pair": pair},
    )


class TestReload(GraphTestCase):
    """The service reload."""

    def test_a_drone_comes_and_goes_and_the_other_keeps_its_session(self, pair: TunnelPair) -> None:
        alpha = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)
        events = self.graph.listen(TunnelEvent, "/gcs/pqc/events")
        self.graph.wait_for(lambda: any(s.encrypted for s in alpha), "alpha to be encrypted")
        session = alpha[-1].session

        record = pair.folder / "gcs" / "drones" / "bravo.drone"
        (pair.folder / "bravo.drone").rename(record)
        answer = self.graph.call(Reload, "/gcs/pqc/reload", Reload.Request())
        self.assertEqual((answer.success, answer.message), (True, "1 drone added (bravo)."))
        bravo = self.graph.listen(TunnelStatus, "/gcs/pqc/bravo/status", LATCHED)
        self.graph.wait_for(lambda: any(s.encrypted for s in bravo), "bravo to be encrypted")
        self.assertTrue(any(event.kind_text == "reloaded" for event in events))

        again = self.graph.call(Reload, "/gcs/pqc/reload", Reload.Request())
        self.assertFalse(again.success)
        self.assertIn("`pqc reload` and SIGHUP do not wait", again.message)

        words = ["identity", "revoke", "--out", str(pair.folder), "--drone", "bravo"]
        subprocess.run([program("pqc"), *words], check=True, stdout=subprocess.DEVNULL)

        def removed() -> bool:
            answer = self.graph.call(Reload, "/gcs/pqc/reload", Reload.Request())
            return answer.success and answer.message == "1 drone removed (bravo)."

        self.graph.wait_for(removed, "the reload that removes bravo")
        topics = self.graph.node.count_publishers
        self.graph.wait_for(
            lambda: topics("/gcs/pqc/bravo/status") == 0, "the end of bravo's topics"
        )
        self.assertTrue(alpha[-1].encrypted)
        self.assertEqual(alpha[-1].session, session)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_all_ends_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
