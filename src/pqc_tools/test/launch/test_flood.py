# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""pqc_flood against a tunnel in use whose key ids it has overheard."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from ament_index_python.packages import get_package_prefix
from launch import LaunchDescription
from pqc_testing.ports import LOOPBACK
from pqc_testing.ros_graph import isolate_graph

from pqc_msgs.msg import TunnelStatus

sys.path.insert(0, str(Path(__file__).parent))

from tunnel_test_helpers import (
    GREETING,
    LATCHED,
    PATIENCE_S,
    Application,
    GraphTestCase,
    TunnelPair,
    introduce,
    make_tunnel_pair,
)

isolate_graph()
FLOOD = Path(get_package_prefix("pqc_tools"), "lib", "pqc_tools", "pqc_flood")


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    pair = make_tunnel_pair()
    drone, gcs = pair.nodes()
    return (
        LaunchDescription([drone, gcs, launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


class TestFlood(GraphTestCase):
    """Junk against both ends."""

    def flood(self, status: TunnelStatus, port: int) -> dict[str, Any]:
        """Send junk to one end; return the report of pqc_flood."""
        # Few enough that the receive buffer holds all of it, however long the end is kept waiting.
        done = subprocess.run(
            [
                str(FLOOD),
                *("--to", f"{LOOPBACK}:{port}", "--datagrams", "200", "--seconds", "1"),
                *("--key-id", str(status.key_id)),
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return json.loads(done.stdout.strip().splitlines()[-1])

    def test_every_forged_frame_is_decrypted_in_vain(self, pair: TunnelPair) -> None:
        heard = {
            end: self.graph.listen(TunnelStatus, topic, LATCHED)
            for end, topic in (("drone", "/pqc/status"), ("gcs", "/gcs/pqc/status"))
        }
        self.graph.wait_for(
            lambda: all(statuses and statuses[-1].encrypted for statuses in heard.values()),
            "the tunnel",
        )
        # Each end has received sequence number 0, which old frames carry.
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)
        introduce(drone, ground)
        introduce(ground, drone)
        for end, parameters in (("drone", pair.drone), ("gcs", pair.gcs)):
            with self.subTest(end):
                report = self.flood(heard[end][-1], parameters["datagram_port"])
                forged = report["kinds"]["forged"]
                self.assertEqual(report["answers"], 0)
                self.assertGreater(forged, 0)

                def all_refused(end: str = end, forged: int = forged) -> bool:
                    drops = heard[end][-1].drops
                    return drops.auth_fail + drops.decrypt_fail >= forged

                self.graph.wait_for(all_refused, "every forged frame to arrive")
                self.assertEqual(heard[end][-1].drops.auth_fail, forged)
                self.assertEqual(heard[end][-1].drops.decrypt_fail, 0)
        introduce(drone, ground)


@launch_testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """After SIGINT."""

    def test_both_stop_cleanly(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
