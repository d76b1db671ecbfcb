# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The clock of the computer is set while both nodes run: traffic, session and topics go on."""

from __future__ import annotations

import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from launch import LaunchDescription

from pqc_msgs.msg import TunnelStatus

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, Stream, introduce
from graph_client import LATCHED, GraphTestCase
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import TunnelPair, make_tunnel_pair

isolate_graph()

DAY_S = 86_400
SOURCE = Path(__file__).parents[1] / "support" / "set_clock.cpp"


class SetClock:
    """The real-time clock of processes that are started with `environment`."""

    def __init__(self, folder: Path) -> None:
        library, self._seconds = folder / "set_clock.so", folder / "seconds"
        subprocess.run(["c++", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        self._seconds.write_bytes(bytes(8))
        self.environment = {"LD_PRELOAD": str(library), "SET_CLOCK_BY": str(self._seconds)}

    def set(self, by_s: int) -> None:
        """Set it by so much against the true time."""
        with self._seconds.open("r+b") as file:
            file.write(struct.pack("l", by_s))


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends in 1970, as a computer without a battery for its clock does."""
    pair = make_tunnel_pair()
    clock = SetClock(pair.folder)
    clock.set(-int(time.time()) + 100)
    return (
        LaunchDescription(
            [
                *pair.nodes(additional_env=clock.environment),
                launch_testing.actions.ReadyToTest(),
            ]
        ),
        {"pair": pair, "clock": clock},
    )


class TestSetClock(GraphTestCase):
    """While both ends run."""

    def test_a_clock_that_is_set_disturbs_neither_end(
        self, pair: TunnelPair, clock: SetClock
    ) -> None:
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)  # now the ground's tunnel knows where to deliver
        introduce(drone, ground)
        introduce(ground, drone)
        statuses = [
            self.graph.listen(TunnelStatus, f"{end}/pqc/status", LATCHED) for end in ("", "/gcs")
        ]
        self.graph.wait_for(lambda: all(statuses), "the status of both ends")
        session = statuses[0][-1].session
        diagnostics = self.graph.listen(DiagnosticArray, "/diagnostics")
        # 56 years forward, a day back and forward, a minute forward and back.
        for by_s in (0, -DAY_S, 0, 60, 0):
            with self.subTest(by_s=by_s):
                for heard in (*statuses, diagnostics):
                    heard.clear()
                clock.set(by_s)
                down, up = Stream(drone, ground, 0.02), Stream(ground, drone, 0.02)
                self.graph.wait_for(
                    lambda: diagnostics and all(len(heard) >= 2 for heard in statuses),
                    "statuses and diagnostics",
                )
                down.stop()
                up.stop()
                self.assertEqual(down.received, down.sent)
                self.assertEqual(up.received, up.sent)
                for heard in statuses:
                    self.assertEqual(heard[-1].state, TunnelStatus.STATE_ESTABLISHED)
                    self.assertEqual(heard[-1].session, session)
                    self.assertLess(heard[-1].key_age_s, 3600.0)
                    self.assertLess(abs(heard[-1].stamp.sec - time.time() - by_s), 10)
