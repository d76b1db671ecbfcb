# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from false_mavros import FalseMavros
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from recorded import MLKEM768
from ros_graph import Listener, NodeProcess, own_graph

from pqc_msgs.msg import LinkReport, PolicyDecision, TunnelStatus
from pqc_msgs.srv import ExplainDecision

MAVROS = "/mavros"
CELLS = (3900,) * 4
NOTHING_CELLS = ()
SET = re.compile(r"Set required_inputs to \[([a-z, ]*)\] to fly without [a-z, ]+\.")
REQUIRED = ["link", "battery", "thermal", "armed", "session"]


class Drone:
    """The two nodes with a simulated tunnel and MAVROS, on the real clock."""

    def __init__(self, folder: Path) -> None:
        self.sys = folder / "sys"
        self._temperature_c: float | None = None
        self.listener = Listener()
        node = self.listener.node
        self.mavros = FalseMavros(node, MAVROS)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._status = node.create_publisher(TunnelStatus, "/pqc/status", latched)
        self._link = node.create_publisher(LinkReport, "/pqc/link", qos_profile_sensor_data)
        self.decisions: list[PolicyDecision] = self.listener.subscribe(
            PolicyDecision, "/pqc/decision", 10
        )
        self._diagnostics: list[DiagnosticArray] = self.listener.subscribe(
            DiagnosticArray, "/diagnostics", 10
        )
        self.sensing = NodeProcess(
            "sensing_node",
            folder / "sensing.txt",
            *("-r", "__ns:=/pqc", "-p", "power_source:=none", "-p", f"sys_root:={self.sys}"),
            # Not the load of the computer that runs the tests, to which the policy would react.
            *("-p", f"proc_root:={folder / 'proc'}"),
            *("-p", "mavros_silence_s:=0.5", "-p", "retry_s:=0.2"),
            *("-p", "diagnostic_updater.period:=0.2"),
        )
        self.policy = NodeProcess(
            "policy_node",
            folder / "policy.txt",
            *("-r", "__ns:=/pqc", "-p", "diagnostic_updater.period:=0.2"),
        )

    def close(self) -> None:
        self.policy.close()
        self.sensing.close()
        self.listener.close()

    def fly(self, **battery: Any) -> None:
        """Publish the messages of tunnel and MAVROS; `battery` is a BATTERY_STATUS."""
        self.publish_tunnel()
        if self._temperature_c is not None:
            self.show_zone(self._temperature_c + random.uniform(0.0, 0.05))
        self.mavros.publish(**{"cells": CELLS, "centiamperes": 1250} | battery)

    def publish_tunnel(self) -> None:
        stamp = self.listener.node.get_clock().now().to_msg()
        status = TunnelStatus(stamp=stamp, suite=MLKEM768, epoch=1, key_age_s=5.0)
        status.state = TunnelStatus.STATE_ESTABLISHED
        self._status.publish(status)
        link = LinkReport(stamp=stamp, remote_valid=True)
        link.remote.gap_p95_s = 0.02
        self._link.publish(link)

    def until(self, condition: Any, what: str, meanwhile: Any = None) -> Any:
        """Publish inputs until a condition holds."""
        return self.listener.wait_for(condition, what, meanwhile or self.fly)

    def decides(self, rule: str, meanwhile: Any = None) -> PolicyDecision:
        """Publish inputs until a rule decides; return the decision."""
        del self.decisions[:]
        self.until(lambda: self.decisions and self.decisions[-1].rule == rule, rule, meanwhile)
        return self.decisions[-1]

    def warning(self, name: str) -> str:
        """Return the text of a task whose newest status is a warning, else an empty text."""
        statuses = [s for array in self._diagnostics for s in array.status if s.name == name]
        return (
            statuses[-1].message if statuses and statuses[-1].level == DiagnosticStatus.WARN else ""
        )

    def require(self, names: list[str]) -> None:
        parameter = Parameter("required_inputs", value=names).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        (result,) = self._call(SetParameters, "policy/set_parameters", request).results
        assert result.successful

    def explanation(self) -> str:
        return str(self._call(ExplainDecision, "explain", ExplainDecision.Request()).text)

    def _call(self, service_type: Any, name: str, request: Any) -> Any:
        future = self.listener.begin_call(service_type, f"/pqc/{name}", request)
        self.until(future.done, f"the response of {name}")
        return future.result()

    def add_zone(self, temperature_c: float) -> None:
        """Create a thermal zone below the simulated /sys, whose last digit is never still."""
        self._temperature_c = temperature_c
        folder = self.sys / "class/thermal/thermal_zone0"
        folder.mkdir(parents=True)
        (folder / "type").write_text("cpu-thermal\n")

    def show_zone(self, temperature_c: float) -> None:
        """Show a temperature, at once and whole."""
        file = self.sys / "class/thermal/thermal_zone0/temp"
        fresh = file.with_name("fresh")
        fresh.write_text(f"{round(temperature_c * 1000)}\n")
        fresh.replace(file)


@pytest.fixture(scope="module")
def drone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drone]:
    folder = tmp_path_factory.mktemp("drone")
    with own_graph(folder / "logs"):
        drone = Drone(folder)
        yield drone
        drone.close()


def test_without_a_thermal_zone_log_diagnostics_and_explanation_show_the_list_to_set(
    drone: Drone,
) -> None:
    advice = (
        "Input thermal is missing, because no usable message arrives on /pqc/thermal: the rules "
        "that need it don't act. See /diagnostics of the sensing node. "
        "Set required_inputs to [link, battery, armed, session] to fly without thermal."
    )
    drone.until(lambda: advice in drone.policy.output, "the advice in the log")
    hold = drone.decides("safety")
    assert hold.reason == "No temperature has been received. Meanwhile upgrade can't act."
    drone.until(
        lambda: drone.warning("policy: policy") == f"{hold.reason} {advice}", "the diagnostics"
    )
    assert f"{hold.reason[1:]}\n{advice}\nDecision: HOLD" in drone.explanation()
    assert drone.policy.output.count(advice) == 1
    assert drone.warning("sensing: thermal") == f"No thermal zone below {drone.sys}"


def test_the_policy_decides_with_the_advised_list(drone: Drone) -> None:
    names = SET.findall(drone.policy.output)[-1].split(", ")
    drone.require(names)
    decision = drone.decides("nominal")
    assert decision.inputs.thermal_age_s == -1.0
    assert not SET.search(drone.explanation())


def test_a_thermal_zone_that_appears_is_used(drone: Drone) -> None:
    drone.add_zone(55.0)
    drone.require(REQUIRED)
    decision = drone.decides("nominal")
    assert decision.inputs.thermal_temperature_c == pytest.approx(55.0, abs=0.05)


def test_a_battery_without_a_current_sensor_does_not_make_the_policy_hold(drone: Drone) -> None:
    def flies() -> None:
        drone.fly(centiamperes=-1)

    drone.until(
        lambda: (
            drone.decisions[-1].inputs.battery_voltage_v > 0.0
            and math.isnan(drone.decisions[-1].inputs.battery_charge)
        ),
        "a battery without a charge",
        flies,
    )
    drone.decides("nominal", flies)
    drone.decides("nominal", flies)


def test_a_battery_without_a_voltage_is_a_missing_input_and_no_emergency(drone: Drone) -> None:
    drone.decides("nominal")
    del drone.decisions[:]
    why = f"No voltage of the battery is reported on {MAVROS}/battery"
    drone.until(
        lambda: (
            drone.warning("sensing: battery") == why
            and "[link, thermal, armed, session] to fly without battery." in drone.policy.output
        ),
        "diagnostics and advice",
        lambda: drone.fly(cells=NOTHING_CELLS),
    )
    assert {decision.rule for decision in drone.decisions} <= {"nominal", "safety"}
    assert "by emergency" not in drone.policy.output
    drone.decides("nominal")


def test_a_board_on_usb_power_is_a_missing_battery_and_no_emergency(drone: Drone) -> None:
    drone.decides("nominal")
    del drone.decisions[:]
    why = (
        f"The battery on {MAVROS}/battery is unknown, since 4.90 V can't be of 4 cells "
        "(battery.cells)"
    )
    drone.until(
        lambda: drone.warning("sensing: battery") == why,
        "the diagnostics",
        lambda: drone.fly(cells=(4900,)),
    )
    assert {decision.rule for decision in drone.decisions} <= {"nominal", "safety"}
    assert "by emergency" not in drone.policy.output


def test_an_armed_vehicle_that_seems_to_charge_is_not_full_for_ever(drone: Drone) -> None:
    def seems_to_charge() -> None:
        drone.fly(cells=(3550,) * 4, centiamperes=-130)

    drone.until(
        lambda: drone.warning("sensing: battery") == "The current is unknown: no prediction",
        "the diagnostics",
        seems_to_charge,
    )
    drone.until(
        lambda: math.isnan(drone.decisions[-1].inputs.battery_charge),
        "a battery without a charge",
        seems_to_charge,
    )


def test_an_autopilot_that_sends_no_battery_is_told_how_to_send_it(drone: Drone) -> None:
    drone.until(
        lambda: "SRn_EXT_STAT" in drone.warning("sensing: battery"),
        "the advice",
        lambda: drone.mavros.publish_state(),
    )
    assert drone.warning("sensing: battery").startswith(
        f"No battery is reported on {MAVROS}/battery, although the autopilot is heard. "
    )


def test_without_a_connection_to_the_autopilot_the_armed_state_is_missing(
    drone: Drone,
) -> None:
    drone.decides("nominal")

    def lost() -> None:
        drone.publish_tunnel()
        drone.mavros.lose_connection()
        drone.mavros.publish_summary(15600, 1250)

    drone.until(
        lambda: (
            drone.warning("sensing: vehicle").startswith(
                "MAVROS has no connection to the autopilot, so the armed state is unknown"
            )
            and "[link, battery, thermal, session] to fly without armed." in drone.policy.output
        ),
        "diagnostics and advice",
        lost,
    )
    assert drone.decides("safety", lost).inputs.armed_age_s > 2.0


def test_without_the_sensing_node_the_advice_names_the_silent_topics(drone: Drone) -> None:
    drone.decides("nominal")
    assert drone.sensing.stop() == 0
    drone.until(
        lambda: SET.findall(drone.policy.output)[-1] == "link, session", "advice on all three"
    )
    assert "Input battery is missing, because nothing publishes /pqc/battery. " in (
        drone.policy.output
    )
