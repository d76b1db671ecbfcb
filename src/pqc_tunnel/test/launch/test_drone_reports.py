# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What sensing and policy publish on the drone arrives at the ground station, in band."""

from __future__ import annotations

import math
import sys
import unittest
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription

from pqc_msgs.msg import (
    ComputerLoad,
    DroneComputer,
    DroneDecision,
    PolicyDecision,
    PolicyInputs,
    PowerReading,
    ThermalReading,
    TunnelStatus,
)

sys.path.insert(0, str(Path(__file__).parent))

from applications import GREETING, Application, introduce
from graph_client import LATCHED, GraphTestCase
from mavlink_datagrams import heartbeat, message_of
from pqc_testing.ros_graph import isolate_graph
from tunnel_pair import SUITE, TunnelPair, make_tunnel_pair, messengers

isolate_graph()

LIGHTER = "cs-mlkem512-aesgcm-falcon512"


@pytest.mark.launch_test
def generate_test_description() -> tuple[LaunchDescription, dict[str, Any]]:
    """Start both ends."""
    pair = make_tunnel_pair()
    return (
        LaunchDescription([*pair.nodes(), *messengers(), launch_testing.actions.ReadyToTest()]),
        {"pair": pair},
    )


def status_text(ground: Application) -> Any:
    """Return the STATUSTEXT that a program on the ground receives next."""
    return message_of(ground.receive())


class TestDroneReports(GraphTestCase):
    """While both ends run."""

    def applications(self, pair: TunnelPair) -> tuple[Application, Application]:
        """Return the programs on the drone and on the ground, introduced to each other."""
        drone, ground = Application(pair.drone_plaintext), Application(pair.gcs_plaintext)
        self.addCleanup(drone.close)
        self.addCleanup(ground.close)
        ground.send(GREETING)
        introduce(drone, ground)
        introduce(ground, drone)
        return drone, ground

    def test_the_load_of_the_drones_computer_is_a_topic_on_the_ground(self) -> None:
        """Each value comes from its own topic; what nobody publishes is unknown."""
        reports = self.graph.listen(DroneComputer, "/gcs/pqc/drone_computer")
        load = self.graph.node.create_publisher(ComputerLoad, "/pqc/computer", 10)
        thermal = self.graph.node.create_publisher(ThermalReading, "/pqc/thermal", 10)

        def complete() -> bool:
            load.publish(ComputerLoad(load=0.5, memory=0.25, frequency_hz=1.5e9, throttled=1))
            thermal.publish(ThermalReading(temperature_c=61.5))
            return any(r.load == 0.5 and not math.isnan(r.temperature_c) for r in reports)

        self.graph.wait_for(complete, "the report of the computer")
        newest = reports[-1]
        assert (newest.memory, newest.frequency_hz, newest.throttled) == (0.25, 1.5e9, 1)
        assert newest.temperature_c == pytest.approx(61.5)
        assert math.isnan(newest.power_w)
        power = self.graph.node.create_publisher(PowerReading, "/pqc/power", 10)

        def powered() -> bool:
            power.publish(PowerReading(power_w=4.2))
            return not math.isnan(reports[-1].power_w)

        self.graph.wait_for(powered, "the power")
        assert reports[-1].power_w == pytest.approx(4.2)

    def test_a_decision_is_a_topic_on_the_ground_and_a_line_in_its_program(
        self, pair: TunnelPair
    ) -> None:
        """The line has the vehicle's system id and comes once for one change."""
        drone, ground = self.applications(pair)
        statuses = self.graph.listen(TunnelStatus, "/gcs/pqc/status", LATCHED)
        self.graph.wait_for(lambda: statuses and statuses[-1].encrypted, "the session")
        drone.send(heartbeat())
        assert ground.receive() == heartbeat()
        assert status_text(ground).text == "PQC: lattices"  # as soon as there is a vehicle
        decisions = self.graph.listen(DroneDecision, "/gcs/pqc/decision")
        publisher = self.graph.node.create_publisher(PolicyDecision, "/pqc/decision", 10)
        inputs = PolicyInputs(link_age_s=0.5, link_loss=0.25, battery_age_s=-1.0)
        inputs.thermal_age_s = inputs.armed_age_s = -1.0
        decision = PolicyDecision(
            strategy="expert",
            action=PolicyDecision.DOWN,
            rule="link",
            from_suite=SUITE,
            to_suite=LIGHTER,
            asked=True,
            missing=["thermal"],
            cue="The link loses 25 % of the datagrams.",
            cue_id="loss",
            inputs=inputs,
        )

        def told() -> bool:
            publisher.publish(decision)
            return bool(decisions)

        self.graph.wait_for(told, "the decision")
        seen = decisions[-1]
        assert (seen.action, seen.rule, seen.strategy) == ("DOWN", "link", "expert")
        assert (seen.from_suite, seen.to_suite) == (SUITE, LIGHTER)
        assert seen.link_loss == pytest.approx(0.25)
        assert math.isnan(seen.battery_voltage_v)
        assert not seen.armed_known
        assert (seen.asked, seen.missing, seen.hold) == (True, ["thermal"], "")
        assert (seen.cue_id, seen.cue) == ("loss", "loss: slow down, or heavy detectors off")
        line = status_text(ground)
        assert (line.get_srcSystem(), line.get_srcComponent()) == (42, 191)
        assert (line.severity, line.text) == (4, "PQC link: mlkem512-aesgcm-falcon512")
        decision = PolicyDecision(
            action=PolicyDecision.HOLD, rule="calm", from_suite=SUITE, cue_id="loss", inputs=inputs
        )
        timer = self.graph.node.create_timer(0.5, lambda: publisher.publish(decision))
        self.addCleanup(timer.cancel)
        self.graph.wait_for(lambda: decisions[-1].rule == "calm", "the end of the change")
        assert any(d.rule == "link" and not d.missing for d in decisions), "told again"
        line = status_text(ground)
        assert (line.severity, line.text) == (4, "PQC loss: slow down, or heavy detectors off")


@launch_testing.post_shutdown_test()
class TestAfterShutdown(unittest.TestCase):
    """After both ends were asked to stop."""

    def test_both_ends_end_without_an_error(self, proc_info: Any) -> None:
        """The exit code of both is 0."""
        launch_testing.asserts.assertExitCodes(proc_info)
